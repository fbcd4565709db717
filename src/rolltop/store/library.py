"""The library: one directory of documents, with everything that can be done with it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from rolltop.store.care import Care
from rolltop.store.core import Core, Options
from rolltop.store.documents.documents import Documents
from rolltop.store.documents.edits import Edits
from rolltop.store.documents.expiry import Expiry
from rolltop.store.extract import Extracts
from rolltop.store.extract.texts import Texts
from rolltop.store.follower import Follower, Pressing, Task
from rolltop.store.graph import Relations
from rolltop.store.history import History
from rolltop.store.indexes import Indexes
from rolltop.store.replication import Part, Replica, Shared
from rolltop.store.seams import BlobStore, Catalog, GrepIndex, TextIndex
from rolltop.store.search.hybrid_search import Search

if TYPE_CHECKING:
    from rolltop.store.grep import Grep, SharedGrep

__all__ = ["Library"]


class Library(Core):
    """Keeps documents by content and finds them again.

    >>> with Library(Path("desk/store")) as library:
    ...     library.documents.add_text("notes/today.md", "Buy milk", tags=["errand"])
    ...     library.documents.get("today.md").hash

    `documents` stores, finds by name and hash, reads and deletes; `edits` changes, moves, copies and tags single
    documents; `search` finds by words and meaning, `grep` by regular expressions; `history` knows snapshots, earlier
    versions and archives; `graph` how documents belong together; `texts` reads PDF and the like; `care` verifies,
    repairs, collects and counts; `indexes` is what all indexes take part in.
    """

    def __init__(
        self,
        directory: Path,
        options: Options | None = None,
        *,
        catalog: Catalog | None = None,
        blobs: BlobStore | None = None,
        text: TextIndex | None = None,
        trigrams: GrepIndex | None = None,
        shared: Shared | None = None,
    ) -> None:
        super().__init__(directory, options, catalog=catalog, blobs=blobs)
        self._trigrams = trigrams
        self.follower = Follower(enabled=self.options.background)
        self.indexes = Indexes(self)
        self.documents = Documents(self)
        self.edits = Edits(self)
        self.expiry = Expiry(self)
        self.texts = Texts(self)
        self.search = Search(self, text)
        self.history = History(self)
        self.graph = Relations(self)
        self.care = Care(self)
        self._segments = Task("index of grep", self._build_segments, is_done=self._is_segmented)
        self.replica = Replica(shared, directory / "replica", self._parts) if shared else None
        # What an answer waits for comes first.
        self.tasks = (
            self.texts.task,
            self.search.words.learning.task,
            self._segments,
            self.search.embedding,
            self.graph.task,
            self.expiry.task,
            *([self.replica.task, self.replica.watch] if self.replica else []),
        )
        for task in self.tasks:
            self.follower.add(task)
        self.follower.resting = self._rest
        self.follower.turn = self.replica
        if self.replica is not None:
            self.follower.wanted(self.replica.watch)
        self.expiry.begin()

    def _parts(self) -> list[Part]:
        """What servers share of the indexes."""
        return [self.texts.part(), *self.search.parts(), *self._grepping.parts(), self.graph.part()]

    def _rest(self) -> None:
        """Nothing is left to do in the background."""
        self.texts.rest()
        if self.replica is not None:
            self.replica.release()
            self.follower.wanted(self.replica.watch)  # a look now and then, so that the first question waits less

    @property
    def extracts(self) -> Extracts:
        """The texts of documents, as far as they are known."""
        return self.texts.extracts

    @property
    def grep(self) -> Grep:
        """Regular expressions. Inside a transaction with a memory of its own, which a rollback takes with it."""
        if self.committer.active:
            return self._grepping.another()
        self.texts.settle()
        self.follower.wanted(self._segments)
        return self._grepping.engine

    @cached_property
    def _grepping(self) -> SharedGrep:
        from rolltop.store.grep import SharedGrep  # noqa: PLC0415 - it brings numpy

        place = self.directory / "grep"
        return SharedGrep(place, self.catalog, self.reader, self.extracts, steady=self._steadily, frames=self._trigrams)

    def _steadily(self) -> AbstractContextManager[None]:
        """One state of the store; inside a transaction there is but one."""
        return nullcontext() if self.committer.active else self.steady()

    def _build_segments(self, pressing: Pressing) -> bool:
        return self._grepping.follow(pressing)

    def _is_segmented(self) -> bool:
        return self._grepping.is_done()

    def forget_trigrams(self) -> None:
        """Empty the indexes of grep; the next look builds them again."""
        self._grepping.clear()

    def written(self) -> None:
        self.follower.wanted(*(task for task in self.tasks if task is not self._segments and not task.for_itself))
        self.follower.wanted(self.expiry.task)

    def close(self) -> None:
        self.follower.stop()
        self.texts.stop()
        self.graph.stop()
        self.follower.join()
        if self.replica is not None:
            self.replica.release()
        self.texts.close()
        self.search.close()
        self.graph.close()
        if "_grepping" in self.__dict__:
            self._grepping.close()
        elif self._trigrams is not None:
            self._trigrams.close()
        super().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
