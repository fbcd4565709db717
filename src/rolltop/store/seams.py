"""The seams of the store: what an engine behind it must be able to do.

`BlobStore` and `Catalog` hold what is kept. `TextIndex`, `GrepIndex` and `VectorIndex` only make it quick to
find: each can be deleted and built again. The embedded implementations are pack files, SQLite, tantivy, trigram
segments and exact vectors; nothing outside them may assume a local file or SQLite. One suite of tests per seam
runs against every implementation (tests/store/suites).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from rolltop.store.blobs.commit_mark import Reach
from rolltop.store.records import Frame, Object, Place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    # The tables of the catalogue are described by the embedded implementation: another one has the same methods.
    from rolltop.store.catalog.documents import Documents
    from rolltop.store.catalog.listings import Listings
    from rolltop.store.catalog.objects import Objects
    from rolltop.store.catalog.snapshots import Figures, Snapshots
    from rolltop.store.catalog.tags import Tags
    from rolltop.store.grep.layout import FrameTable
    from rolltop.store.replication.parts import Part
    from rolltop.store.search.paging import Shown

Numbers: TypeAlias = "Sequence[Any] | NDArray[np.float32]"
"""A vector, or vectors as rows."""

__all__ = [
    "BlobStore",
    "Catalog",
    "GrepIndex",
    "Numbers",
    "TextAnswer",
    "TextChanges",
    "TextHead",
    "TextHit",
    "TextIndex",
    "TextUnit",
    "Trigrams",
    "VectorIndex",
    "no_head",
    "none_of",
]


class BlobStore(Protocol):
    """Append-only packs of bytes. One writer at a time, any number of readers."""

    def resume(self, pack: int, length: int) -> None: ...
    def append(self, data: bytes) -> Place: ...
    def position(self) -> tuple[int, int]: ...
    def sync(self) -> None: ...
    def read(self, place: Place) -> bytes: ...
    def packs(self) -> dict[int, int]: ...
    def overwrite(self, place: Place, data: bytes) -> None: ...
    def truncate(self, pack: int, length: int) -> None: ...
    def remove(self, pack: int) -> None: ...
    def set_aside(self, pack: int, start: int) -> str: ...
    def acknowledged(self) -> Reach | None: ...
    def acknowledge(self, reach: Reach) -> None: ...
    def begin(self, reach: Reach) -> None: ...
    def close(self) -> None: ...


class Catalog(Protocol):
    """The truth about documents, with transactions."""

    objects: Objects
    documents: Documents
    tags: Tags
    listings: Listings
    snapshots: Snapshots
    figures: Figures

    def transaction(self) -> AbstractContextManager[None]: ...
    def savepoint(self) -> AbstractContextManager[None]: ...
    def snapshot(self) -> AbstractContextManager[None]: ...
    def identity(self) -> str: ...
    def reach(self) -> Reach: ...
    def damage(self) -> list[str]: ...
    def mend(self, holds: Callable[[Object], bool], whole: Callable[[Frame], bool]) -> list[str]: ...
    def damaged_documents(self) -> int: ...
    def checkpoint(self) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class TextUnit:
    """What a text index learns about one document."""

    document: int
    name: str
    path: str
    tags: tuple[str, ...] = ()
    body: str = ""
    title: str = ""
    headings: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    extension: str = ""
    kind: str = "text"
    change: int = 0
    in_lines: bool = True
    """Whether places in the body are lines; else they are pages, cells, parts."""


@dataclass(frozen=True, slots=True)
class TextChanges:
    """Documents to learn or learn anew, documents to forget, and the change that this goes up to."""

    units: Sequence[TextUnit]
    removed: Sequence[tuple[int, int]]
    """(document, change)"""
    mark: int


class TextHead(NamedTuple):
    """What a text index has kept for showing a document, as of one change of it: enough, or nothing."""

    change: int
    title: str
    text: str = ""
    """The beginning of the body."""
    whole: bool = False
    """Whether that is all of the body."""


def no_head() -> TextHead | None:
    """For a document of which nothing is kept."""
    return None


class TextHit(NamedTuple):
    """A document that answers a query, better ones with a higher score; `parts` says what the score is made of."""

    document: int
    score: float
    parts: Mapping[str, float] = MappingProxyType({})
    head: Callable[[], TextHead | None] = no_head
    """What the index has kept for showing the document, fetched when it is called."""
    offset: int | None = None
    """A place in its text that answers the query, where one is known."""


def none_of(_: Sequence[int]) -> set[int]:
    """For an answer without documents."""
    return set()


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """Some of the documents that answer a query, how many there are in all, and the words that they were found by."""

    hits: list[TextHit]
    total: int
    words: tuple[str, ...] = ()
    note: str | None = None
    families: tuple[tuple[str, ...], ...] = ()
    """The same words by what was asked for: the forms of one word together, rarer words first."""
    complete: bool = True
    """Whether the documents hold everything that was asked for; else they hold some of the words."""
    holding: Callable[[Sequence[int]], set[int]] = none_of
    """Which of some documents are among all that answer the query, be they among the hits or not."""
    full: float = 0.0
    """About what a document of usual length scores that holds every word once. Words that no document has count too."""


class TextIndex(Protocol):
    """Finds documents by words.

    `mark` is how far it has followed the catalogue's changes for good, `seen` how far in memory. `learn` is for good;
    it answers how many documents it learned, or None where another process is at it and `wait` is false.
    """

    @property
    def mark(self) -> int: ...
    @property
    def seen(self) -> int: ...
    def learn(self, changes: Callable[[int], Iterable[TextChanges]], *, wait: bool = True) -> int | None: ...
    def remember(self, changes: TextChanges) -> None: ...
    def search(
        self,
        query: str,
        *,
        limit: int,
        offset: int = 0,
        similarity: float | None = None,
        why: bool = False,
        also: TextChanges | None = None,
        shown: Shown | None = None,
        among: frozenset[int] | None = None,
    ) -> TextAnswer: ...
    def meeting(self, query: str, *, also: TextChanges | None = None) -> frozenset[int] | None: ...
    def weigh(
        self, query: str, documents: Sequence[int], *, why: bool = False, also: TextChanges | None = None
    ) -> dict[int, TextHit]: ...
    @property
    def part(self) -> Part | None:
        """What servers share of it; None if it lies where all of them read it."""

    def clear(self) -> None: ...
    def rebuild(self, changes: Callable[[int], Iterable[TextChanges]]) -> int: ...
    def doubt(self) -> bool: ...
    def damage(self) -> list[str]: ...
    def close(self) -> None: ...


Trigrams = tuple[str, tuple["Trigrams | int", ...]]
"""A question to the trigram index: ("and" | "or", questions and codes). ("and", ()) is "anything"."""


class GrepIndex(Protocol):
    """Says which frames cannot hold a match. A frame that it has not seen is always a candidate."""

    def candidates(self, table: FrameTable, asked: Trigrams) -> NDArray[np.int64]: ...
    def missing(self, table: FrameTable, *, least: int = ...) -> Iterable[list[Frame]]: ...
    def add(self, table: FrameTable, frames: Sequence[Frame], contents: Iterable[bytes]) -> None: ...
    def drop_stale(self, table: FrameTable) -> list[str]: ...
    def damage(self, table: FrameTable) -> list[str]: ...
    def clear(self) -> None: ...
    def close(self) -> None: ...


class VectorIndex(Protocol):
    """Finds the nearest vectors. Keys are the caller's numbers."""

    def add(self, keys: Sequence[int], vectors: Numbers) -> None: ...
    def remove(self, keys: Iterable[int]) -> None: ...
    def retain(self, keys: Collection[int]) -> None: ...
    def nearest(self, vector: Numbers, limit: int) -> list[tuple[int, float]]: ...
    def scores(self, vector: Numbers, keys: Sequence[int]) -> list[float]: ...
    def __len__(self) -> int: ...
    def extent(self) -> tuple[tuple[int, int], int]: ...
    def compact(self) -> None: ...
    def clear(self) -> None: ...
    def damage(self) -> list[str]: ...
    def close(self) -> None: ...
