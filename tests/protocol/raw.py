"""The simplest clients there are: bytes in, bytes out."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from typing import Any

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


class RawStdio:
    """A server process and a line at a time."""

    def __init__(self, argv: list[str], env: dict[str, str], greet: bool = True) -> None:
        self.process = subprocess.Popen(
            argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self._held = self._said = b""
        if greet:
            self.send({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
            assert self.reply("hello")
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(data + b"\n")

    def line(self, timeout: float = 120.0) -> bytes | None:
        """The next line, None when none comes in time, b"" at the end."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + timeout
        while b"\n" not in self._held:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                return b""
            self._held += chunk
        line, self._held = self._held.split(b"\n", 1)
        return line

    def reply(self, request_id: Any, timeout: float = 120.0) -> dict[str, Any]:
        """The answer to a request; what else arrives in between must be JSON too."""
        deadline = time.monotonic() + timeout
        while (line := self.line(max(0.01, deadline - time.monotonic()))) is not None:
            assert line, f"the server has gone: {self.errors()}"
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == request_id and ("result" in message or "error" in message):
                return message
        raise AssertionError(f"no answer to {request_id!r}")

    def call(self, name: str, arguments: dict[str, Any], request_id: Any = "call") -> dict[str, Any]:
        self.send(call(name, arguments, request_id))
        return self.reply(request_id)

    def errors(self) -> str:
        """What it has written to its error output so far."""
        assert self.process.stderr is not None
        while select.select([self.process.stderr], [], [], 0.2)[0]:
            if not (chunk := os.read(self.process.stderr.fileno(), 1 << 16)):
                break
            self._said += chunk
        return self._said.decode(errors="replace")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


def call(name: str, arguments: Any, request_id: Any = "call") -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
