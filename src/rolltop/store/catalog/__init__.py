"""The embedded catalogue: one SQLite file that is the only truth about documents, names, versions, tags,
metadata, snapshots and where their bytes lie. Every index of the store can be built again from it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from rolltop.store.blobs.commit_mark import Reach
from rolltop.store.catalog.connection import Database
from rolltop.store.catalog.documents import Documents, NewDocument
from rolltop.store.catalog.listings import Listings
from rolltop.store.catalog.objects import Objects
from rolltop.store.catalog.row_repair import mend_rows
from rolltop.store.catalog.snapshots import Figures, Snapshots
from rolltop.store.catalog.tags import Tags
from rolltop.store.records import Frame, Object

__all__ = ["NewDocument", "SqliteCatalog"]


class SqliteCatalog:
    """A `Catalog` in one SQLite file; see `rolltop.store.seams`."""

    def __init__(self, path: Path) -> None:
        self._db = Database(path)
        self.objects = Objects(self._db)
        self.documents = Documents(self._db)
        self.tags = Tags(self._db)
        self.listings = Listings(self._db)
        self.snapshots = Snapshots(self._db)
        self.figures = Figures(self._db)

    def transaction(self) -> AbstractContextManager[None]:
        """Everything inside, or nothing; durable when it ends."""
        return self._db.transaction()

    def savepoint(self) -> AbstractContextManager[None]:
        """A part of a transaction that can fail alone."""
        return self._db.savepoint()

    def snapshot(self) -> AbstractContextManager[None]:
        """Several reads that see one state."""
        return self._db.snapshot()

    def identity(self) -> str:
        """The store's own random name."""
        return str(self._db.value("SELECT value FROM meta WHERE key = 'store'"))

    def reach(self) -> Reach:
        """How far this catalogue has come."""
        store, change, pack, length = self._db.all(
            "SELECT (SELECT value FROM meta WHERE key = 'store'), (SELECT value FROM meta WHERE key = 'change'), "
            "id, length FROM packs ORDER BY id DESC LIMIT 1"
        )[0]
        return Reach(store, change, pack, length)

    def damage(self) -> list[str]:
        """What the catalogue itself finds wrong with its structure."""
        return [line for line in self._db.damage(100) if line != "ok"]

    def mend(self, holds: Callable[[Object], bool], whole: Callable[[Frame], bool]) -> list[str]:
        """Turn flipped bits in rows back; what was mended. `holds` checks the bytes of a leaf, `whole` a frame."""
        mended = mend_rows(self._db, holds, whole)
        self._db.damaged.clear()
        return mended

    def damaged_documents(self) -> int:
        """How many documents answers have left out because their rows are damaged."""
        return len(self._db.damaged)

    def checkpoint(self) -> None:
        self._db.checkpoint()

    def close(self) -> None:
        self._db.close()
