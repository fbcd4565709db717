"""Where the vectors of one model lie: in `<model>-<fingerprint>`, or in the highest `<model>-<fingerprint>.<n>`.

A server that takes vectors over from another one puts them beside its own, under the next number.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from rolltop.base.atomic_files import flush_directory

__all__ = ["Editions"]


class Editions:
    """The directories of one model."""

    def __init__(self, directory: Path, name: str) -> None:
        self._all = directory
        self.name = name

    def _number(self, path: Path) -> int | None:
        name, _, number = path.name.rpartition(".")
        if path.name == self.name:
            return 0
        return int(number) if name == self.name and number.isdigit() else None

    def latest(self) -> Path:
        """The one that counts."""
        places = self._all.iterdir() if self._all.is_dir() else ()
        highest = max((number for path in places if (number := self._number(path)) is not None), default=0)
        return self._path(highest)

    def _path(self, number: int) -> Path:
        return self._all / (f"{self.name}.{number}" if number else self.name)

    def install(self, place: Path) -> None:
        """Let a directory take the place of the latest."""
        old = self.latest()
        place.rename(self._path((self._number(old) or 0) + 1))
        flush_directory(self._all)
        shutil.rmtree(old, ignore_errors=True)
