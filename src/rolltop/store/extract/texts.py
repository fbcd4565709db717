"""The part of the library that reads texts out of documents."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from rolltop.base.priority import waiting_for_background
from rolltop.store.blobs.writer import Writer
from rolltop.store.core import Core
from rolltop.store.extract.extracts import LONGEST_READ, Extracts
from rolltop.store.extract.record import Extracted
from rolltop.store.extract.text_follower import Following
from rolltop.store.records import Document

__all__ = ["Extracting"]

IDLE = 20.0
"""Seconds without work after which the readers are ended."""

log = logging.getLogger(__name__)

AT_HAND = 50
"""So few changes behind, a search waits a moment for the readers instead of missing a fresh document."""


FIRST_READ = 10.0
"""Seconds that whoever asks for a text waits for the readers, which may have to start first."""


class Extracting(Core):
    """Texts of documents, read in the background where the library was opened so."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.extracts = Extracts(self.catalog, self.reader, self.directory / "extracts.db")
        self._reading = _Background(self)
        self._looked = False

    @cached_property
    def following(self) -> Following:
        return Following(self.catalog, self.extracts, self.directory / "extracts.lock", self._look_again)

    def text_of(self, document: Document) -> Extracted:
        """The text of a document, and its places; says why there is none."""
        return self.extracts.of(document)

    def readable(self, document: Document) -> Extracted | None:
        """The text to show instead of bytes that nobody can read; waits a moment where a reader has yet to come."""
        if not self.extracts.is_foreign(document):
            return None
        if self.extracts.kept.get(document.hash) is None and not self.committer.active:
            if self.options.background:
                self.settle(FIRST_READ)
            else:
                self.read_texts()
        return self.extracts.lines(document)

    def read_texts(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Read every text that has not been read yet; how many documents were read."""
        return 0 if self.options.read_only else self.following.follow(progress)

    def unread(self) -> str | None:
        """What an answer has to say of documents that no reader has come to yet; None when there are none."""
        damaged = self.catalog.damaged_documents()
        waiting = self.following.waiting()
        notes = (
            f"Documents left out because their rows of the catalogue are damaged: {damaged}. Run `store repair`."
            if damaged
            else None,
            f"Documents whose text is still being read and cannot be found yet: {waiting}. Ask again in a moment."
            if waiting
            else None,
        )
        return " ".join(filter(None, notes)) or None

    def too_long(self) -> str | None:
        """What a search has to say of texts that are too long to be indexed; None when there are none."""
        long = self.catalog.documents.count_longer(LONGEST_READ)
        if not long:
            return None
        size = LONGEST_READ >> 20
        return f"Texts of more than {size} MB, which are not searched by their words: {long}. grep finds their lines."

    def _look_again(self, documents: Sequence[Document]) -> None:
        def work(_: Writer) -> None:
            for document in documents:
                live = self.catalog.documents.get(document.id)
                if live is not None and live.object == document.object:
                    self.catalog.documents.touch(live)

        self.write(work)

    def settle(self, seconds: float = 2.0) -> None:
        """Give the readers a moment to finish what was stored just now; not more than a moment."""
        if self.options.background and not self._looked:
            self._looked = True  # another process may have stored what nobody has read yet
            self._reading.wanted()
        self._reading.settle(seconds)

    def written(self) -> None:
        super().written()
        self._reading.wanted()

    def pause_work(self, pressing: Callable[[], bool]) -> None:
        """What the background does when every text is read, until that is `pressing` again."""

    def forget_texts(self) -> None:
        """Forget the texts of content that is not in the store any more."""
        kept = self.extracts.kept
        kept.forget(digest for digest in kept.hashes() if not self.catalog.objects.by_prefix(digest, 1))

    def close(self) -> None:
        self._reading.stop()
        self.extracts.close()
        super().close()


@contextmanager
def _going_on(task: str) -> Iterator[None]:
    """Log an error and go on: what is wrong with a document or the machine is reported where it is asked for."""
    try:
        yield
    except Exception as error:
        log.warning("the background could not %s: %r", task, error)


class _Background:
    """One thread that reads, started when something was written."""

    def __init__(self, library: Extracting) -> None:
        self._library = library
        self._changed = threading.Condition()
        self._asked = False
        self._busy = False
        self._stopped = False
        self._thread: threading.Thread | None = None

    def wanted(self) -> None:
        with self._changed:
            self._asked = True
            self._changed.notify_all()
            if not self._stopped and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._work, name="store-texts", daemon=True)
                self._thread.start()

    def settle(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        with self._changed:
            while (self._asked or self._busy) and (left := end - time.monotonic()) > 0:
                if self._library.following.behind > AT_HAND:
                    return
                with waiting_for_background():
                    self._changed.wait(left)

    def _work(self) -> None:
        while self._next():
            with _going_on("read texts"):
                self._library.read_texts()
            with self._changed:
                self._busy = False
                self._changed.notify_all()
            with _going_on("follow the catalogue"):
                self._library.pause_work(lambda: self._asked or self._stopped)

    def _next(self) -> bool:
        """Wait until there is something to do; false when the thread may end."""
        with self._changed:
            if not self._asked and not self._stopped:
                self._changed.wait(IDLE)
            if self._asked and not self._stopped:
                self._asked, self._busy = False, True
                return True
            # Inside the lock: a thread that starts now must not find its readers ended.
            self._library.following.workers.rest()
            self._thread = None
        return False

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            thread = self._thread
            self._changed.notify_all()
        if "following" in self._library.__dict__:
            self._library.following.stop()
        if thread is not None:
            thread.join()
