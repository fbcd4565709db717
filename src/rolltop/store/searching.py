"""The indexes of the library: followed, asked, mended."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rolltop.errors import Damaged, NotFound
from rolltop.store.core import Options
from rolltop.store.extract import Extracting
from rolltop.store.grep import Background, Grep, SegmentDirectory
from rolltop.store.records import Document
from rolltop.store.seams import BlobStore, Catalog, GrepIndex, TextHit, TextIndex, TextUnit
from rolltop.store.text import FtsIndex, near_words, snippet, words_of

__all__ = ["Hit", "Searching"]

STEP = 500
"""Documents that the keyword index learns in one transaction."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that answers a search."""

    document: Document
    score: float
    snippet: str
    words: list[str]


class Searching(Extracting):
    """The finding part that needs indexes. Every index follows the catalogue and is caught up before it answers."""

    def __init__(
        self,
        directory: Path,
        options: Options | None = None,
        *,
        catalog: Catalog | None = None,
        blobs: BlobStore | None = None,
        text: TextIndex | None = None,
        trigrams: GrepIndex | None = None,
    ) -> None:
        super().__init__(directory, options, catalog=catalog, blobs=blobs)
        self.trigrams: GrepIndex = trigrams or SegmentDirectory(directory / "grep")
        self._grep = Grep(self.catalog, self.reader, self.trigrams)
        self._background = Background(self._grep)
        self._text = text
        self._catching_up = threading.Lock()

    @property
    def text(self) -> TextIndex:
        """The keyword index, opened when it is first needed."""
        if self._text is None:
            self._text = FtsIndex(self.directory / "text.db", self.catalog.identity())
        return self._text

    @property
    def grep(self) -> Grep:
        """Regular expressions. Inside a transaction with a memory of its own, which a rollback takes with it."""
        if self.committer.active:
            return Grep(self.catalog, self.reader, self.trigrams)
        self._background.wanted()
        return self._grep

    # keyword search ------------------------------------------------------------------------------

    def search(self, query: str, *, limit: int = 10, offset: int = 0) -> tuple[list[Hit], int]:
        """Documents that hold the words of the query, better ones first; and how many there are."""
        self.catch_up()
        found, total = self.text.search(query, limit=limit, offset=offset)
        return self._shown(found, words_of(query)), total

    def search_fuzzy(self, query: str, similarity: float, *, limit: int = 10, offset: int = 0) -> tuple[list[Hit], int]:
        """The same with words that are at least so similar to those of the query."""
        self.catch_up()
        vocabulary = list(self.text.vocabulary())
        groups = [near_words(word, vocabulary, similarity) for word in words_of(query)]
        found, total = self.text.search_groups(groups, limit=limit, offset=offset)
        return self._shown(found, [word for group in groups for word in group]), total

    def _shown(self, found: Iterable[TextHit], words: list[str]) -> list[Hit]:
        hits = []
        for hit in found:
            document = self.catalog.documents.get(hit.document)
            if document is not None:
                hits.append(Hit(self._described(document), hit.score, snippet(self._body(document), words), words))
        return hits

    def _described(self, document: Document) -> Document:
        return replace(
            document, tags=self.catalog.tags.of(document.id), metadata=self.catalog.tags.metadata(document.id)
        )

    def catch_up(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Let the keyword index follow every change there is; how many documents it learned."""
        learned = 0
        if self.committer.active:
            return 0  # what a transaction has written may yet be rolled back: the index must not learn it
        self.settle()
        with self._catching_up:
            for units, removed, mark in self._changes():
                self.text.update(units, removed, mark)
                learned += len(units)
                if progress:
                    progress(mark, self.catalog.documents.last_change())
        return learned

    def _changes(self) -> Iterator[tuple[list[TextUnit], list[int], int]]:
        while documents := self.catalog.documents.changed(self.text.mark, STEP):
            live = [document for document in documents if document.deleted is None]
            removed = [document.id for document in documents if document.deleted is not None]
            units = [TextUnit(d.id, d.name, d.path, self.catalog.tags.of(d.id), self._body(d)) for d in live]
            yield units, removed, documents[-1].change

    def _body(self, document: Document) -> str:
        """The text of a document, whatever its format."""
        return self.extracts.of(document).body

    # indexes -------------------------------------------------------------------------------------

    def index(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Bring every index up to date."""
        self.read_texts(progress)
        self.grep.index_pending(progress=progress)
        self.catch_up(progress)

    def index_damage(self) -> list[str]:
        return self.text.damage() + self.grep.index_damage()

    def mend_indexes(self, *, anew: bool) -> list[str]:
        mended = [f"dropped the trigram segment {name}" for name in self._drop_bad_segments()]
        if anew or self.text.damage():
            self.text.rebuild()
            mended.append("built the keyword index again")
        with contextlib.suppress(Damaged, NotFound):  # what cannot be read cannot be indexed; verify names it
            self.index()
        return mended

    def _drop_bad_segments(self) -> list[str]:
        dropped = self.grep.drop_stale()
        if self.grep.index_damage():
            self.trigrams.clear()
            dropped.append("*")
        return dropped

    def purge_indexes(self, documents: Sequence[int]) -> None:
        self.grep.drop_stale()
        self.catch_up()
        with self._catching_up:
            self.text.update([], documents, self.text.mark)
        self.text.purge()
        self.forget_texts()

    def close(self) -> None:
        self._background.stop()
        if self._text is not None:
            self._text.close()
        self.trigrams.close()
        super().close()
