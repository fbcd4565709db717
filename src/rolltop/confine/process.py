"""Start one confined process: descriptors in, launcher, bubblewrap, program; and end it for good."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from rolltop.confine import bubblewrap, seccomp
from rolltop.confine.detect import require_rung
from rolltop.confine.identity import Identity, foreign_identity, require_reachable, threads_of
from rolltop.confine.limits import Limits
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import Sandbox
from rolltop.errors import InvalidInput, PartMissing

__all__ = ["Child", "start_process"]

LAUNCHER = Path(__file__).with_name("launch.py")

HEADROOM = 4
"""Processes beyond the program's: the launcher and bubblewrap's two."""

# A child that asks to die with its parent dies with the *thread* that started it. This thread lives as
# long as the program, so callers on short-lived threads can start long-lived workers.
_spawner = ThreadPoolExecutor(1, thread_name_prefix="rolltop-spawner")


@dataclass(slots=True)
class Child:
    """A running confined process and our ends of its descriptors."""

    process: subprocess.Popen[bytes]
    status: IO[bytes]
    confinement: Confinement
    limits: Limits
    writable: tuple[Path, ...]
    _kept: bytes = field(default=b"")

    def kill(self) -> None:
        """End the process and everything it started; returns once the process itself is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        self.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr, self.status):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def started(self) -> bool:
        """Whether the program itself was reached; only meaningful after the process has ended."""
        self._kept += self.status.read() or b""
        return any("child-pid" in json.loads(line) for line in self._kept.splitlines() if line)


def start_process(argv: Sequence[str], sandbox: Sandbox, *, pass_fds: Sequence[int] = ()) -> Child:
    """Start `argv` confined. The program inherits standard streams as pipes, and `pass_fds` under their numbers."""
    if not argv or any("\0" in argument for argument in argv):
        raise InvalidInput("a program to run needs a name, and no argument may contain NUL")
    confinement = require_rung(allow_unconfined=sandbox.allow_unconfined)
    identity = foreign_identity(sandbox.user)
    for mount in sandbox.mounts:
        require_reachable(mount.source, identity)
    with contextlib.ExitStack() as ours:
        status_read, status_write = os.pipe2(os.O_CLOEXEC)
        ours.callback(os.close, status_write)
        inherited = [status_write, *pass_fds]
        command = _launcher(sandbox.limits, identity)
        command += _bubblewrap(argv, sandbox, status_write, inherited, ours)
        for fd in inherited:
            if identity.drop:
                # The program may reopen it as /dev/fd/N, which asks for the owner's permission.
                os.fchown(fd, identity.uid, identity.gid)
        process = spawn(command, pass_fds=inherited)
    writable = tuple(mount.source for mount in sandbox.mounts if mount.writable)
    return Child(process, os.fdopen(status_read, "rb"), confinement, sandbox.limits, writable)


def _launcher(limits: Limits, identity: Identity) -> list[str]:
    processes = threads_of(identity.uid) + limits.processes + HEADROOM
    rlimits = {
        "AS": limits.memory,
        "CPU": limits.cpu,
        "FSIZE": limits.file_size,
        "NPROC": processes,
        "NOFILE": limits.open_files,
        "CORE": 0,
        "MEMLOCK": 65536,
        "MSGQUEUE": 0,
    }
    command = [sys.executable, "-I", "-S", str(LAUNCHER), f"parent={os.getpid()}"]
    command += [f"rlimit={name}:{value}" for name, value in rlimits.items()]
    if identity.drop:
        command.append(f"identity={identity.uid}:{identity.gid}")
    return [*command, "--"]


def _bubblewrap(
    argv: Sequence[str], sandbox: Sandbox, status: int, inherited: list[int], ours: contextlib.ExitStack
) -> list[str]:
    program = seccomp.sandbox_filter()
    files = {**bubblewrap.OWN_FILES, **sandbox.files}
    placed = {target: _memory_file(data, ours) for target, data in files.items()}
    filtered = _memory_file(program, ours) if program else None
    arguments = bubblewrap.bubblewrap_arguments(sandbox, files=placed, seccomp=filtered, status=status)
    # Arguments go through a descriptor: on the command line everybody on the machine could read the environment.
    packed = b"".join(os.fsencode(argument) + b"\0" for argument in arguments)
    packed_fd = _memory_file(packed, ours)
    inherited += [*placed.values(), packed_fd]
    inherited += [filtered] if filtered is not None else []
    return [bubblewrap_path(), "--args", str(packed_fd), "--", *argv]


def bubblewrap_path() -> str:
    from shutil import which  # noqa: PLC0415

    path = which("bwrap", path="/usr/bin:/usr/local/bin:/bin")
    if path is None:
        raise PartMissing("bubblewrap is not installed", hint="On Debian: apt-get install bubblewrap")
    return path


def _memory_file(data: bytes, ours: contextlib.ExitStack) -> int:
    fd = os.memfd_create("rolltop", os.MFD_CLOEXEC)
    ours.callback(os.close, fd)
    with open(fd, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def spawn(command: list[str], *, pass_fds: Sequence[int], streams: bool = True) -> subprocess.Popen[bytes]:
    """Start a process from the thread that lives as long as the program, in a session of its own."""
    return _spawner.submit(_popen, command, pass_fds, subprocess.PIPE if streams else subprocess.DEVNULL).result()


def _popen(command: list[str], inherited: Sequence[int], stream: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=stream,
        stdout=stream,
        stderr=stream,
        pass_fds=inherited,
        env={},
        cwd="/",
        start_new_session=True,
        bufsize=0,
    )
