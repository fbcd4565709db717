"""Documents into the index on disk: many in one commit, with the words they bring and the mark they go up to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

import tantivy

from rolltop.store.seams import TextChanges, TextUnit
from rolltop.store.text.disk_index.preview_writer import HeadWriter
from rolltop.store.text.disk_index.previews import pack_head
from rolltop.store.text.fields import Texts, texts_of

Words = Callable[[int], None]
"""Takes up the words of the commit that goes up to a mark."""

__all__ = ["State", "Writing"]

HEAP = 128 << 20
"""Memory that the writer may take; when it is full, a part is written."""

COMMIT_AFTER = 96 << 20
"""Characters of text in one commit: what a crash makes the index learn again, about ten seconds. A search looks every
word up in every part, and parts are only merged eight at a time: with a quarter of it, it takes half a millisecond
more on a hundred thousand documents, and learning them a quarter more."""


@dataclass(frozen=True, slots=True)
class State:
    """What a commit says about itself: how far it goes, and sums that averages are made of."""

    mark: int = 0
    learned: int = 0
    highest: int = 0
    lengths: dict[str, int] = field(default_factory=dict)


class Writing:
    """A writer that commits now and then."""

    def __init__(self, writer: tantivy.IndexWriter, heads: HeadWriter, words: Words, state: State) -> None:
        self._writer = writer
        self._heads = heads
        self._words = words
        self._state = state
        self._lengths = Counter(state.lengths)
        self._size = 0
        self.learned = 0
        self._highest = state.highest

    @classmethod
    @contextmanager
    def on(cls, index: tantivy.Index, heads: HeadWriter, words: Words, state: State) -> Iterator[Writing]:
        writer = index.writer(HEAP, 1)
        try:
            writing = cls(writer, heads, words, state)
            yield writing
            writing.commit()
        except BaseException:
            writer.rollback()
            raise
        finally:
            # Also gives the writer's lock back. Segments that are being merged are finished first.
            writer.wait_merging_threads()

    @staticmethod
    def wipe(index: tantivy.Index) -> None:
        """An empty index, with no file left of what it was."""
        writer = index.writer(HEAP, 1)
        try:
            writer.delete_all_documents()
            _note(writer, State())
            writer.commit()
            writer.garbage_collect_files()
        finally:
            writer.wait_merging_threads()

    def put(self, changes: TextChanges) -> None:
        for document, _ in changes.removed:
            self._writer.delete_documents_by_term("document", document)
            self._heads.remove(document)
        for unit, texts in zip(changes.units, texts_of(changes.units), strict=True):
            if unit.document <= self._highest:
                self._writer.delete_documents_by_term("document", unit.document)
            self._highest = max(self._highest, unit.document)
            self._writer.add_document(_made(unit, texts))
            self._heads.put(unit.document, pack_head(unit))
            self._lengths.update(texts.lengths)
            self._size += len(unit.body)
        self.learned += len(changes.units)
        self._state = State(changes.mark, self._state.learned + len(changes.units), self._highest, dict(self._lengths))
        if self._size >= COMMIT_AFTER:
            self.commit()

    def commit(self) -> None:
        """Make everything so far durable, then its words: who looks before those are there keeps to what was."""
        self._heads.commit()
        _note(self._writer, self._state)
        self._writer.commit()
        self._words(self._state.mark)
        self._size = 0


def _made(unit: TextUnit, texts: Texts) -> tantivy.Document:
    document = tantivy.Document()
    document.add_integer("document", unit.document)
    document.add_text("what", "document")
    for name, pieces in texts.fields.items():
        for piece in pieces:
            document.add_text(name, piece)
    return document


def _note(writer: tantivy.IndexWriter, state: State) -> None:
    writer.delete_documents_by_term("what", "state")
    document = tantivy.Document()
    document.add_text("what", "state")
    document.add_text("state", json.dumps(asdict(state)))
    writer.add_document(document)
