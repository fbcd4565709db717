"""Detect index files that were overwritten after they were opened.

The files of a segment are written once and then mapped. Overwriting one changes answers without an error: a word whose
bytes are gone is a word that no document has. So the size and time of every file that the opened index names are
compared now and then; where they differ, the checksum in the file decides. Files that the opened index does not name
are still being written, or belong to another state: they say nothing about this one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from rolltop.store.text.disk_index.checksums import is_sound

__all__ = ["OverwriteCheck"]

EVERY = 1.0
"""Seconds between two checks."""

_WRITTEN_ONCE = ("term", "idx", "pos", "fast", "fieldnorm")

_Stamp = tuple[int, int, int]


class OverwriteCheck:
    """Remembers the files of the given segments of an index as they are now."""

    def __init__(self, directory: Path, segments: Iterable[str] = ()) -> None:
        self._paths = [directory / f"{segment}.{suffix}" for segment in segments for suffix in _WRITTEN_ONCE]
        self._stamps = {path: _stamp(path) for path in self._paths}
        self._next = time.monotonic() + EVERY
        self._bad: str | None = None

    def check(self) -> None:
        """Raise ValueError if a file was overwritten. A file that is gone is still mapped as it was."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self._bad = self._bad or self._overwritten()
        if self._bad:
            raise ValueError(f"{self._bad} was overwritten")

    def _overwritten(self) -> str | None:
        for path, before in self._stamps.items():
            now = _stamp(path)
            if now is not None and before is not None and now != before:
                self._stamps[path] = now
                try:
                    if not is_sound(path):
                        return path.name
                except FileNotFoundError:
                    continue  # merged with others meanwhile
        return None


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
