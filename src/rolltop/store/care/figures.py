"""Figures about the store that hold to the byte."""

from __future__ import annotations

from dataclasses import replace

from rolltop.store.records import Stats
from rolltop.store.seams import Catalog

__all__ = ["stats_of"]


def stats_of(catalog: Catalog) -> Stats:
    """What documents and versions hold, and what that takes on disk."""
    with catalog.snapshot():
        stats = catalog.figures.stats()
        if not stats.deleted_documents and not catalog.snapshots.all():
            return stats
        # Some blocks belong to nothing but a deleted document or a snapshot: count those that are in use.
        used = _used_blocks(catalog)
    return replace(stats, unique_bytes=sum(used.values()), unique_blocks=len(used))


def _used_blocks(catalog: Catalog) -> dict[int, int]:
    """The leaves that documents and their versions reach, with their sizes."""
    entries = {entry.id: entry for entry in catalog.objects.everything()}
    used: dict[int, int] = {}
    for number in catalog.objects.in_use():
        for leaf in entries[number].parts or (number,):
            used[leaf] = entries[leaf].size
    return used
