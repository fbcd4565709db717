"""Process controls of the kernel that Python's `os` does not have."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

__all__ = ["die_with_parent", "no_new_privileges", "set_dumpable"]

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38

libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, *arguments: int | ctypes.c_void_p) -> None:
    """prctl(2), failing as an OSError."""
    values = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in arguments]
    while len(values) < 4:
        values.append(ctypes.c_ulong(0))
    if libc.prctl(option, *values) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def die_with_parent(parent: int) -> None:
    """Be killed when the parent ends, also when it has ended already."""
    if sys.platform != "linux":
        return
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def no_new_privileges() -> None:
    """No set-user-id program gains anything from here on; seccomp and Landlock ask for it."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def set_dumpable(value: bool) -> None:
    prctl(_PR_SET_DUMPABLE, int(value))
