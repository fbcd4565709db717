"""Files in and out of our own directories: whole or not at all, and never through a link."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from rolltop.base.atomic_files import write_file
from rolltop.errors import InvalidInput, NotFound, PermissionDenied, SizeLimit

__all__ = ["disk_troubles", "read_plain", "write_whole"]


def write_whole(path: Path, data: bytes, *, replace: bool, durable: bool = True) -> None:
    """Write `data` so that readers see the old file or the new one; FileExistsError unless `replace`.

    `durable` waits for the disk; what can be rendered again need not.
    """
    if path.is_symlink():
        raise InvalidInput(f"{path.name} is a symbolic link", hint="Remove it; links are not written through.")
    with disk_troubles(path.name):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, data, mode=0o644, durable=durable, overwrite=replace)


@contextlib.contextmanager
def disk_troubles(name: str) -> Iterator[None]:
    """A full or read-only disk is said as what it is: no defect, and nothing was changed."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise SizeLimit(
                f"{name} could not be written: {error.strerror}",
                hint="Free some space where the workspace lies; what was there before is unchanged.",
            ) from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise PermissionDenied(
                f"{name} could not be written: {error.strerror}",
                hint="Let the user that runs rolltop write to the workspace, or choose another one.",
            ) from None
        raise


def read_plain(path: Path, limit: int) -> bytes:
    """The bytes of a regular file that is no link and not larger than `limit`."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotFound(f"{path.name} does not exist", code="document_not_found") from None
    except OSError as error:
        raise InvalidInput(f"{path.name} cannot be read: {error.strerror}") from None
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise InvalidInput(f"{path.name} is not a regular file")
        if info.st_size > limit:
            raise SizeLimit(f"{path.name} is larger than {limit >> 20} MiB")
        return file.read(limit + 1)
