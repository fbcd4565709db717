"""The library: one directory of documents, with everything that can be done with it."""

from __future__ import annotations

from rolltop.store.checking import Checking
from rolltop.store.counting import Counting
from rolltop.store.deleting import Deleting
from rolltop.store.finding import Finding
from rolltop.store.history import History
from rolltop.store.searching import Searching

__all__ = ["Library"]


class Library(History, Searching, Finding, Deleting, Checking, Counting):
    """Keeps documents by content and finds them again.

    >>> library = Library(Path("desk/store"))
    >>> library.add_text("notes/today.md", "Buy milk", tags=["errand"])
    >>> library.document("today.md").hash
    """
