"""Texts are read in the order in which documents change, by one process at a time."""

from __future__ import annotations

import contextlib
import importlib.util
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from rolltop.base.priority import yielding_to_requests
from rolltop.errors import Cancelled, Damaged, NotFound
from rolltop.store.extract.detect import FOREIGN, LEGIBLE, format_of
from rolltop.store.extract.extracts import Extracts
from rolltop.store.extract.plain import charset_of, decoded
from rolltop.store.extract.worker_pool import Workers
from rolltop.store.records import Document
from rolltop.store.seams import Catalog
from rolltop.store.sqlite.sidecar import alone

__all__ = ["Following"]

STEP = 200
Tell = Callable[[list[Document]], None]


@dataclass(frozen=True, slots=True)
class _Next:
    """The documents after a mark, up to the change `end`, as they were when `last` was the last change."""

    mark: int = 0
    last: int = 0
    end: int = 0
    count: int = 0
    unread: list[Document] = field(default_factory=list)


class Following:
    """Reads what has not been read. `tell` makes the indexes look at documents again whose text is there now."""

    def __init__(self, catalog: Catalog, extracts: Extracts, lock: Path, tell: Tell) -> None:
        self._catalog = catalog
        self._extracts = extracts
        self._lock = lock
        self._tell = tell
        self._stopped = threading.Event()
        self._next = _Next()
        self.workers = Workers()

    @property
    def behind(self) -> int:
        """Changes that have not been followed yet."""
        return max(0, self._catalog.documents.last_change() - self._extracts.kept.mark)

    def waiting(self) -> int:
        """How many documents have no text yet because no reader has come to them, among the next changes."""
        last, mark = self._catalog.documents.last_change(), self._extracts.kept.mark
        return sum(map(self._is_wanted, self._next_unread(last, mark))) if last > mark else 0

    def _next_unread(self, last: int, mark: int) -> list[Document]:
        """Those of the next documents that need a reader. Every search asks: each document is looked at once."""
        known = self._next
        if known.mark != mark or (known.unread and known.last != last):  # they may have changed or gone
            known = _Next(mark, end=mark)
        if known.last != last and known.count < STEP:
            more = self._catalog.documents.changed(known.end, STEP - known.count)
            unread = [each for each in more if each.deleted is None and self._may_need_reading(each)]
            end = more[-1].change if more else known.end
            known = _Next(mark, last, end, known.count + len(more), [*known.unread, *unread])
        self._next = known
        return known.unread

    def _may_need_reading(self, document: Document) -> bool:
        try:
            return self._extracts.needs_reading(document)
        except (Damaged, NotFound):  # it may be mended, and is asked about again
            return True

    def follow(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Read the text of every document that needs a reader; how many were read. Nothing if another process does."""
        done = 0
        with alone(self._lock) as only:
            if not only:
                return 0
            self._tell_untold()
            done += self._again()
            while not self._stopped.is_set():
                last = self._catalog.documents.last_change()
                documents = self._catalog.documents.changed(self._extracts.kept.mark, STEP)
                if not documents:
                    self._extracts.kept.follow_to(last)  # what changed last may have been collected since
                    break
                done += self._read(documents)
                self._extracts.kept.follow_to(documents[-1].change)
                if progress:
                    progress(documents[-1].change, self._catalog.documents.last_change())
        return done

    def _again(self) -> int:
        """What could not be read because a part was missing that is there by now."""
        ready = [digest for digest, part in self._extracts.kept.lacking() if importlib.util.find_spec(part)]
        documents = [found for digest in ready for found in self._holders(digest)[:1]]
        return self._read(documents, anew=True)

    def _read(self, documents: list[Document], *, anew: bool = False) -> int:
        wanted = {d.hash: d for d in yielding_to_requests(documents) if d.deleted is None and self._is_wanted(d, anew)}
        if wanted:
            with ThreadPoolExecutor(self.workers.size) as readers:
                list(readers.map(self._read_one, wanted.values()))
            self._tell_untold()
        return len(wanted)

    def _is_wanted(self, document: Document, anew: bool = False) -> bool:
        try:
            return self._extracts.needs_reading(document) and (anew or not self._extracts.kept.has(document.hash))
        except (Damaged, NotFound):  # reading the document says what is wrong with it
            return False

    def _read_one(self, document: Document) -> None:
        if self._stopped.is_set():
            raise Cancelled("the store is being closed")
        with contextlib.suppress(Damaged, NotFound):
            content = self._extracts.content(document)
            form = format_of(content, document.name)
            if form in FOREIGN:
                text = self.workers.read(document.name, content)
                source = _source(content) if form in LEGIBLE and not document.is_text else None
                lines = form not in LEGIBLE or source is not None
                self._extracts.kept.put(document.hash, text, told=not text.body, lines=lines, source=source)
            else:  # search has read it itself: only grep needs it kept
                text = self._extracts.transcribed(content, document)
                text = replace(text, title="" if text.title == document.name else text.title)
                self._extracts.kept.put(document.hash, text, told=True, lines=charset_of(content) is not None)

    def _tell_untold(self) -> None:
        """First told, then noted as told: a crash in between tells twice, never not at all."""
        digests = self._extracts.kept.untold()
        documents = [document for digest in digests for document in self._holders(digest)]
        if documents:
            self._tell(documents)
        if digests:
            self._extracts.kept.told(digests)

    def _holders(self, digest: str) -> list[Document]:
        entries = self._catalog.objects.by_prefix(digest, 1)
        return self._catalog.documents.with_object(entries[0].id) if entries else []

    def stop(self) -> None:
        self._stopped.set()
        self.workers.close()


def _source(content: bytes) -> str | None:
    """A page in another encoding than UTF-8 as it is written: its bytes are not lines that grep could look at."""
    return None if charset_of(content) is None else decoded(content)
