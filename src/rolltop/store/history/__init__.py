"""Snapshots, comparing and restoring them, and archives with every version."""

from rolltop.store.history.snapshots import Change, History

__all__ = ["Change", "History"]
