"""The texts of a library's documents, read in the background where the library was opened so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rolltop.store.blobs.writer import Writer
from rolltop.store.extract.extracts import LONGEST_READ, Extracts
from rolltop.store.extract.record import Extracted
from rolltop.store.extract.text_cache import READERS
from rolltop.store.extract.text_follower import Following
from rolltop.store.follower import Task
from rolltop.store.records import Document
from rolltop.store.replication.parts import Part
from rolltop.store.replication.sqlite_part import SqlitePart

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Texts"]

AT_HAND = 50
"""So few changes behind, a search waits a moment for the readers instead of missing a fresh document."""

FIRST_READ = 10.0
"""Seconds that whoever asks for a text waits for the readers, which may have to start first."""


class Texts:
    """Reads texts out of documents: `library.texts`."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.extracts = Extracts(library.catalog, library.reader, library.directory / "extracts.db")
        self.task = Task("texts of documents", lambda _: self._follow(), is_done=lambda: not self.following.behind)
        self._looked = False

    @cached_property
    def following(self) -> Following:
        library = self._library
        return Following(library.catalog, self.extracts, library.directory / "extracts.lock", self.look_again)

    def part(self) -> Part:
        """What servers share of them."""
        place = self._library.directory
        return SqlitePart(
            f"texts-{READERS}", place / "extracts.db", place / "extracts.lock", lambda: self.extracts.kept
        )

    def of(self, document: Document) -> Extracted:
        """The text of a document, and its places; says why there is none."""
        return self.extracts.of(document)

    def readable(self, document: Document) -> Extracted | None:
        """The text to show instead of bytes that nobody can read; waits a moment where a reader has yet to come."""
        if not self.extracts.is_foreign(document):
            return None
        if self.extracts.kept.get(document.hash) is None and not self._library.committer.active:
            if self._library.options.background:
                self.settle(FIRST_READ)
            else:
                self.read_all()
        return self.extracts.lines(document)

    def read_all(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Read every text that has not been read yet; how many documents were read."""
        return 0 if self._library.options.read_only else self.following.follow(progress)

    def unread(self) -> str | None:
        """What an answer has to say of documents that no reader has come to yet; None when there are none."""
        damaged = self._library.catalog.damaged_documents()
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
        long = self._library.catalog.documents.count_longer(LONGEST_READ)
        if not long:
            return None
        size = LONGEST_READ >> 20
        return f"Texts of more than {size} MB, which are not searched by their words: {long}. grep finds their lines."

    def look_again(self, documents: Sequence[Document]) -> None:
        """Let every index learn these documents anew: there is more to know of them."""

        def work(_: Writer) -> None:
            for document in documents:
                live = self._library.catalog.documents.get(document.id)
                if live is not None and live.object == document.object:
                    self._library.catalog.documents.touch(live)

        self._library.write(work)

    def settle(self, seconds: float = 2.0) -> None:
        """Give the readers a moment to finish what was stored just now; not more than a moment."""
        if not self._looked:
            self._looked = True  # another process may have stored what nobody has read yet
            self._library.follower.wanted(self.task)
        self._library.follower.settle(self.task, seconds, lambda: self.following.behind > AT_HAND)

    def _follow(self) -> None:
        self.read_all()

    def forget_collected(self) -> None:
        """Forget the texts of content that is not in the store any more."""
        kept = self.extracts.kept
        kept.forget(digest for digest in kept.hashes() if not self._library.catalog.objects.by_prefix(digest, 1))

    def rest(self) -> None:
        """End the readers until they are needed again."""
        if "following" in self.__dict__:
            self.following.workers.rest()

    def stop(self) -> None:
        """End the reading of what is being read."""
        if "following" in self.__dict__:
            self.following.stop()

    def close(self) -> None:
        self.stop()
        self.extracts.close()
