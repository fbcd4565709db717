"""Earlier texts of documents and their side files, so that replacing and deleting loses nothing.

`rmd/.versions/NAME/000001` and so on, where NAME is the file's path below `rmd/` with its special characters quoted. A
version is a second name (hard link) of the file that was replaced: keeping it costs no copy, and no writer changes a
file in place. Callers hold the lock of the directory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from rolltop.errors import NotFound
from rolltop.reports.files.atomic_files import disk_troubles, read_plain

__all__ = ["Version", "Versions"]

KEPT = 1000
"""Versions of one file; beyond them the oldest goes."""
_LONGEST = 180


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier state of a file. `modified` is when that state was written."""

    number: int
    size: int
    modified: float


class Versions:
    def __init__(self, root: Path) -> None:
        self.root = root

    def keep(self, path: Path, relative: str) -> int | None:
        """Keep the file that is at `path` now; None when there is none."""
        if path.is_symlink() or not path.is_file():
            return None
        place = self._place(relative)
        kept = self._numbers(place)
        number = kept[-1] + 1 if kept else 1
        with disk_troubles(path.name):
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.link(path, place / f"{number:06d}", follow_symlinks=False)
        for old in kept[: len(kept) + 1 - KEPT]:
            with contextlib.suppress(FileNotFoundError):
                (place / f"{old:06d}").unlink()
        return number

    def all(self, relative: str) -> list[Version]:
        """The versions of a file, the newest first."""
        place, found = self._place(relative), []
        for number in reversed(self._numbers(place)):
            with contextlib.suppress(FileNotFoundError):
                info = (place / f"{number:06d}").stat()
                found.append(Version(number, info.st_size, info.st_mtime))
        return found

    def read(self, relative: str, number: int, limit: int) -> bytes:
        try:
            return read_plain(self._place(relative) / f"{number:06d}", limit)
        except NotFound:
            known = ", ".join(str(each.number) for each in self.all(relative)[:10]) or "none"
            raise NotFound(
                f"{relative} has no version {number}", code="document_not_found", hint=f"There are: {known}."
            ) from None

    def _place(self, relative: str) -> Path:
        name = quote(relative, safe=" ")
        if len(name) > _LONGEST:
            name = f"{name[:_LONGEST]}-{hashlib.sha256(relative.encode()).hexdigest()[:16]}"
        return self.root / name

    @staticmethod
    def _numbers(place: Path) -> list[int]:
        try:
            return sorted(int(name) for name in os.listdir(place) if name.isdecimal())
        except FileNotFoundError:
            return []
