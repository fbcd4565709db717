"""Texts are read in the order in which documents change, by one process at a time."""

from __future__ import annotations

import contextlib
import importlib.util
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rolltop.errors import Cancelled, Damaged, NotFound
from rolltop.store.extract.detect import LEGIBLE, format_of
from rolltop.store.extract.extracts import Extracts
from rolltop.store.extract.reading import Workers
from rolltop.store.records import Document
from rolltop.store.seams import Catalog
from rolltop.store.sidecar import alone

__all__ = ["Following"]

STEP = 200
Tell = Callable[[list[Document]], None]


class Following:
    """Reads what has not been read. `tell` makes the indexes look at documents again whose text is there now."""

    def __init__(self, catalog: Catalog, extracts: Extracts, lock: Path, tell: Tell) -> None:
        self._catalog = catalog
        self._extracts = extracts
        self._lock = lock
        self._tell = tell
        self._stopped = threading.Event()
        self._next: tuple[tuple[int, int], list[Document]] = (0, 0), []
        self.workers = Workers()

    @property
    def behind(self) -> int:
        """Changes that have not been followed yet."""
        return max(0, self._catalog.documents.last_change() - self._extracts.kept.mark)

    def waiting(self) -> int:
        """How many documents have no text yet because no reader has come to them, among the next changes."""
        state = last, mark = self._catalog.documents.last_change(), self._extracts.kept.mark
        if last <= mark:
            return 0
        known, foreign = self._next
        if known != state:  # every search asks: which documents need a reader is found out once
            documents = self._catalog.documents.changed(mark, STEP)
            foreign = [each for each in documents if each.deleted is None and self._may_be_foreign(each)]
            self._next = state, foreign
        return sum(map(self._is_wanted, foreign))

    def _may_be_foreign(self, document: Document) -> bool:
        try:
            return self._extracts.is_foreign(document)
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
        wanted = {d.hash: d for d in documents if d.deleted is None and self._is_wanted(d, anew)}
        if wanted:
            with ThreadPoolExecutor(self.workers.size) as readers:
                list(readers.map(self._read_one, wanted.values()))
            self._tell_untold()
        return len(wanted)

    def _is_wanted(self, document: Document, anew: bool = False) -> bool:
        try:
            return self._extracts.is_foreign(document) and (anew or not self._extracts.kept.has(document.hash))
        except (Damaged, NotFound):  # reading the document says what is wrong with it
            return False

    def _read_one(self, document: Document) -> None:
        if self._stopped.is_set():
            raise Cancelled("the store is being closed")
        with contextlib.suppress(Damaged, NotFound):
            content = self._extracts.content(document)
            text = self.workers.read(document.name, content)
            legible = format_of(content, document.name) in LEGIBLE
            self._extracts.kept.put(document.hash, text, told=not text.body, lines=not legible)

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
