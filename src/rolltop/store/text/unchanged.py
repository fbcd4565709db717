"""Whether the files of a state of the index are still those that were opened.

They are written once and mapped. Who writes over one changes what is found without an error: a word that is not there
any more is a word that no document has. So their times are looked at now and then, and where one is another, the file.
"""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

from rolltop.store.text.checksums import is_sound

__all__ = ["Unchanged"]

EVERY = 1.0
"""Seconds between two looks."""

_WRITTEN_ONCE = (".term", ".idx", ".pos", ".fast", ".fieldnorm")

_Stamp = tuple[int, int, int]


class Unchanged:
    """Remembers the files of a directory as they are now."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._stamps = self._now()
        self._next = time.monotonic() + EVERY
        self._bad: str | None = None

    def _now(self) -> dict[str, _Stamp]:
        with os.scandir(self._directory) as entries:
            files = [entry for entry in entries if entry.name.endswith(_WRITTEN_ONCE)]
            return {entry.name: _stamp(entry) for entry in files}

    @classmethod
    def of_nothing(cls) -> Unchanged:
        """For an index that has no files."""
        nothing = cls.__new__(cls)
        nothing._stamps, nothing._bad, nothing._next = {}, None, math.inf
        return nothing

    def check(self) -> None:
        """Raise ValueError where a file was overwritten; one that is gone is still mapped as it was."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self._bad = self._bad or self._overwritten()
        if self._bad:
            raise ValueError(f"{self._bad} was overwritten")

    def _overwritten(self) -> str | None:
        try:
            now = self._now()
            others = [name for name, stamp in self._stamps.items() if now.get(name, stamp) != stamp]
            self._stamps.update({name: now[name] for name in others})
            return next((name for name in others if not is_sound(self._directory / name)), None)
        except FileNotFoundError:
            return None  # merged with others, or the whole index was begun again


def _stamp(entry: os.DirEntry[str]) -> _Stamp:
    status = entry.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size
