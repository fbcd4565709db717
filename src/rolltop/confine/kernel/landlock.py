"""Landlock: a process gives up the file system but for what it names, without any privilege."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

from .process import LINUX, failed, libc

__all__ = ["READ", "WRITE", "abi", "restrict"]

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every architecture

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_IOCTL_DEV = 1 << 15
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | (1 << 14) | _IOCTL_DEV

READ = _EXECUTE | _READ_FILE | _READ_DIR
WRITE = READ | _WRITE_FILE | sum(1 << bit for bit in range(4, 15))
"""Everything but device controls: make, remove, rename, truncate."""

_RIGHTS_OF_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_BIND, _CONNECT = 1, 2
_SCOPES = 3  # abstract sockets and signals
SCOPED_SINCE = 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """What the kernel knows of Landlock; 0 for nothing."""
    return max(0, int(libc.syscall(_CREATE, None, 0, 1))) if LINUX else 0


def restrict(allowed: Iterable[tuple[str, int]] = (), *, version: int | None = None, connect: bool = False) -> None:
    """Keep only these paths with these rights, and TCP only to `connect`. Call `no_new_privileges` first."""
    known = abi() if version is None else version
    rights = _RIGHTS_OF_ABI[min(known, 5)]
    network = (_BIND if connect else _BIND | _CONNECT) if known >= 4 else 0
    attributes = _Ruleset(rights, network, _SCOPES if known >= SCOPED_SINCE else 0)
    # Older kernels know a shorter structure and refuse a longer one only when its rest is not zero.
    ruleset = libc.syscall(_CREATE, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    if ruleset < 0:
        raise failed()
    try:
        for path, wanted in allowed:
            _allow(ruleset, path, wanted & rights)
        if libc.syscall(_RESTRICT, ruleset, 0) != 0:
            raise failed()
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # what is not there needs no right
    try:
        if not os.path.isdir(f"/proc/self/fd/{fd}"):
            rights &= _ON_FILES
        rule = _Beneath(rights, fd)
        if libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(rule), 0) != 0:
            raise failed()
    finally:
        os.close(fd)
