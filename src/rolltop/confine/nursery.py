"""Where a pool's workers come from: the template process, and a few workers born in advance."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence

from rolltop.confine.identity import Identity
from rolltop.confine.process import spawn
from rolltop.errors import Cancelled, ForeignFailure, PartMissing

__all__ = ["Nursery", "Worker"]


class Worker:
    """One worker process, seen from the pool."""

    __slots__ = ("_pidfd", "calls", "patience", "pid", "socket")

    def __init__(self, pid: int, pidfd: int, sock: socket.socket) -> None:
        self.pid = pid
        self.socket = sock
        self.calls = 0
        self.patience = 0.0
        """The timeout that is set on the socket."""
        self._pidfd = pidfd

    def kill(self) -> None:
        """End the process; a descriptor of it is held, so its number cannot mean another one."""
        if self._pidfd < 0:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        os.close(self._pidfd)
        self._pidfd = -1
        self.socket.close()


class Nursery:
    """Starts the template at first need, keeps spares, replaces a template that died."""

    def __init__(
        self, jobs: Sequence[str], preload: Sequence[str], memory: int, identity: Identity, spares: int
    ) -> None:
        self._settings = {
            "jobs": list(jobs),
            "preload": list(preload),
            "path": sys.path,
            "memory": memory,
            "identity": [identity.uid, identity.gid] if identity.drop else None,
        }
        self._wanted = spares
        self._spares: deque[Worker] = deque()
        self._talk = threading.Lock()
        """Held while talking to the template."""
        self._template: tuple[subprocess.Popen[bytes], socket.socket] | None = None
        self._closed = False
        self._wake = threading.Semaphore(0)
        self._keeper: threading.Thread | None = None

    def take(self) -> Worker:
        """A fresh worker: a spare when there is one."""
        if self._closed:
            raise Cancelled("the pool is closed")
        try:
            worker = self._spares.popleft()
        except IndexError:
            worker = self._bear()
        self._ensure_keeper()
        self._wake.release()
        return worker

    def _ensure_keeper(self) -> None:
        if self._keeper is None and self._wanted:
            self._keeper = threading.Thread(target=self._keep, name="rolltop-nursery", daemon=True)
            self._keeper.start()

    def _keep(self) -> None:
        """Bring the spares up to their number whenever one was taken."""
        while not self._closed:
            with contextlib.suppress(ForeignFailure, PartMissing, Cancelled):
                while len(self._spares) < self._wanted and not self._closed:
                    self._spares.append(self._bear())
            self._wake.acquire()

    def _bear(self) -> Worker:
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
        with theirs:
            socket.send_fds(control, [b"fork"], [theirs.fileno()])
        message, fds, _, _ = socket.recv_fds(control, 64, 1)
        if not message or not fds:
            ours.close()
            raise BrokenPipeError("the template hung up")
        return Worker(int(message), fds[0], ours)

    def _start_template(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        # SEQPACKET keeps messages apart and reports the other side's end.
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, "-m", "rolltop.confine.template", str(theirs.fileno())]
            process = spawn(command, pass_fds=[theirs.fileno()], streams=False)
        control.send(json.dumps(self._settings).encode())
        answer = json.loads(control.recv(1 << 16) or b'{"error": "it ended without a word"}')
        if "error" in answer:
            control.close()
            process.wait()
            raise PartMissing(f"the workers' template could not start: {answer['error']}")
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
        self._wake.release()
        with self._talk:
            self._stop_template()
        while self._spares:
            self._spares.popleft().kill()
