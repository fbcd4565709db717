"""What writing a file safely needs of the operating system."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["flush_directory", "is_read_only"]


def flush_directory(directory: Path) -> None:
    """Flush a directory's entries to disk, so that a renamed file is there after a crash."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
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
