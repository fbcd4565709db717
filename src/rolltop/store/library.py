"""The library: one directory of documents, with everything that can be done with it."""

from __future__ import annotations

from typing import Self

from rolltop.store.care.figures import Counting
from rolltop.store.care.repair import Mending
from rolltop.store.documents.deletion import Deleting
from rolltop.store.graph import Relating
from rolltop.store.history.archive import Transfer
from rolltop.store.history.snapshot_files import Restoring
from rolltop.store.search.hybrid_search import Understanding

__all__ = ["Library"]


class Library(Restoring, Transfer, Understanding, Relating, Deleting, Mending, Counting):
    """Keeps documents by content and finds them again.

    >>> with Library(Path("desk/store")) as library:
    ...     library.add_text("notes/today.md", "Buy milk", tags=["errand"])
    ...     library.document("today.md").hash
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
