"""Documents that are kept for a while: metadata `forget_after` says until when."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from rolltop.store.blobs.writer import Writer
from rolltop.store.follower import Pressing, Task
from rolltop.store.records import Document
from rolltop.store.times import format_time, now, parse_time

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Expiry"]

LONGEST_WAIT = 60.0
"""Seconds between two looks while documents wait for their time: it is kept to the minute."""
MOST = 1000
"""Documents that one transaction deletes."""
_LAST = "9999-12-31T23:59:59Z"

log = logging.getLogger(__name__)


class Expiry:
    """Deletes the documents of a library whose time is over."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.task = Task("expiry of documents", self._follow, for_itself=True)

    def begin(self) -> None:
        """Look once, and from then on as long as documents wait for their time."""
        options = self._library.options
        if options.read_only or options.mending:
            return
        if options.background:
            self._library.follower.wanted(self.task)
        elif self._next() is not None:
            self.run()

    def run(self) -> list[Document]:
        """Delete what is due; `undo` brings it back, to stay."""
        forgotten: list[Document] = []
        while due := self._library.catalog.tags.expiring(format_time(now()), MOST):
            forgotten += self._library.write(partial(self._delete, [number for number, _ in due]))
        if forgotten:
            log.info("%d documents were deleted, as their forget_after said", len(forgotten))
        return forgotten

    def _delete(self, due: list[int], _: Writer) -> list[Document]:
        catalog = self._library.catalog
        found = [document for number in due if (document := catalog.documents.get(number))]
        catalog.documents.delete(found, now())
        return found

    def _next(self) -> int | None:
        """When the next document is due."""
        first = self._library.catalog.tags.expiring(_LAST, 1)
        return parse_time(first[0][1]) if first else None

    def _follow(self, _: Pressing) -> bool:
        """Delete what is due; whether no document waits for its time."""
        self.run()
        following = self._next()
        if following is None:
            return True
        self.task.not_before = time.monotonic() + min(max((following - now()) / 1e9, 0.1), LONGEST_WAIT)
        return False
