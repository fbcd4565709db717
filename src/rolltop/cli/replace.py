"""Replace a user's file as one step, and leave everything else about it as it was."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from rolltop.base.atomic_files import flush_directory
from rolltop.errors import PermissionDenied

__all__ = ["replace_file"]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def replace_file(path: Path, text: str) -> None:
    """Write `text` beside the file that `path` leads to, flush it to the disk, and rename it over.

    A link stays a link: what it leads to is replaced. The file keeps its mode and owner; a new one is for its
    user alone, because such files hold the keys of other programs.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write(temporary, text.encode("utf-8"), _state(target))
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        flush_directory(target.parent)
    except OSError as error:
        raise PermissionDenied(
            f"{path} cannot be written: {error.strerror}", hint="Check the disk and the permissions; it is as it was."
        ) from None


def _write(path: Path, data: bytes, before: os.stat_result | None) -> None:
    with open(os.open(path, _NEW, 0o600), "wb") as file:
        if before is not None:
            with contextlib.suppress(PermissionError):  # only root gives files away
                os.fchown(file.fileno(), before.st_uid, before.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _state(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None
