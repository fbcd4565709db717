"""The vectors of one model over one store: what each document means, kept beside the documents.

Vectors are written first and become part of the index when the spans that name them are committed, so a writer that
dies in between leaves rows that nothing refers to. One writer at a time over all processes, any number of readers.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rolltop.store.blobs.commit import FileLock
from rolltop.store.meaning.spans import Span, Spans
from rolltop.store.meaning.vectors import ByteVectors
from rolltop.store.seams import VectorIndex
from rolltop.store.sqlite.sidecar import copy_database

__all__ = ["Batch", "MeaningIndex", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A passage that is near: of which document, with which content, from which character on."""

    document: int
    content: str
    start: int
    score: float


class Batch:
    """What is learned together. Equal content is embedded once."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._by_content: dict[str, Span] = {}
        self.first_key = self.next_key = spans.next_key()
        self.learned: list[Span] = []
        self.removed: list[int] = []
        self.texts: list[str] = []

    def share(self, document: int, content: str) -> bool:
        """Let a document have the vectors of one with the same content, if there are some."""
        span = self._by_content.get(content) or self._spans.with_content(content)
        if span is None or not span.starts:
            return False  # a document without text may have some by now
        self.learned.append(replace(span, document=document))
        return True

    def add(self, document: int, content: str, passages: Sequence[tuple[int, str]]) -> None:
        """A document with its passages, (start, text); their vectors are made when the batch is."""
        starts = tuple(start for start, _ in passages)
        span = Span(document, content, self.next_key if starts else 0, starts)
        self.next_key += len(starts)
        self._by_content[content] = span
        self.learned.append(span)
        self.texts += [text for _, text in passages]

    def __len__(self) -> int:
        """How many vectors are waiting."""
        return self.next_key - self.first_key


class MeaningIndex:
    """Spans and vectors together."""

    def __init__(self, directory: Path, owner: str | None, vectors: VectorIndex | None = None) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.directory = directory
        self.lock = FileLock(directory / "writer.lock")
        self.spans = Spans(directory / "spans.db", owner)
        self.vectors: VectorIndex = vectors or ByteVectors(directory / "rows.vec")

    # writing, under the lock ---------------------------------------------------------------------

    def mend(self, last_change: int) -> None:
        """Make vectors, spans and catalogue agree, as they do unless a writer died or a file was lost or restored."""
        expected, present = self.spans.vectors(), len(self.vectors)
        if present < expected or self.spans.mark > last_change:
            self.clear()
        elif present > expected:
            self.vectors.retain(self.spans.keys())

    def update(self, batch: Batch, vectors: Sequence[NDArray[np.float32]], mark: int) -> None:
        """Learn and forget documents; the index follows the catalogue up to `mark` when this returns."""
        if len(batch):
            self.vectors.add(range(batch.first_key, batch.next_key), np.concatenate(vectors))
        orphans = self.spans.update(batch.learned, batch.removed, mark=mark, next_key=batch.next_key)
        if orphans:
            self.vectors.remove(orphans)

    def clear(self) -> None:
        self.spans.clear()
        self.vectors.clear()

    def purge(self, documents: Iterable[int]) -> None:
        """Forget documents so that nothing of them is left on disk."""
        with self.lock.held():
            batch = Batch(self.spans)
            batch.removed += documents
            self.update(batch, [], self.spans.mark)
            self.vectors.compact()
            self.spans.purge()

    # asking --------------------------------------------------------------------------------------

    def nearest(self, vector: NDArray[np.float32], limit: int) -> tuple[list[Place], bool]:
        """The passages nearest to a vector, the nearest first; and whether there are no more."""
        found = dict(self.vectors.nearest(vector, limit))
        held = self.spans.holding(list(found))
        return [Place(each.document, each.content, each.start, found[each.key]) for each in held], len(found) < limit

    def weigh(self, vector: NDArray[np.float32], documents: Sequence[int]) -> list[Place]:
        """The nearest passage of each of these documents that has one."""
        spans = self.spans.of_each(documents)
        if not spans:
            return []
        counts = np.array([len(span.starts) for span in spans])
        firsts = np.cumsum(counts) - counts
        scores = np.array(self.vectors.scores(vector, [key for span in spans for key in span.keys]))
        # The passages of each document, its nearest first.
        order = np.lexsort((-scores, np.repeat(np.arange(len(spans)), counts)))
        ranked = scores[order]
        bests = order[firsts] - firsts
        return [
            Place(span.document, span.content, span.starts[best], score)
            for span, best, score in zip(spans, bests.tolist(), ranked[firsts].tolist(), strict=True)
        ]

    @property
    def exists(self) -> bool:
        """False when another directory has taken its place."""
        return self.directory.exists()

    def copy_to(self, target: Path) -> int:
        """Copy one state into a directory: how far it goes. The caller holds the lock."""
        copy_database(self.spans.connection, target / "spans.db")
        if (self.directory / "rows.vec").exists():
            shutil.copyfile(self.directory / "rows.vec", target / "rows.vec")
        return self.spans.mark

    def missing(self) -> int:
        """How many vectors of documents are not in the file."""
        wanted = self.spans.vectors()  # first: what is added meanwhile is in the file before it is in the spans
        return max(0, wanted - len(self.vectors))

    def damage(self) -> list[str]:
        found = self.spans.damage()
        if not found and (missing := self.missing()):
            found.append(f"vectors: {missing} rows are missing")
        return found + self.vectors.damage()

    def close(self) -> None:
        self.spans.close()
        self.vectors.close()
