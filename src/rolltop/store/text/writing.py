"""Documents into the index on disk: many in one commit, with the words they bring and the mark they go up to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import tantivy

from rolltop.store.seams import TextChanges, TextUnit
from rolltop.store.text.analysis import runs_of, vocabulary_of
from rolltop.store.text.fields import texts_of
from rolltop.store.text.heads import pack_head

if TYPE_CHECKING:
    from rolltop.store.text.vocabulary import Vocabulary

__all__ = ["State", "Writing"]

HEAP = 48 << 20
"""Memory of the writer; when it is full, a segment is written."""

COMMIT_AFTER = 24 << 20
"""Characters of text in one commit: what a crash makes the index learn again."""


@dataclass(frozen=True, slots=True)
class State:
    """What a commit says about itself: how far it goes, and sums that averages are made of."""

    mark: int = 0
    learned: int = 0
    highest: int = 0
    lengths: dict[str, int] = field(default_factory=dict)


class Writing:
    """A writer that commits now and then."""

    def __init__(self, writer: tantivy.IndexWriter, vocabulary: Vocabulary, state: State) -> None:
        self._writer = writer
        self._vocabulary = vocabulary
        self._state = state
        self._lengths = dict(state.lengths)
        self._runs: set[str] = set()
        self._size = 0
        self.learned = 0
        self._highest = state.highest

    @classmethod
    @contextmanager
    def on(cls, index: tantivy.Index, vocabulary: Vocabulary, state: State) -> Iterator[Writing]:
        writer = index.writer(HEAP, 1)
        try:
            writing = cls(writer, vocabulary, state)
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
        for unit in changes.units:
            if unit.document <= self._highest:
                self._writer.delete_documents_by_term("document", unit.document)
            self._highest = max(self._highest, unit.document)
            self._writer.add_document(self._made(unit))
        self.learned += len(changes.units)
        self._state = State(changes.mark, self._state.learned + len(changes.units), self._highest, self._lengths)
        if self._size >= COMMIT_AFTER:
            self.commit()

    def _made(self, unit: TextUnit) -> tantivy.Document:
        document = tantivy.Document()
        document.add_integer("document", unit.document)
        document.add_text("what", "document")
        document.add_bytes("head", pack_head(unit))
        for name, texts in texts_of(unit).items():
            for text in texts:
                document.add_text(name, text)
            if name in ("body", "label"):
                self._learn(name, " ".join(texts))
            else:
                self._count(name, sum([text.count(" ") + 1 for text in texts]))
        self._size += len(unit.body)
        return document

    def _learn(self, name: str, text: str) -> None:
        runs = runs_of(text)
        self._runs.update(runs)
        self._count(name, len(runs))

    def _count(self, name: str, words: int) -> None:
        self._lengths[name] = self._lengths.get(name, 0) + words

    def commit(self) -> None:
        """Make everything so far visible and durable. Words come first: one too many does no harm."""
        self._vocabulary.add(vocabulary_of(self._runs))
        _note(self._writer, self._state)
        self._writer.commit()
        self._runs, self._size = set(), 0


def _note(writer: tantivy.IndexWriter, state: State) -> None:
    writer.delete_documents_by_term("what", "state")
    document = tantivy.Document()
    document.add_text("what", "state")
    document.add_text("state", json.dumps(asdict(state)))
    writer.add_document(document)
