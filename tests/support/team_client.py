"""A small client of a team's server: one POST is one message, and the token says who."""

from __future__ import annotations

import http.client
import json
import ssl
import subprocess
import sys
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

__all__ = ["Team", "User"]

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "team", "version": "1"},
}
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class User:
    """Somebody with a token, at a URL."""

    def __init__(self, url: str, token: str | None, trust: ssl.SSLContext | None = None) -> None:
        self.url, self.token, self._trust = url, token, trust

    def at(self, space: str) -> User:
        return User(f"{self.url}/{space}", self.token, self._trust)

    def send(
        self, verb: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer."""
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        more = {"context": self._trust} if parts.scheme == "https" else {}
        given = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        data = None if body is None else json.dumps(body)
        with closing(kind(parts.hostname or "", parts.port, timeout=120, **more)) as connection:  # type: ignore[arg-type]
            connection.request(verb, path or parts.path, data, {**given, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def ask(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> tuple[int, dict[str, Any]]:
        """The reply to a request of 2026-07-28."""
        given = params or {}
        name = given.get("name") or given.get("uri")
        routing = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, **({"Mcp-Name": name} if name else {})}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**given, "_meta": META}}
        status, _, body = self.send("POST", "", message, {**JSON, **routing, **headers})
        return status, _reply(body)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool; a failure has `code` or `error_type`."""
        status, reply = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert status == 200, (status, reply)
        found: dict[str, Any] = reply["result"]["structuredContent"]
        return found

    def tools(self) -> set[str]:
        return {tool["name"] for tool in self.ask("tools/list")[1]["result"]["tools"]}

    def session(self) -> str | None:
        """The id of a new session of the 2025 protocol."""
        client = {"name": "team", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        status, headers, body = self.send("POST", "", hello, JSON)
        assert status == 200, (status, body)
        return headers["mcp-session-id"]

    def in_session(self, session: str, method: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        message = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
        routing = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
        status, _, body = self.send("POST", "", message, {**JSON, **routing})
        return status, _reply(body)


def _reply(body: bytes) -> dict[str, Any]:
    """The last message of an answer, whether JSON or an event stream."""
    lines = [line[6:] for line in body.splitlines() if line.startswith(b"data: {")]
    found: dict[str, Any] = json.loads(lines[-1] if lines else body or b"{}")
    return found


class Team:
    """The owner's side: the command line in the server's workspace."""

    def __init__(self, url: str, environment: dict[str, str]) -> None:
        self.url, self._environment = url, environment

    def run(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "rolltop", "--quiet", *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def add(self, name: str, *options: str) -> User:
        return User(self.url, self.run("users", "add", name, *options))
