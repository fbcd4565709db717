"""A confined process seen from outside (`Child`), and what every backend needs to start one."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import signal
import socket
import stat
import subprocess
import sys
import termios
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO

from rolltop.confine.identity import Identity, threads_of
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import Limits
from rolltop.confine.scratch import remove_tree

__all__ = ["Child", "Descriptors", "OutputTail", "counts_by_namespace", "launcher", "spawn"]

LAUNCHER = Path(__file__).with_name("launch.py")

HEADROOM = 5
"""Processes beyond the program's: the supervisor, bubblewrap's two, and what starts the program in it."""

KEPT_OUTPUT = 1 << 16
"""Bytes of a program's output that are kept."""

GRACE = 2.0
"""Seconds that a supervisor has to end its program before it is killed itself."""

# A child that asks to die with its parent dies with the *thread* that started it. This thread lives as
# long as the program, so callers on short-lived threads can start long-lived workers.
_spawner = ThreadPoolExecutor(1, thread_name_prefix="rolltop-spawner")


def _renew_spawner() -> None:
    """Replace the executor after a fork, which copies no threads."""
    global _spawner  # noqa: PLW0603 - one per process is the point
    _spawner = ThreadPoolExecutor(1, thread_name_prefix="rolltop-spawner")


os.register_at_fork(after_in_child=_renew_spawner)


def _unchanged(path: str) -> str:
    return path


@dataclass(slots=True)
class Child:
    """A running confined process and our ends of its descriptors."""

    program: str
    process: subprocess.Popen[bytes]
    status: IO[bytes]
    confinement: Confinement
    limits: Limits
    writable: tuple[Path, ...]
    """Directories of this machine that the program can write to."""
    inside: Callable[[str], str] = _unchanged
    """Where the program finds a place of its sandbox; elsewhere only on rungs without own mounts."""
    private: Path | None = None
    """A directory that exists for this process alone."""
    proxy: subprocess.Popen[bytes] | None = None
    """Connects the program to the hosts of its sandbox."""
    _kept: bytes = field(default=b"")
    _first: int | None = None

    def kill(self) -> None:
        """End the process and everything it started; returns once all of it is gone."""
        if self.process.poll() is not None:
            return  # the supervisor ends only after everything else
        if self.confinement.rung != "bwrap" or not self._kill_namespace():
            self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def first_pid(self) -> int | None:
        """The first process inside the sandbox; None while it starts."""
        if self._first is None:
            self._read_status()
            self._first = next((item["child-pid"] for item in self._status() if "child-pid" in item), None)
        return self._first

    def _kill_namespace(self) -> bool:
        """Kill the first process of the namespace, and with it all others; false when there is none yet."""
        if (pid := self.first_pid) is None:
            return False
        with contextlib.suppress(ProcessLookupError):
            pidfd = os.pidfd_open(pid)  # bubblewrap is still its parent: the number cannot mean another one
            try:
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            finally:
                os.close(pidfd)
        return True

    def close(self) -> None:
        """End the process and remove its private directory."""
        self.kill()
        if self.proxy is not None:
            self.proxy.kill()
            self.proxy.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr, self.status):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        if self.private is not None:
            remove_tree(self.private)

    def started(self) -> bool:
        """Whether the program itself was reached; only meaningful after the process has ended."""
        return self.first_pid is not None

    def _read_status(self) -> None:
        os.set_blocking(self.status.fileno(), False)
        self._kept += self.status.read() or b""

    def _status(self) -> list[dict[str, int]]:
        *complete, _ = self._kept.split(b"\n")
        return [json.loads(line) for line in complete if line]


class Descriptors(contextlib.ExitStack):
    """Descriptors that a child inherits and that are closed here once it has them."""

    def __init__(self, given: Sequence[int] = ()) -> None:
        super().__init__()
        self.inherited = list(given)

    def memory_file(self, data: bytes) -> int:
        """A descriptor of a file in memory with this content."""
        fd = os.memfd_create("rolltop", os.MFD_CLOEXEC)
        self.callback(os.close, fd)
        with open(fd, "wb", closefd=False) as file:
            file.write(data)
        os.lseek(fd, 0, os.SEEK_SET)
        self.inherited.append(fd)
        return fd

    def pipe_from_child(self) -> tuple[IO[bytes], int]:
        """Our reading end, and the number of the child's writing end."""
        ours, theirs = os.pipe2(os.O_CLOEXEC)
        self.callback(os.close, theirs)
        self.inherited.append(theirs)
        reader = os.fdopen(ours, "rb")
        self.push(lambda failed, *_: reader.close() if failed else None)
        return reader, theirs

    def socket_to_child(self) -> tuple[socket.socket, int]:
        """Our end of a pair of sockets, and the number of the child's."""
        ours, theirs = socket.socketpair()
        self.callback(theirs.close)
        self.inherited.append(theirs.fileno())
        self.push(lambda failed, *_: ours.close() if failed else None)
        return ours, theirs.fileno()

    def hand_over(self, identity: Identity) -> None:
        """Let the program reopen them as /dev/fd/N, which asks for the owner's permission."""
        if identity.drop:
            for fd in self.inherited:
                os.fchown(fd, identity.uid, identity.gid)


@cache
def counts_by_namespace() -> bool:
    """True since Linux 5.14: a user namespace counts its own processes, so that others of the user do not matter."""
    return tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2]) >= (5, 14)


def launcher(limits: Limits, identity: Identity, *, count_processes: bool = True) -> list[str]:
    """The launcher with its limits and identity, up to where more options may follow.

    `count_processes` is false where a limit on processes is set inside of the sandbox's user namespace.
    """
    rlimits = {
        "AS": limits.addresses,
        "CPU": limits.cpu,
        "FSIZE": limits.file_size,
        "NOFILE": limits.open_files,
        "CORE": 0,
        "MEMLOCK": 1 << 16,
        "MSGQUEUE": 0,
    }
    if count_processes:  # the kernel counts all processes of the user, wherever they run
        rlimits["NPROC"] = threads_of(identity.uid) + limits.processes + HEADROOM
    command = [sys.executable, "-I", "-S", str(LAUNCHER), f"parent={os.getpid()}"]
    command += [f"rlimit={name}:{value}" for name, value in rlimits.items()]
    if identity.drop:
        command.append(f"identity={identity.uid}:{identity.gid}")
    return command


def spawn(
    command: list[str], *, pass_fds: Sequence[int], streams: bool = True, stdin: bool = True
) -> subprocess.Popen[bytes]:
    """Start a process from the thread that lives as long as the program, in a session of its own."""
    output = subprocess.PIPE if streams else subprocess.DEVNULL
    return _spawner.submit(_popen, command, pass_fds, output if stdin else subprocess.DEVNULL, output).result()


def _popen(command: list[str], inherited: Sequence[int], stdin: int, output: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=output,
        stderr=output,
        pass_fds=inherited,
        env={},
        cwd="/",
        start_new_session=True,
        bufsize=0,
    )


def _unread(stream: IO[bytes]) -> int:
    """Bytes in a pipe that nobody has read; none in one that is closed."""
    count = array("i", [0])
    with contextlib.suppress(OSError, ValueError):
        fcntl.ioctl(stream, termios.FIONREAD, count)
    return count[0]


class OutputTail:
    """Reads the output of a program, so that it never blocks on a full pipe, and keeps the last 64 KiB."""

    def __init__(self, streams: list[IO[bytes] | None]) -> None:
        self._streams = [stream for stream in streams if stream is not None]
        self._lock = threading.Lock()
        self._kept = bytearray()
        self._threads = [
            threading.Thread(target=self._read, args=(os.dup(stream.fileno()),), name="rolltop-output", daemon=True)
            for stream in self._streams
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, fd: int) -> None:
        waiting = select.poll()
        waiting.register(fd, select.POLLIN)
        try:
            while waiting.poll():
                with self._lock:  # what was read is also kept: nothing is in between when others have the lock
                    if not (data := os.read(fd, KEPT_OUTPUT)):
                        return
                    self._kept = (self._kept + data)[-KEPT_OUTPUT:]
        except OSError:
            pass
        finally:
            os.close(fd)

    def text(self) -> str:
        with self._lock:
            return self._kept.decode("utf-8", "replace")

    def clear(self) -> None:
        """Drop all output so far, also unread output; a program that never stops printing gets a second."""
        end = time.monotonic() + 1.0
        while any(map(_unread, self._streams)) and time.monotonic() < end:
            time.sleep(0.001)
        with self._lock:
            self._kept = bytearray()

    def reset(self) -> bool:
        """Drop all output; false if some is left or a pipe's permissions were changed."""
        self.clear()
        modes = [stat.S_IMODE(os.fstat(stream.fileno()).st_mode) for stream in self._streams]
        return not any(map(_unread, self._streams)) and all(mode == 0o600 for mode in modes)

    def join(self) -> None:
        for thread in self._threads:
            thread.join(1.0)
