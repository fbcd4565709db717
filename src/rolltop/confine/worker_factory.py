"""Makes the workers of a pool: starts the template process and has it fork."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from rolltop.confine.identity import Identity
from rolltop.confine.process import spawn
from rolltop.errors import Cancelled, ForeignFailure, PartMissing

__all__ = ["Worker", "WorkerFactory"]

_BOOT = """
import sys
sys.path.insert(0, sys.argv[3])
from rolltop.confine.worker import main
main(int(sys.argv[1]), int(sys.argv[2]))
"""


class Worker:
    """One worker process, seen from the pool."""

    __slots__ = ("_alive", "_pidfd", "buffer", "calls", "pid", "pinned", "socket", "timeouts")

    def __init__(self, pid: int, pidfd: int | None, sock: socket.socket) -> None:
        self.pid = pid
        self.socket = sock
        self.calls = 0
        self.timeouts = (0.0, 0.0)
        """The timeouts that are set on the socket, for sending and for receiving."""
        self.pinned: tuple[int, set[int]] | None = None
        """The CPU it is pinned to, and those it may use otherwise; None when it is not pinned."""
        self.buffer = bytearray(1 << 16)
        """For answers; a fresh one for each would be mapped, touched and unmapped every time."""
        self._pidfd = pidfd
        self._alive = True

    def kill(self) -> None:
        """End the process; where a descriptor of it is held, its number cannot mean another one by now."""
        if not self._alive:
            return
        self._alive = False
        with contextlib.suppress(ProcessLookupError):
            if self._pidfd is None:
                os.kill(self.pid, signal.SIGKILL)
            else:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        if self._pidfd is not None:
            os.close(self._pidfd)
        self.socket.close()


class WorkerFactory:
    """Starts the template at first need and again after it died."""

    def __init__(
        self, jobs: Sequence[str], preload: Sequence[str], memory: int, identity: Identity, *, threads: bool = False
    ) -> None:
        self._settings = {
            "jobs": list(jobs),
            "preload": list(preload),
            "path": sys.path,
            "memory": memory,
            "threads": threads,
            "identity": [identity.uid, identity.gid] if identity.drop else None,
        }
        self._talk = threading.Lock()
        """Held while talking to the template."""
        self._template: tuple[subprocess.Popen[bytes], socket.socket] | None = None
        self._closed = False
        self.features: tuple[str, ...] = ()
        """What holds the workers; known once the first one was asked for."""

    def make(self) -> Worker:
        """A fresh worker."""
        with self._talk:
            for attempt in (1, 2):
                try:
                    return self._ask_template()
                except OSError:
                    self._stop_template()
                    if attempt == 2:
                        raise ForeignFailure("the pool cannot start workers: its template process dies") from None
        raise AssertionError("unreachable")

    def _ask_template(self) -> Worker:
        if self._closed:
            raise Cancelled("the pool is closed")
        if self._template is None:
            self._template = self._start_template()
        control = self._template[1]
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(control, [b"fork"], [theirs.fileno()])
            message, fds, _, _ = socket.recv_fds(control, 64, 1)
            if not message:
                raise BrokenPipeError("the template hung up")
        except BaseException:
            ours.close()
            raise
        return Worker(int(message), fds[0] if fds else None, ours)

    def _start_template(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        control, theirs = socket.socketpair()
        with theirs:
            # Its environment is empty, so it is told where rolltop lies.
            source = str(Path(__file__).parents[2])
            command = [sys.executable, "-c", _BOOT, str(theirs.fileno()), str(os.getpid()), source]
            process = spawn(command, pass_fds=[theirs.fileno()], streams=False)
        control.sendall(json.dumps(self._settings).encode() + b"\n")
        with control.makefile("rb") as lines:
            answer = json.loads(lines.readline() or b'{"error": "it ended without a word"}')
        if "error" in answer:
            control.close()
            process.wait()
            raise PartMissing(f"the template of the workers could not start: {answer['error']}")
        self.features = tuple(answer["features"])
        return process, control

    def _stop_template(self) -> None:
        if self._template is not None:
            process, control = self._template
            self._template = None
            control.close()
            process.kill()
            process.wait()

    def close(self) -> None:
        self._closed = True
        with self._talk:
            self._stop_template()
