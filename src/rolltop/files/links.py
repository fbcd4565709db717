"""Recognise hard links to closed files by device and inode."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from rolltop.files.denied import Denied

__all__ = ["Links"]

_FRESH = 2.0
"""Seconds that the inodes are cached; a tool reads many files in a row."""

_MOST = 100_000
"""Entries that are read in one closed place, so that a large one does not keep the others from being read."""


class Links:
    """The inodes of closed files. Only asked about files with several names, which are few."""

    def __init__(self, denied: Denied) -> None:
        self._denied = denied
        self._lock = threading.Lock()
        self._known: frozenset[tuple[int, int]] = frozenset()
        self._until = 0.0

    def lead_to_denied(self, info: os.stat_result) -> bool:
        with self._lock:
            if time.monotonic() > self._until:
                self._known = frozenset(self._numbers())
                self._until = time.monotonic() + _FRESH
            return (info.st_dev, info.st_ino) in self._known

    def _numbers(self) -> Iterator[tuple[int, int]]:
        for place in self._denied.small_places():
            yield from _numbers_in(place)


def _numbers_in(top: Path) -> Iterator[tuple[int, int]]:
    seen, waiting = 0, [top]
    while waiting and seen < _MOST:
        place = waiting.pop()
        try:
            info = os.lstat(place)
            if not stat.S_ISDIR(info.st_mode):
                yield info.st_dev, info.st_ino
                continue
            with os.scandir(place) as entries:
                for entry in entries:
                    seen += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    else:
                        found = entry.stat(follow_symlinks=False)
                        yield found.st_dev, found.st_ino
        except OSError:
            continue
