"""Figures about the store that hold to the byte."""

from __future__ import annotations

from dataclasses import replace

from rolltop.store.core import Core
from rolltop.store.records import Stats

__all__ = ["Counting"]


class Counting(Core):
    """The counting part of the library."""

    def stats(self) -> Stats:
        """What documents and versions hold, and what that takes on disk."""
        with self.catalog.snapshot():
            stats = self.catalog.figures.stats()
            if not stats.deleted_documents and not self.catalog.snapshots.all():
                return stats
            # Some blocks belong to nothing but a deleted document or a snapshot: count those that are in use.
            used = self._used_blocks()
        return replace(stats, unique_bytes=sum(used.values()), unique_blocks=len(used))

    def _used_blocks(self) -> dict[int, int]:
        """The leaves that documents and their versions reach, with their sizes."""
        entries = {entry.id: entry for entry in self.catalog.objects.everything()}
        used: dict[int, int] = {}
        for number in self.catalog.objects.in_use():
            for leaf in entries[number].parts or (number,):
                used[leaf] = entries[leaf].size
        return used
