"""Replace a file as one step: whoever reads sees the old bytes or the new ones, also after a crash."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from rolltop.base.atomic_files import flush_directory
from rolltop.guide.errors import ConfigUnwritable

__all__ = ["replace_file"]


def replace_file(path: Path, data: bytes) -> None:
    """Write `data` beside `path`, flush it to the disk, and rename it over. The caller holds the lock."""
    try:
        _remove_leftovers(path)
        _replace(path, data)
    except OSError as error:
        raise ConfigUnwritable(
            f"{path} cannot be written: {error.strerror}",
            hint="Check the disk and the permissions; the file is as it was.",
        ) from None


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _mode(path))
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    flush_directory(path.parent)


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0o600


def _remove_leftovers(path: Path) -> None:
    """What killed writers left. Under the lock nobody else is writing, so every one is dead."""
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        with contextlib.suppress(OSError):
            leftover.unlink()
