"""The embedded grep index: a directory of trigram segments that follow the catalogue's frames."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rolltop.base.os_errors import ignoring_write_errors
from rolltop.store.grep.layout import FrameTable
from rolltop.store.grep.segments import WIDEST, BadSegment, Segment, write_segment
from rolltop.store.records import Frame
from rolltop.store.seams import Trigrams

__all__ = ["SegmentDirectory"]

SMALLEST_RUN = 32
"""A run of fewer new frames than this is searched directly rather than indexed."""


class SegmentDirectory:
    """A `GrepIndex` of files. Any process may add segments; a reader uses those that fit the catalogue."""

    def __init__(self, directory: Path, name: str = "grep") -> None:
        self.directory = directory
        self.name = name
        with ignoring_write_errors():  # without segments, everything is searched directly
            directory.mkdir(parents=True, exist_ok=True)
        for left in directory.glob("*.tmp"):  # from a process that died while it wrote one
            if time.time() - left.stat().st_mtime > 3600:
                with ignoring_write_errors():
                    left.unlink(missing_ok=True)
        self._open: dict[str, Segment] = {}
        self._lock = threading.Lock()
        self._fitting: tuple[FrameTable, list[Segment], list[Segment]] | None = None

    def segments(self, table: FrameTable) -> list[Segment]:
        """The segments that cover some of these frames and still fit them, without overlap, in order."""
        readable = self._readable()
        if self._fitting is not None and self._fitting[0] is table and self._fitting[1] == readable:
            return self._fitting[2]
        chosen: list[Segment] = []
        for segment in readable:
            if chosen and segment.first <= chosen[-1].last:
                continue
            if table.fingerprint(*table.between(segment.first, segment.last)) == segment.fingerprint:
                chosen.append(segment)
        self._fitting = (table, readable, chosen)
        return chosen

    def _readable(self) -> list[Segment]:
        with self._lock:
            names = {path.name for path in self.directory.glob("*.tri")}
            for name in self._open.keys() - names:
                del self._open[name]
            for name in names - self._open.keys():
                with contextlib.suppress(BadSegment):
                    self._open[name] = Segment(self.directory / name)
            # Of two that begin together the longer one is the merged one.
            return sorted(self._open.values(), key=lambda segment: (segment.first, -segment.last))

    def candidates(self, table: FrameTable, asked: Trigrams) -> NDArray[np.int64]:
        """The places of the frames that may hold a match: those that no segment excludes."""
        possible = np.ones(len(table.numbers), np.bool_)
        for segment in self.segments(table):
            low, high = table.between(segment.first, segment.last)
            try:
                possible[low:high] = np.isin(table.numbers[low:high], segment.frames(asked), assume_unique=True)
            except BadSegment:
                self._drop(segment)
        return np.flatnonzero(possible)

    def _drop(self, segment: Segment) -> None:
        """A damaged segment is not asked again; its frames are searched directly until it is rebuilt."""
        with self._lock:
            self._open.pop(segment.path.name, None)
            with ignoring_write_errors():
                segment.path.unlink(missing_ok=True)

    def missing(self, table: FrameTable, *, least: int = SMALLEST_RUN) -> Iterator[list[Frame]]:
        """Runs of frames that want a segment: those that have none, joined with a short segment before them."""
        segments = self.segments(table)
        covered = np.zeros(len(table.numbers), np.bool_)
        for segment in segments:
            covered[slice(*table.between(segment.first, segment.last))] = True
        before = {table.between(segment.first, segment.last)[1]: segment for segment in segments}
        for low, high in _runs(table, covered):
            if high - low >= least:
                yield table.frames[self._widened(table, before, low, high) : high]

    def _widened(self, table: FrameTable, before: dict[int, Segment], low: int, high: int) -> int:
        """Take in the segments just before, while that at most quadruples the work and they fit in one."""
        start = low
        while (segment := before.get(start)) is not None:
            first = table.between(segment.first, segment.last)[0]
            too_wide = table.numbers[high - 1] - table.numbers[first] >= WIDEST
            if too_wide or start - first > 4 * (high - low):
                break
            start = first
        return start

    def add(self, table: FrameTable, frames: Sequence[Frame], contents: Iterable[bytes]) -> None:
        """Cover some frames with a segment; shorter ones that it replaces go."""
        mark = table.fingerprint(*table.between(frames[0].id, frames[-1].id))
        written = write_segment(self.directory, [frame.id for frame in frames], contents, mark)
        self._forget(written.name)
        for segment in self._readable():
            inside = frames[0].id <= segment.first and segment.last <= frames[-1].id
            if inside and segment.path != written:
                self._drop(segment)

    def drop_stale(self, table: FrameTable) -> list[str]:
        """Remove segments that are damaged or no longer fit the catalogue; their names."""
        gone = self._stale(table)
        for path in gone:
            path.unlink(missing_ok=True)
        return [path.name for path in gone]

    def _stale(self, table: FrameTable) -> list[Path]:
        good = {segment.path for segment in self.segments(table)}
        return [path for path in sorted(self.directory.glob("*.tri")) if path not in good]

    def damage(self, table: FrameTable) -> list[str]:
        """What is wrong with the segments in use."""
        found = [f"grep index: {path.name} is damaged or stale" for path in self._stale(table)]
        for segment in self.segments(table):
            try:
                segment.check()
            except BadSegment as error:
                found.append(f"grep index: {segment.path.name}: {error}")
        return found

    # shared with other servers -------------------------------------------------------------------

    def mark(self) -> int:
        """The last frame that a segment covers; see `rolltop.store.replication.Part`."""
        return _last(self.directory)

    def near(self) -> Path:
        return self.directory

    def snapshot(self, target: Path) -> int:
        """Link the segments into a directory."""
        with self._lock:
            for path in self.directory.glob("*.tri"):
                os.link(path, target / path.name)
        return _last(target)

    def adopt(self, source: Path) -> bool:
        """Take segments over in place of those that are here; which of them fit, the catalogue decides."""
        names = {path.name for path in source.glob("*.tri")}
        for name in names:
            (source / name).replace(self.directory / name)
            self._forget(name)
        for path in self.directory.glob("*.tri"):
            if path.name not in names:
                path.unlink(missing_ok=True)
        return True

    def _forget(self, name: str) -> None:
        """Open a segment anew, because another one has its name now."""
        with self._lock:
            self._open.pop(name, None)

    def clear(self) -> None:
        for path in self.directory.glob("*.tri"):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            self._open.clear()


def _runs(table: FrameTable, covered: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Stretches of frames without a segment, none wider than a segment may be."""
    places = np.flatnonzero(~covered)
    start = previous = -2
    for place in places.tolist():
        too_wide = start >= 0 and table.numbers[place] - table.numbers[start] >= WIDEST
        if place != previous + 1 or too_wide:
            if start >= 0:
                yield start, previous + 1
            start = place
        previous = place
    if start >= 0:
        yield start, previous + 1


def _last(directory: Path) -> int:
    """The highest frame that the names of segments name."""
    return max((int(path.stem.rpartition("-")[2]) for path in directory.glob("*.tri")), default=0)
