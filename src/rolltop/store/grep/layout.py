"""What lies in which frame: the map from a hit to its leaf and its documents, kept in memory and followed on."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rolltop.store.records import Frame
from rolltop.store.seams import Catalog

__all__ = ["FrameTable", "Layout"]

Numbers = NDArray[np.int64]


class FrameTable:
    """The frames there are, in order."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self.frames = list(frames)
        rows = [(frame.id, frame.raw, frame.place.length) for frame in self.frames]
        self._facts: Numbers = np.array(rows, np.int64).reshape(-1, 3)
        self.numbers: Numbers = np.ascontiguousarray(self._facts[:, 0])

    def extended(self, frames: Sequence[Frame]) -> FrameTable:
        return FrameTable([*self.frames, *frames]) if frames else self

    def between(self, first: int, last: int) -> tuple[int, int]:
        """The places of the frames with numbers from first to last."""
        low, high = np.searchsorted(self.numbers, (first, last + 1))
        return int(low), int(high)

    def fingerprint(self, low: int, high: int) -> int:
        """What a segment over these places was built from: if the frames are others now, it is stale."""
        return zlib.crc32(self._facts[low:high].tobytes())


class Layout:
    """Frames, the leaves in them, and the lists that leaves belong to."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._reset(-1)

    def _reset(self, epoch: int) -> None:
        self._epoch = epoch
        self.table = FrameTable([])
        self._last_object = 0
        self._leaves: Numbers = np.empty((0, 4), np.int64)  # frame, start, size, id
        self.parents: dict[int, list[int]] = {}
        self.unaligned: set[int] = set()

    def refresh(self) -> None:
        """Follow the catalogue."""
        with self._lock, self._catalog.snapshot():
            self._follow_frames()
            self._follow_objects()

    def frames(self) -> FrameTable:
        """The frames there are now. What lies in them is a longer question, and is asked by who maps hits."""
        with self._lock, self._catalog.snapshot():
            self._follow_frames()
            return self.table

    def _follow_frames(self) -> None:
        epoch = self._catalog.objects.epoch()
        if epoch != self._epoch:
            self._reset(epoch)
        last = int(self.table.numbers[-1]) if len(self.table.numbers) else 0
        self.table = self.table.extended(self._catalog.objects.frames(after=last))

    def _follow_objects(self) -> None:
        after = self._last_object
        rows = self._catalog.objects.layout(after)
        lists = self._catalog.objects.lists(after)
        if rows:
            joined = np.concatenate([self._leaves, np.array(rows, np.int64)])
            self._leaves = joined[np.lexsort((joined[:, 1], joined[:, 0]))]
        for entry in lists:
            for leaf in entry.parts or ():
                self.parents.setdefault(leaf, []).append(entry.id)
            if not entry.aligned:
                self.unaligned.add(entry.id)
        self._last_object = max([after, *(row[3] for row in rows[-1:]), *(entry.id for entry in lists)])

    def is_in_use(self, frame: int) -> bool:
        """Whether any leaf lies in a frame."""
        return bool(len(self.leaves_in(np.array([frame], np.int64))[2]))

    def leaves_in(self, frames: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """(place in `frames`, start, id) of the leaves in some frames, in order."""
        column = self._leaves[:, 0]
        low, high = np.searchsorted(column, frames, "left"), np.searchsorted(column, frames, "right")
        counts = high - low
        which = np.repeat(np.arange(len(frames)), counts)
        first = np.repeat(low - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        rows = first + np.arange(len(which))
        return which, self._leaves[rows, 1], self._leaves[rows, 3]

    def frames_of(self, leaves: Numbers) -> Numbers:
        """The frames that hold some leaves."""
        return np.unique(self._leaves[np.isin(self._leaves[:, 3], leaves), 0])
