"""The first backend: bubblewrap, with namespaces of its own for everything."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rolltop.confine.identity import Identity
from rolltop.confine.kernel.filters import sandbox_filter
from rolltop.confine.named_hosts import CERTIFICATES, start_proxy
from rolltop.confine.process import Child, Descriptors, counts_by_namespace, launcher, spawn
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import SYSTEM_LINKS, SYSTEM_READ, Sandbox
from rolltop.errors import PartMissing

__all__ = ["find_bubblewrap", "start_bubblewrap"]

_HEADROOM = 2
"""Processes of bubblewrap itself in the sandbox's own user namespace."""

_REAPER = "/run/rolltop/reaper"
"""A copy of the shell that nobody can read: it starts the program and waits for all that end, also for orphans."""

INNER_ID = 1000
"""The user and group that the program sees itself as."""

OWN_FILES = {
    "/etc/passwd": b"user:x:1000:1000:user:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "/etc/group": b"user:x:1000:\nnogroup:x:65534:\n",
}
"""The sandbox's own, so that programs find a name for their user and no name of this machine leaks in."""


def start_bubblewrap(
    argv: Sequence[str],
    sandbox: Sandbox,
    identity: Identity,
    confinement: Confinement,
    pass_fds: Sequence[int] = (),
    *,
    stdin: bool = True,
) -> Child:
    """Start the program in its own namespaces."""
    name = argv[0]
    if sandbox.reaper:
        files = {**sandbox.files, _REAPER: Path("/bin/sh").read_bytes()}
        sandbox = replace(sandbox, files=files, unreadable=sandbox.unreadable | {_REAPER})
        argv = [_REAPER, "-c", '"$@" & wait', "reaper", *argv]
    with Descriptors(pass_fds) as descriptors:
        status, status_fd = descriptors.pipe_from_child()
        files = {**OWN_FILES, **sandbox.files}
        placed = {target: descriptors.memory_file(data) for target, data in files.items()}
        program = sandbox_filter()
        filtered = descriptors.memory_file(program) if program else None
        arguments = list(_arguments(sandbox, files=placed, seccomp=filtered, status=status_fd))
        # Through a descriptor: on the command line everybody on the machine could read the environment.
        packed = descriptors.memory_file(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
        descriptors.hand_over(identity)
        counted = _limit_processes()
        command = launcher(sandbox.limits, identity, count_processes=not counted)
        if sandbox.hosts:
            channel, theirs = descriptors.socket_to_child()
            command.append(f"proxied={theirs}")
        command += ["--", find_bubblewrap(), "--args", str(packed), "--"]
        if counted:
            command += [counted, f"--nproc={sandbox.limits.processes + _HEADROOM}"]
        process = spawn([*command, *argv], pass_fds=descriptors.inherited, stdin=stdin)
    writable = tuple(mount.source for mount in sandbox.mounts if mount.writable)
    child = Child(name, process, status, confinement, sandbox.limits, writable)
    if sandbox.hosts:
        try:
            child.proxy = start_proxy(channel, sandbox.hosts, identity)
        except BaseException:
            child.close()
            raise
    return child


def _limit_processes() -> str | None:
    """The program that limits processes inside of the sandbox; None where only the whole user can be limited."""
    return shutil.which("prlimit", path="/usr/bin:/bin") if counts_by_namespace() else None


def find_bubblewrap() -> str:
    """Where bubblewrap is; a clear error when it is not installed."""
    path = shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin")
    if path is None:
        raise PartMissing("bubblewrap is not installed", hint="On Debian: apt-get install bubblewrap")
    return path


def _arguments(sandbox: Sandbox, *, files: Mapping[str, int], seccomp: int | None, status: int) -> Iterator[str]:
    """All arguments but the program; the numbers are descriptors that bubblewrap inherits."""
    yield "--unshare-all"
    if sandbox.hosts:  # the launcher has left the machine's network already
        yield "--share-net"
    yield from ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
    yield from ("--uid", str(INNER_ID), "--gid", str(INNER_ID), "--hostname", "sandbox")
    yield from ("--json-status-fd", str(status))
    if sandbox.reaper:
        yield "--as-pid-1"
    if seccomp is not None:
        yield from ("--seccomp", str(seccomp))
    yield from _system_links()
    yield from _read_only(SYSTEM_READ)
    if sandbox.hosts:
        yield from _read_only(CERTIFICATES)
    yield from _own_places(sandbox.limits.tmp_size)
    for target, fd in files.items():
        yield from ("--perms", "0111" if target in sandbox.unreadable else "0444", "--ro-bind-data", str(fd), target)
    for mount in sandbox.mounts:
        yield from ("--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target)
    # The root itself is a tmpfs without a size: read-only, or it would be a hole in the disk limit.
    yield from ("--remount-ro", "/", "--chdir", sandbox.cwd)
    for name, value in sandbox.environment.items():
        yield from ("--setenv", name, value)


def _system_links() -> Iterator[str]:
    for path in SYSTEM_LINKS:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)


def _read_only(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if os.path.exists(path):
            yield from ("--ro-bind", path, path)


def _own_places(size: int) -> Iterator[str]:
    """Own /proc, /dev and /tmp; /dev and /dev/shm would otherwise be writable without a limit."""
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--size", str(size), "--tmpfs", "/tmp")  # noqa: S108
    yield from ("--size", str(size), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")  # noqa: S108
