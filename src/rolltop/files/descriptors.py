"""Open a path that was resolved and checked, so that nothing else can be opened in its place."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

from rolltop.errors import InvalidInput, NotFound, PermissionDenied
from rolltop.files.kernel import open_real, reopen

__all__ = ["Changed", "explained", "open_below", "open_directory", "open_file"]

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
