"""Open a path that was resolved and checked, so that nothing else can be opened in its place."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from rolltop.errors import InvalidInput, NotFound, PermissionDenied

__all__ = ["Changed", "explained", "open_below", "open_directory", "open_file", "open_real", "reopen"]


_SYS_OPENAT2 = 437  # the same number on every architecture
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_real(path: str, flags: int, *, below: int | None = None) -> int:
    """Open a path without following any symbolic link in it; ELOOP when there is one.

    Below a directory the path is relative and cannot leave it; otherwise it is absolute.
    """
    flags |= os.O_CLOEXEC | os.O_NOFOLLOW
    if _has_openat2():
        return _openat2(path, flags, below)
    return _step_by_step(path, flags, below)


def reopen(fd: int, flags: int) -> int:
    """Open the very file behind an O_PATH descriptor for reading."""
    return os.open(f"/proc/self/fd/{fd}", flags | os.O_CLOEXEC)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _has_openat2() -> bool:
    """Kernels since 5.6 have it; a container's filter may still refuse it."""
    if sys.platform != "linux":
        return False
    try:
        os.close(_openat2("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, None))
    except OSError:
        return False
    return True


def _openat2(path: str, flags: int, below: int | None) -> int:
    resolve = _RESOLVE_NO_MAGICLINKS | _RESOLVE_NO_SYMLINKS
    if below is not None:
        resolve |= _RESOLVE_BENEATH
    how = _OpenHow(flags, 0, resolve)
    directory = -100 if below is None else below  # AT_FDCWD, unused: the path is absolute then
    while True:
        fd = _libc().syscall(_SYS_OPENAT2, directory, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
        if fd >= 0:
            return int(fd)
        number = ctypes.get_errno()
        if number not in (errno.EINTR, errno.EAGAIN):
            raise OSError(number, os.strerror(number))


def _step_by_step(path: str, flags: int, below: int | None) -> int:
    """For kernels without openat2: open each component by itself, none of them a link."""
    parts = [part for part in path.split("/") if part and part != "."]
    if ".." in parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    current = os.open("/", _DIRECTORY) if below is None else os.dup(below)
    try:
        for part in parts[:-1]:
            following = os.open(part, _DIRECTORY, dir_fd=current)
            os.close(current)
            current = following
        return os.open(parts[-1] if parts else ".", flags, dir_fd=current)
    finally:
        os.close(current)


_DIRECTORY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


_HAS_PROC = os.path.isdir("/proc/self/fd") and sys.platform == "linux"

_LOOK = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)


class Changed(Exception):
    """The path is not what it was a moment ago."""


def open_below(root: Path, real: Path) -> int:
    """Mark a real path; links are refused, so that it fails when one has appeared since it was resolved."""
    try:
        if root == real:
            return open_real(str(real), _LOOK)
        directory = open_real(str(root), _LOOK | os.O_DIRECTORY)
        try:
            return open_real(str(real.relative_to(root)), _LOOK, below=directory)
        finally:
            os.close(directory)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EXDEV):
            raise Changed from None
        raise explained(error, real) from None


def open_directory(fd: int, real: Path) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY
    try:
        return reopen(fd, flags) if _HAS_PROC else open_real(str(real), flags)
    except OSError as error:
        raise explained(error, real) from None


def open_file(fd: int, real: Path, expected: os.stat_result) -> int:
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
    try:
        opened = reopen(fd, flags) if _HAS_PROC else open_real(str(real), flags)
    except OSError as error:
        raise explained(error, real) from None
    info = os.fstat(opened)
    if (info.st_dev, info.st_ino) != (expected.st_dev, expected.st_ino):
        os.close(opened)
        raise PermissionDenied("the file was exchanged while it was opened")
    os.set_blocking(opened, True)
    return opened


def explained(error: OSError, real: Path) -> Exception:
    make: Callable[[str], Exception]
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return NotFound(f"there is no file {real.name[:80]!r} at that path")
        case errno.EACCES | errno.EPERM:
            return PermissionDenied("the operating system does not allow to open this file")
        case errno.ELOOP:
            return PermissionDenied("the path has symbolic links that lead in a circle")
        case errno.ENAMETOOLONG:
            make = InvalidInput
        case _:
            make = PermissionDenied
    return make(f"the path cannot be opened: {error.strerror}")
