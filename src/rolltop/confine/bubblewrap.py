"""A sandbox as arguments for bubblewrap."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from rolltop.confine.sandbox import Sandbox

__all__ = ["bubblewrap_arguments"]

SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr on a merged system, directories elsewhere."""

SYSTEM_READ = (
    "/usr",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/papersize",
    "/etc/R",
    "/etc/texmf",
    "/opt/R",
    "/var/cache/fontconfig",
    "/var/lib/dpkg",  # Debian's rmarkdown asks dpkg-query where jquery is
    "/var/lib/texmf",
)
"""What programs read of a system and what holds no secrets: no /etc/passwd, no /home, no /var but these."""

INNER_ID = 1000
"""The user and group that the program sees itself as."""

OWN_FILES = {
    "/etc/passwd": b"user:x:1000:1000:user:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "/etc/group": b"user:x:1000:\nnogroup:x:65534:\n",
}
"""The sandbox's own, so that programs find a name for their user and nobody's name leaks in."""


def bubblewrap_arguments(sandbox: Sandbox, *, files: Mapping[str, int], seccomp: int | None, status: int) -> list[str]:
    """All arguments but the program; the numbers are file descriptors that bubblewrap inherits."""
    arguments = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    arguments += ["--uid", str(INNER_ID), "--gid", str(INNER_ID), "--hostname", "sandbox"]
    arguments += ["--json-status-fd", str(status)]
    if seccomp is not None:
        arguments += ["--seccomp", str(seccomp)]
    arguments += _system()
    arguments += _own_places(sandbox.limits.tmp_size)
    for target, fd in files.items():
        arguments += ["--perms", "0444", "--ro-bind-data", str(fd), target]
    for mount in sandbox.mounts:
        arguments += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target]
    # The root itself is a tmpfs without a size: read-only, or it would be a hole in the disk limit.
    arguments += ["--remount-ro", "/", "--chdir", sandbox.cwd]
    for name, value in sandbox.environment.items():
        arguments += ["--setenv", name, value]
    return arguments


def _system() -> Iterator[str]:
    for path in SYSTEM_LINKS:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for path in SYSTEM_READ:
        if Path(path).exists():
            yield from ("--ro-bind", path, path)


def _own_places(size: int) -> Iterator[str]:
    """Own /proc, /dev and /tmp; /dev and /dev/shm would otherwise be writable without a limit."""
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--size", str(size), "--tmpfs", "/tmp")  # noqa: S108
    yield from ("--size", str(size), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")  # noqa: S108
