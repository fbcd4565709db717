"""Process controls of the kernel that Python's `os` does not have."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator

__all__ = [
    "adopt_orphans",
    "descendants",
    "die_with_parent",
    "load_filter",
    "no_new_privileges",
    "own_proc_entries",
    "own_user_namespace",
    "unshare",
]


_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2

LINUX = sys.platform == "linux"

libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def failed() -> OSError:
    """The error of the last call into the C library."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def _prctl(option: int, second: int = 0, third: ctypes.c_void_p | None = None) -> None:
    zero = ctypes.c_ulong(0)
    if libc.prctl(option, ctypes.c_ulong(second), third or zero, zero, zero) != 0:
        raise failed()


def die_with_parent(parent: int, number: int = signal.SIGKILL) -> None:
    """Get a signal when the parent ends; end at once when it has ended already."""
    if LINUX:
        _prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)


def own_proc_entries() -> None:
    """Make /proc/self ours again, which a change of user takes away."""
    _prctl(_PR_SET_DUMPABLE, 1)


def no_new_privileges() -> None:
    """No set-user-id program gains anything from here on; filters and Landlock ask for it."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def load_filter(program: bytes) -> None:
    """Filter the system calls of this process from now on and for ever."""
    code = ctypes.create_string_buffer(program, len(program))
    loaded = _Program(len(program) // 8, ctypes.addressof(code))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.c_void_p(ctypes.addressof(loaded)))


def unshare(flags: int) -> None:
    """Leave namespaces that are shared with other processes."""
    if libc.unshare(ctypes.c_int(flags)) != 0:
        raise failed()


def own_user_namespace(flags: int) -> None:
    """Enter a user namespace, and the others of `flags`, as the user that we are."""
    uid, gid = os.geteuid(), os.getegid()
    own_proc_entries()
    unshare(flags)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def descendants(pid: int) -> Iterator[int]:
    """Everything that the process started, and what that started, in all process namespaces below ours."""
    waiting = [pid]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                found = [int(number) for number in _read(f"/proc/{pid}/task/{task}/children").split()]
                waiting += found
                yield from found


def _read(path: str) -> bytes:
    """Without Python's file objects, which cost more than the system calls: this runs after every call."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = b""
        while data := os.read(fd, 1 << 16):
            text += data
        return text
    finally:
        os.close(fd)
