"""Lets the vectors of a model follow the catalogue's changes, one committed batch after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rolltop.base.priority import yield_to_requests
from rolltop.store.meaning.embedder import Embedder
from rolltop.store.meaning.index import Batch, MeaningIndex
from rolltop.store.meaning.passages import passages
from rolltop.store.records import Document
from rolltop.store.seams import Catalog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rolltop.store.extract import Extracts

__all__ = ["Follower", "Progress", "Question"]

STEP = 200
"""Documents that are asked of the catalogue at a time."""
VECTORS_A_CALL = 32
VECTORS_A_SLOW_CALL = 16
"""So many passages are embedded between two looks at whether to stop, or to let an answer go first."""
VECTORS_A_COMMIT = 512
VECTORS_A_SLOW_COMMIT = 16
"""Fewer, if the model is slow: what is not committed when the process dies has to be done again."""

Progress = Callable[[int, int], None]
"""Told how many documents are embedded, and of how many."""
Question = Callable[[], bool]


class Stopped(Exception):
    """There was a reason to stop in the middle of a batch."""


class Follower:
    """Embeds what changed. The writer's lock of the index is held while it works."""

    def __init__(self, catalog: Catalog, extracts: Extracts, model: Embedder, index: MeaningIndex) -> None:
        self._catalog = catalog
        self._extracts = extracts
        self._model = model
        self._index = index
        self._enough_to_commit = VECTORS_A_COMMIT if model.quick else VECTORS_A_SLOW_COMMIT
        self._a_call = VECTORS_A_CALL if model.quick else VECTORS_A_SLOW_CALL

    def pending(self) -> int:
        """How many documents changed since."""
        return self._catalog.documents.count_changed(self._index.spans.mark)

    def follow(self, progress: Progress | None, enough: Question, stop: Question) -> bool:
        """Embed every change; whether there was none left. `enough` ends it after a commit, `stop` at any time."""
        last = self._catalog.documents.last_change()
        while documents := self._catalog.documents.changed(self._index.spans.mark, STEP):
            try:
                for _ in self._commits(documents, stop):
                    if progress:
                        done = self._index.spans.documents()
                        progress(done, done + self.pending())
                    if enough() or stop():
                        return not self.pending()
            except Stopped:
                return False
        if self._index.spans.mark < last:  # the latest changes were of documents that the catalogue no longer has
            self._index.update(Batch(self._index.spans), [], last)
        return True

    def _commits(self, documents: list[Document], stop: Question) -> Iterator[None]:
        """Learn some documents, batch by batch."""
        batch = Batch(self._index.spans)
        for document in documents:
            self._add(document, batch)
            if len(batch) >= self._enough_to_commit or document is documents[-1]:
                self._index.update(batch, list(self._embedded(batch.texts, stop)), document.change)
                yield
                batch = Batch(self._index.spans)

    def _add(self, document: Document, batch: Batch) -> None:
        yield_to_requests()
        if document.deleted is not None:
            batch.removed.append(document.id)
        elif not batch.share(document.id, document.hash):
            batch.add(document.id, document.hash, passages(self._extracts.of(document).body, self._model.reach))

    def _embedded(self, texts: list[str], stop: Question) -> Iterator[NDArray[np.float32]]:
        for start in range(0, len(texts), self._a_call):
            if stop():
                raise Stopped
            yield_to_requests()
            yield self._model.embed(texts[start : start + self._a_call])
