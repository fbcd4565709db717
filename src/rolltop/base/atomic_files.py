"""Write a file so that readers see the old bytes or the new ones, also after a crash.

This is the only place that writes beside a file and renames: `write_file` for bytes at hand, `atomic_file` for bytes
that arrive in pieces.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from rolltop.errors import Conflict

__all__ = ["atomic_file", "flush_directory", "identity_of", "is_read_only", "remove_leftovers", "write_file"]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW

Identity = tuple[int, int]
"""Device and inode of a file."""


def write_file(
    path: str | os.PathLike[str],
    data: bytes,
    *,
    mode: int = 0o600,
    durable: bool = True,
    overwrite: bool = True,
    keep_attributes: bool = False,
    expected: Identity | None = None,
    dir_fd: int | None = None,
) -> Identity:
    """Write `data` to `path` in one step; the options are those of `atomic_file`. Returns the new file's identity."""
    with atomic_file(
        path,
        mode=mode,
        durable=durable,
        overwrite=overwrite,
        keep_attributes=keep_attributes,
        expected=expected,
        dir_fd=dir_fd,
    ) as file:
        file.write(data)
        info = os.fstat(file.fileno())
    return info.st_dev, info.st_ino


@contextlib.contextmanager
def atomic_file(
    path: str | os.PathLike[str],
    *,
    mode: int = 0o600,
    durable: bool = True,
    overwrite: bool = True,
    keep_attributes: bool = False,
    expected: Identity | None = None,
    dir_fd: int | None = None,
    buffering: int = -1,
) -> Iterator[BinaryIO]:
    """Open a draft beside `path` that gets its name when the block ends, and is removed if the block fails.

    `durable` flushes the file and its directory to disk. Without `overwrite` an existing file raises FileExistsError.
    `keep_attributes` gives the new file the mode and owner of the old one; `mode` is for a file that is new.
    `expected` is the identity of the file that may be replaced: another one raises `Conflict`. With `dir_fd`, `path`
    is a name in that open directory. A symbolic link of that name is replaced, never followed.
    """
    folder, name = os.path.split(os.fspath(path))
    draft = os.path.join(folder, _draft_name(name))
    before = _state(path, dir_fd) if keep_attributes else None
    descriptor = os.open(draft, _NEW, mode if before is None else 0o600, dir_fd=dir_fd)
    try:
        with open(descriptor, "wb", buffering) as file:
            if before is not None:
                _copy_attributes(descriptor, before)
            yield file
            if durable:
                file.flush()
                os.fsync(descriptor)
        if expected is not None and identity_of(path, dir_fd=dir_fd) != expected:
            raise Conflict(f"{name} was replaced in the meantime", hint="Look at it again, then repeat the call.")
        if overwrite:
            os.replace(draft, path, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
        else:
            # A hard link fails if the name is taken, in one step; a check before a rename would not.
            os.link(draft, path, src_dir_fd=dir_fd, dst_dir_fd=dir_fd, follow_symlinks=False)
            os.unlink(draft, dir_fd=dir_fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft, dir_fd=dir_fd)
        raise
    if durable:
        with contextlib.suppress(PermissionError):  # a directory that may be written but not read cannot be flushed
            flush_directory(folder or ".", dir_fd=dir_fd)


def identity_of(path: str | os.PathLike[str], *, dir_fd: int | None = None) -> Identity | None:
    """Device and inode of what has this name now, links not followed; None if nothing has."""
    info = _state(path, dir_fd)
    return None if info is None else (info.st_dev, info.st_ino)


def remove_leftovers(path: Path) -> None:
    """Remove drafts of `path` that killed writers left. Call it under the lock that writers of `path` take."""
    prefix = _draft_prefix(path.name)
    for entry in path.parent.iterdir():
        if entry.name.startswith(prefix) and entry.name.endswith(".tmp"):
            with contextlib.suppress(OSError):
                entry.unlink()


def flush_directory(directory: str | os.PathLike[str], *, dir_fd: int | None = None) -> None:
    """Flush a directory's entries to disk, so that a renamed file is there after a crash."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=dir_fd)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_read_only(path: Path) -> bool:
    """True if `path` lies on a file system that is mounted read-only."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _draft_prefix(name: str) -> str:
    # A name may have 255 bytes: a long one is cut to leave room for the rest.
    return f".{os.fsencode(name)[:200].decode('utf-8', 'ignore')}."


def _draft_name(name: str) -> str:
    return f"{_draft_prefix(name)}{os.urandom(6).hex()}.tmp"


def _state(path: str | os.PathLike[str], dir_fd: int | None) -> os.stat_result | None:
    try:
        return os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _copy_attributes(descriptor: int, before: os.stat_result) -> None:
    with contextlib.suppress(PermissionError):  # only root gives files away
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
