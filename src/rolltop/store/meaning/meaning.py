"""Search by meaning: documents are embedded behind the searches, and ranked by how near they are to a query."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from rolltop.base.os_errors import ignoring_write_errors
from rolltop.errors import PartMissing
from rolltop.store.meaning.embedder import Embedder
from rolltop.store.meaning.embedding_follower import Follower, Progress, Question
from rolltop.store.meaning.index import MeaningIndex, Place
from rolltop.store.meaning.model_names import NONE
from rolltop.store.meaning.models import load_model
from rolltop.store.seams import Catalog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rolltop.store.extract import Extracts

__all__ = ["Embedded", "Meaning", "Near"]

WHILE_A_SEARCH_WAITS = 0.1
SLOWLY = 0.3
"""Seconds that a search spends on documents that a quick or a slow model has not embedded yet; the rest is done in the
background."""

A_LOOK = 0.005
"""Seconds between two looks at what another thread or process is embedding."""

SOON_DONE = 200
"""Changes that are few enough to be embedded, or waited for, while a search waits."""

KNOWS_ENOUGH = 0.98
"""The share of the documents that a model must know to answer in place of a quicker one."""

FEW = 2000
"""So many documents are weighed one by one; of more, the nearest are looked for among all."""

HEAD = 4096
"""Bytes of a database without a table."""

REMEMBERED = 64
"""Vectors of queries."""


@dataclass(frozen=True, slots=True)
class Near:
    """A document whose meaning is near; `start` is the character its nearest passage begins with."""

    document: int
    score: float
    start: int


@dataclass(frozen=True, slots=True)
class Embedded:
    """How much a model knows of the store."""

    model: str
    width: int
    documents: int
    pending: int

    @property
    def share(self) -> float:
        """From 0 to 1; 1 if there is nothing to embed."""
        whole = self.documents + self.pending
        return self.documents / whole if whole else 1.0


class Meaning:
    """The vectors of one store with the model that was chosen. Nothing is loaded before it is needed.

    What is too much for a search to wait for is left to the background: `later` asks it to follow.
    """

    def __init__(
        self,
        directory: Path,
        catalog: Catalog,
        extracts: Extracts,
        choice: str,
        *,
        later: Callable[[], None] = lambda: None,
    ) -> None:
        self.choice = choice
        self._later = later
        self._directory = directory
        self._catalog = catalog
        self._extracts = extracts
        self._guard = threading.RLock()
        self._opened: tuple[Embedder, MeaningIndex, Follower] | None = None
        self._mended = self._refused = False
        self._extent: tuple[tuple[int, int], int] | None = None
        self._queries: dict[str, NDArray[np.float32]] = {}

    @property
    def model(self) -> Embedder:
        return self._open()[0]

    @property
    def index(self) -> MeaningIndex:
        return self._open()[1]

    def _open(self) -> tuple[Embedder, MeaningIndex, Follower]:
        with self._guard:
            if self._opened is None:
                if self.choice == NONE:
                    raise PartMissing(
                        "search by meaning is switched off: store.model is none",
                        hint="Set store.model to wordllama, or search with type keyword.",
                    )
                model = load_model(self.choice)
                owner = f"{self._catalog.identity()}/{model.fingerprint}"
                with ignoring_write_errors() as refused:
                    index = MeaningIndex(self._directory / f"{model.name}-{model.fingerprint[:8]}", owner)
                if refused:
                    raise PartMissing(
                        "no document is known by its meaning yet, and nothing can be written in the store",
                        hint="Free some space or use a copy that can be written, or search with type keyword.",
                    ) from refused[0]
                self._opened = model, index, Follower(self._catalog, self._extracts, model, index)
            return self._opened

    # asking --------------------------------------------------------------------------------------

    def rank(self, query: str, limit: int, *, keep_up: bool = True, among: frozenset[int] | None = None) -> list[Near]:
        """Documents whose meaning is nearest to the query, the nearest first; if `among` is given, only of these."""
        if keep_up:
            self.keep_up()
        vector = self._asked(query)
        if limit > FEW:
            limit = min(limit, self.index.spans.documents())
        if among is not None and len(among) <= FEW:
            near = self.weigh(query, sorted(among)).values()
            return sorted(near, key=lambda each: (-each.score, each.document))[:limit]
        found, wanted, all_seen = list[Near](), 3 * limit, not vector.any()
        while len(found) < limit and not all_seen:
            places, all_seen = self.index.nearest(vector, wanted)
            wished = [place for place in places if among is None or place.document in among]
            found = list(islice(self._distinct(self._current(wished)), limit))
            wanted *= 4
        return found

    def _distinct(self, places: Iterable[Place]) -> Iterator[Near]:
        """Each document once, by its nearest passage."""
        seen: set[int] = set()
        for place in places:
            if place.document not in seen:
                seen.add(place.document)
                yield Near(place.document, place.score, place.start)

    def weigh(self, query: str, documents: Sequence[int]) -> dict[int, Near]:
        """How near each of these documents is; none that is not embedded as it is now."""
        vector = self._asked(query)
        places = self.index.weigh(vector, documents) if documents and vector.any() else []
        return {p.document: Near(p.document, p.score, p.start) for p in self._current(places)}

    def _current(self, places: Sequence[Place]) -> Sequence[Place]:
        """Those that are of a document as it is now, not as it was; where all is followed, each one is."""
        if not self._behind():
            return places
        now = self._catalog.documents.hashes({place.document for place in places})
        return [place for place in places if now.get(place.document) == place.content]

    def _asked(self, query: str) -> NDArray[np.float32]:
        """The vector of a query; the last ones are remembered, because one search asks more than once."""
        vector = self._queries.get(query)
        if vector is None:
            vector = self.model.embed([query])[0]
            if len(self._queries) >= REMEMBERED:
                self._queries.clear()
            self._queries[query] = vector
        return vector

    def state(self) -> Embedded:
        """How much is embedded, counted now."""
        model, index, follower = self._open()
        return Embedded(model.name, model.width, index.spans.documents(), follower.pending())

    # keeping up ----------------------------------------------------------------------------------

    def keep_up(self) -> None:
        """Embed what is new: at once as far as that is quick, the rest in the background."""
        with ignoring_write_errors() as refused:
            self._look_for_losses()
            if self.model.quick or self._behind() <= SOON_DONE:
                self._follow_briefly()
        self._refused = bool(refused)
        if self._behind() and not refused:
            self._later()

    def _follow_briefly(self) -> None:
        quick = self.model.quick
        until = time.monotonic() + (WHILE_A_SEARCH_WAITS if quick else SLOWLY)

        def late() -> bool:
            return time.monotonic() > until

        while self._behind() and not late():
            # A batch of a quick model is done in no time; one of a slow model is given up when the time is over.
            if not self.follow(enough=late, stop=(lambda: False) if quick else late):
                if self._behind() > SOON_DONE:
                    break
                time.sleep(A_LOOK)  # who is at it may be done in time

    def is_worth_loading(self) -> bool:
        """Whether this model has vectors of this store already, or would have them in a moment."""
        begun = self.is_open or any(self._directory.glob(f"{self.choice}-*/spans.db"))
        return begun or self._catalog.documents.last_change() <= SOON_DONE

    def knows_enough(self) -> bool:
        """Whether it can answer in place of a quicker model: it knows almost all documents."""
        self.keep_up()
        return not self._behind() or self.state().share >= KNOWS_ENOUGH

    def lacking(self) -> str | None:
        """What an answer has to say of documents that cannot be embedded now."""
        if not self._refused or not (pending := self.state().pending):
            return None
        return f"{pending} documents are not known by their meaning, because nothing can be written in the store."

    def _look_for_losses(self) -> None:
        """Once, and whenever the file of vectors is another one or shorter: if vectors are missing, make them again."""
        index, seen = self.index, self._extent
        extent = self._extent = index.vectors.extent()
        same = seen is not None and seen[0] == extent[0] and 0 < seen[1] <= extent[1]
        if not same and extent[1] < index.spans.vectors():
            with index.lock.tried() as ours:
                if ours:
                    index.mend(self._catalog.documents.last_change())
                else:
                    self._extent = None

    @property
    def is_open(self) -> bool:
        """Whether anybody has asked for meanings yet."""
        return self._opened is not None

    def _behind(self) -> int:
        """How many changes of the catalogue are not followed yet."""
        return max(0, self._catalog.documents.last_change() - self.index.spans.mark)

    def follow(
        self, progress: Progress | None = None, *, enough: Question = lambda: False, stop: Question = lambda: False
    ) -> bool:
        """Embed every change there is, unless someone else is at it; whether nothing is left to do.

        `enough` ends the work after a batch, `stop` at once: what is not committed is done the next time.
        """
        _, index, follower = self._open()
        with index.lock.tried() as ours:
            if not ours:
                return False
            if not self._mended:
                index.mend(self._catalog.documents.last_change())
                self._mended = True
            try:
                return follower.follow(progress, enough, stop)
            finally:
                self._extent = index.vectors.extent()

    # care ----------------------------------------------------------------------------------------

    def rebuild(self) -> None:
        """Forget every vector of this model; following makes them again."""
        with self.index.lock.held():
            self.index.clear()

    def damage(self) -> list[str]:
        """What is wrong with the vectors on disk, of whichever model."""
        return [line for index in self._on_disk() for line in index.damage()]

    def mend(self, *, anew: bool) -> list[str]:
        """Drop vectors that are damaged, or all of them; they are made again behind the searches."""
        dropped = 0
        for index in self._on_disk():
            if anew or index.damage():
                with index.lock.held():
                    index.clear()
                dropped += 1
        return ["dropped the vectors; they are made again"] if dropped else []

    def purge(self, documents: Iterable[int]) -> None:
        """Leave no trace of these documents, in the vectors of whichever model."""
        gone = list(documents)
        for index in self._on_disk():
            index.purge(gone)

    def _on_disk(self) -> Iterable[MeaningIndex]:
        """The indexes of all models that were ever used; none of the models is needed for this."""
        places = self._directory.iterdir() if self._directory.is_dir() else ()
        for place in sorted(places):
            if not _is_begun(place):
                continue  # there was no room to begin
            index = MeaningIndex(place, None)
            try:
                yield index
            finally:
                index.close()

    def close(self) -> None:
        if self._opened is not None:
            self._opened[1].close()


def _is_begun(place: Path) -> bool:
    """Whether there is more than the head of an empty file."""
    return sum(path.stat().st_size for path in place.iterdir() if not path.name.endswith("-shm")) > HEAD
