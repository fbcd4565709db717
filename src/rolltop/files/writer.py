"""Write a file into an open directory: whole or not at all, and never through a link."""

from __future__ import annotations

import os
import secrets
import stat

from rolltop.base.atomic_files import Identity, write_file
from rolltop.errors import Conflict, InvalidInput

__all__ = ["put_back", "set_aside", "state_of", "write_whole"]


def write_whole(
    directory: int, name: str, data: bytes, *, overwrite: bool, expected: Identity | None = None
) -> Identity:
    """Write `data` as `name`. A link of that name is replaced, not followed."""
    try:
        return write_file(name, data, mode=0o644, overwrite=overwrite, expected=expected, dir_fd=directory)
    except FileExistsError:
        raise Conflict("a file of that name exists already", hint="Choose another name, or ask to overwrite.") from None
    except IsADirectoryError:
        raise InvalidInput("a directory of that name exists already") from None


def state_of(directory: int, name: str) -> tuple[int, int, int, int] | None:
    """Device, inode, size and time of change of what has this name, links not followed; None if nothing has."""
    try:
        info = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def set_aside(directory: int, name: str) -> str | None:
    """Give the file of this name a second, hidden one, and return it; None if there is no such file."""
    aside = f".rolltop-{secrets.token_hex(8)}.old"
    try:
        if stat.S_ISDIR(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
            return None  # the write that follows fails
        os.link(name, aside, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return aside


def put_back(directory: int, name: str, aside: str | None, ours: tuple[int, int]) -> None:
    """Undo a write: rename what was set aside back, or remove the new file. A file that is not `ours` is left alone."""
    try:
        info = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        info = None
    if info is not None and (info.st_dev, info.st_ino) != ours:
        if aside is not None:
            os.unlink(aside, dir_fd=directory)
    elif aside is not None:
        os.replace(aside, name, src_dir_fd=directory, dst_dir_fd=directory)
    elif info is not None:
        os.unlink(name, dir_fd=directory)
