"""The keyword index follows the catalogue: at once in memory, in large steps on disk.

A search never waits for long. What was stored last is remembered before it answers; a backlog of about a second is
worked off; a longer one is left to the background, and the answer says how much is missing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from rolltop.base.os_errors import ignoring_write_errors
from rolltop.base.priority import waiting_for_background, yield_to_requests
from rolltop.store.extract import Extracts
from rolltop.store.follower import Follower, Pressing, Task
from rolltop.store.records import Document
from rolltop.store.seams import Catalog, TextChanges, TextIndex, TextUnit

__all__ = ["Learning"]

STEP = 500
"""Documents that are asked of the catalogue at a time."""

GROUP = 2 << 20
"""Bytes of documents that are held in memory while the index learns them."""

FRESH = 128
"""Documents that are remembered before an answer; reading and cutting them takes a few hundredths of a second."""

FRESH_BYTES = 1 << 20

HELD = 8 * FRESH
"""Changes that are held in memory at most, before they are learned for good."""

WAITED_FOR = 12 << 20
"""Bytes of text that an answer waits for: about a second."""

QUIET, LATEST = 1.5, 8.0
"""Seconds: what was stored is written to disk when nothing more comes for a while, or after some time at the latest."""

TURN = 1.0
"""Seconds that the background learns before it reads texts that were stored meanwhile."""

Progress = Callable[[int, int], None]


class Learning:
    """Keeps a text index up with a catalogue."""

    def __init__(
        self,
        catalog: Catalog,
        extracts: Extracts,
        text: Callable[[], TextIndex],
        follower: Follower,
        builds: Callable[[], bool] = lambda: True,
    ) -> None:
        self._catalog = catalog
        self._extracts = extracts
        self._text = text
        self._follower = follower
        self._builds = builds
        """Whether this server learns for good; else another one does, and the index is taken over from there."""
        self.task = Task("keyword index", self._follow, QUIET, LATEST, self._crowded, TURN, is_done=self._is_done)
        self.refused = False
        """Whether nothing can be learned for good, because the disk is full or cannot be written."""

    # before an answer ----------------------------------------------------------------------------

    def freshen(self) -> int:
        """Let the index know what was stored last; how many documents it does not know yet."""
        seen = self._text().seen
        if self._catalog.documents.last_change() <= seen:
            return 0
        new = self._catalog.documents.changed(seen, FRESH + 1)
        if not new:
            return 0
        if _few(new) and seen - self._text().mark < HELD:
            self._text().remember(self._learned(new, new[-1].change))
            self._follower.wanted(self.task)
            return 0
        return self._backlog()

    def _backlog(self) -> int:
        pending, size = self._catalog.documents.pending(self._text().seen)
        builds = self._builds()
        if size <= WAITED_FOR and (self._worked_off(builds) or ((self.refused or not builds) and self._all_held())):
            return 0
        self._follower.wanted(self.task)
        latest = self._catalog.documents.latest(FRESH // 4)
        if _few(latest):
            self._text().remember(self._learned(latest, 0))
        return pending

    def _worked_off(self, builds: bool) -> bool:
        """Learn the backlog, or wait a moment for whoever is at it."""
        with ignoring_write_errors() as refused:
            if builds and self._text().learn(self._changes, wait=False) is not None:
                self.refused = False
                return True
        self.refused = bool(refused)
        if self.refused:
            return False
        self._follower.wanted(self.task)
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            if self._text().seen >= self._catalog.documents.last_change():
                return True
            with waiting_for_background():
                time.sleep(0.02)
        return False

    def _all_held(self) -> bool:
        """Remember the backlog where it cannot be learned for good, if it is not too much for that."""
        pending, size = self._catalog.documents.pending(self._text().mark)
        if pending > HELD or size > WAITED_FOR:
            return False
        while new := self._catalog.documents.changed(self._text().seen, FRESH):
            self._text().remember(self._learned(new, new[-1].change))
        return True

    def uncommitted(self) -> TextChanges:
        """What an open transaction has written: found inside it, remembered nowhere."""
        new = self._catalog.documents.changed(self._text().seen, FRESH)
        return self._learned(new, 0)

    # for good ------------------------------------------------------------------------------------

    def catch_up(self, progress: Progress | None = None, stop: Callable[[], bool] = lambda: False) -> int:
        """Learn every change there is, or all until `stop`, for good; how many documents that were."""
        started = self._text().mark
        last = self._catalog.documents.last_change()
        if started >= last:
            return 0

        def told(mark: int) -> Iterator[TextChanges]:
            for changes in self._changes(mark):
                yield changes
                if progress:
                    progress(changes.mark - started, last - started)
                if stop():
                    return

        return self._text().learn(told) or 0

    def rebuild(self, progress: Progress | None = None, stop: Callable[[], bool] = lambda: False) -> int:
        """Build the index on disk again from every document; the old one answers until the new one is there."""
        last = self._catalog.documents.last_change()

        def told(mark: int) -> Iterator[TextChanges]:
            for changes in self._changes(mark):
                yield changes
                if progress:
                    progress(changes.mark, last)
                if stop():
                    return

        return self._text().rebuild(told)

    def _changes(self, mark: int) -> Iterator[TextChanges]:
        while documents := self._catalog.documents.changed(mark, STEP):
            for group in _groups(documents):
                yield self._learned(group, group[-1].change)
            mark = documents[-1].change

    def _learned(self, documents: Sequence[Document], mark: int) -> TextChanges:
        present = [document for document in documents if document.deleted is None]
        tags = self._catalog.tags.of_many([document.id for document in present])
        units = [self._unit(document, tags.get(document.id, ())) for document in present]
        removed = [(document.id, document.change) for document in documents if document.deleted is not None]
        return TextChanges(units, removed, mark)

    def _unit(self, document: Document, tags: tuple[str, ...]) -> TextUnit:
        yield_to_requests()
        found = self._extracts.of(document)
        return TextUnit(
            document.id,
            document.name,
            document.path,
            tags,
            found.body,
            found.title,
            found.headings,
            tuple(symbol.name for symbol in found.symbols),
            document.extension,
            document.kind,
            document.change,
            not found.anchors,
        )

    # in the background ---------------------------------------------------------------------------

    def _follow(self, pressing: Pressing) -> bool:
        """Learn for good what was stored, until something else presses; whether that was all."""
        stopped = False

        def told(mark: int) -> Iterator[TextChanges]:
            nonlocal stopped
            for changes in self._changes(mark):
                yield changes
                if stopped := pressing():
                    return

        self._text().learn(told, wait=False)
        return not stopped

    def _is_done(self) -> bool:
        return not self._catalog.documents.pending(self._text().mark)[0]

    def _crowded(self) -> bool:
        return self._catalog.documents.pending(self._text().mark)[0] >= FRESH


def _few(documents: Sequence[Document]) -> bool:
    size = sum(document.size for document in documents if document.deleted is None and document.is_text)
    return len(documents) <= FRESH and size <= FRESH_BYTES


def _groups(documents: Iterable[Document]) -> Iterator[list[Document]]:
    group: list[Document] = []
    size = 0
    for document in documents:
        group.append(document)
        size += document.size
        if size >= GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group
