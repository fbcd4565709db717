"""What lies in which frame: the map from a hit to its leaf and its documents, kept in memory and followed on."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rolltop.store.records import Frame
from rolltop.store.seams import Catalog

__all__ = ["FrameTable", "Layout", "LayoutView"]

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


@dataclass(frozen=True, slots=True)
class LayoutView:
    """Frames, the leaves in them and the lists they belong to, as of one state of the catalogue."""

    table: FrameTable
    leaves: Numbers
    """Rows of (frame, start, size, id), in order."""
    parents: Mapping[int, Sequence[int]]
    unaligned: Set[int]

    def is_in_use(self, frame: int) -> bool:
        """True if any leaf lies in the frame."""
        return bool(len(self.leaves_in(np.array([frame], np.int64))[2]))

    def leaves_in(self, frames: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """(place in `frames`, start, id) of the leaves in some frames, in order."""
        column = self.leaves[:, 0]
        low, high = np.searchsorted(column, frames, "left"), np.searchsorted(column, frames, "right")
        counts = high - low
        which = np.repeat(np.arange(len(frames)), counts)
        first = np.repeat(low - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        rows = first + np.arange(len(which))
        return which, self.leaves[rows, 1], self.leaves[rows, 3]

    def frames_of(self, leaves: Numbers) -> Numbers:
        """The frames that hold some leaves."""
        return np.unique(self.leaves[np.isin(self.leaves[:, 3], leaves), 0])


class Layout:
    """Follows the catalogue. The table of frames alone may be ahead of what is known of the leaves in them, so a
    search takes a `view`, in which both are of one moment, and asks nothing else."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._reset(-1)

    def _reset(self, epoch: int) -> None:
        self._epoch = epoch
        self._table = FrameTable([])
        self._last_object = 0
        self._leaves: Numbers = np.empty((0, 4), np.int64)
        self._parents: dict[int, tuple[int, ...]] = {}
        self._unaligned: frozenset[int] = frozenset()

    def view(self) -> LayoutView:
        """What lies where in the catalogue's present state."""
        with self._lock, self._catalog.snapshot():
            self._follow_frames()
            self._follow_objects()
            return LayoutView(self._table, self._leaves, self._parents, self._unaligned)

    def frames(self) -> FrameTable:
        """The frames there are now. What lies in them is a longer question."""
        with self._lock, self._catalog.snapshot():
            self._follow_frames()
            return self._table

    @property
    def known_frames(self) -> FrameTable:
        """The frames as of the last look."""
        return self._table

    def _follow_frames(self) -> None:
        epoch = self._catalog.objects.epoch()
        if epoch != self._epoch:
            self._reset(epoch)
        last = int(self._table.numbers[-1]) if len(self._table.numbers) else 0
        self._table = self._table.extended(self._catalog.objects.frames(after=last))

    def _follow_objects(self) -> None:
        after = self._last_object
        rows = self._catalog.objects.layout(after)
        lists = self._catalog.objects.lists(after)
        if rows:
            joined = np.concatenate([self._leaves, np.array(rows, np.int64)])
            self._leaves = joined[np.lexsort((joined[:, 1], joined[:, 0]))]
        if lists:
            # Views that are in use keep theirs.
            self._parents = dict(self._parents)
            for entry in lists:
                for leaf in entry.parts or ():
                    self._parents[leaf] = (*self._parents.get(leaf, ()), entry.id)
            self._unaligned |= {entry.id for entry in lists if not entry.aligned}
        self._last_object = max([after, *(row[3] for row in rows[-1:]), *(entry.id for entry in lists)])
