"""The library: one directory of documents, with everything that can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Self

from rolltop.errors import NotFound
from rolltop.store.care import Care
from rolltop.store.documents.deletion import Deleting
from rolltop.store.documents.edits import Edits
from rolltop.store.documents.lookup import Finding
from rolltop.store.documents.writes import Keeping
from rolltop.store.graph import Relations
from rolltop.store.history import History
from rolltop.store.records import Document
from rolltop.store.search.hybrid_search import Understanding
from rolltop.store.search.similar_names import similar_names

__all__ = ["Library"]


class Library(Keeping, Finding, Understanding, Deleting):
    """Keeps documents by content and finds them again.

    >>> with Library(Path("desk/store")) as library:
    ...     library.add_text("notes/today.md", "Buy milk", tags=["errand"])
    ...     library.document("today.md").hash

    `library.edits` changes, moves and copies single documents; `library.history` knows snapshots, earlier versions
    and archives; `library.graph` how documents belong together; `library.care` verifies, repairs, collects and
    counts; `library.grep` answers regular expressions.
    """

    def document(self, name: str) -> Document:
        """The document with this path, name or end of a path; where there is none, names that are spelled nearly so."""
        try:
            return super().document(name)
        except NotFound as missing:
            if not (meant := similar_names(self, name)):
                raise
            hint = f"Did you mean {' or '.join(meant)}?"
            raise NotFound(
                missing.message, code="document_not_found", hint=hint, details={"candidates": meant}
            ) from None

    @cached_property
    def graph(self) -> Relations:
        """How documents belong together."""
        return Relations(self)

    @cached_property
    def edits(self) -> Edits:
        """Changing, moving and copying single documents."""
        return Edits(self)

    @cached_property
    def history(self) -> History:
        """Snapshots, earlier versions and archives."""
        return History(self)

    @cached_property
    def care(self) -> Care:
        """Verifying, repairing, collecting and counting."""
        return Care(self)

    # what every index of the library takes part in ------------------------------------------------

    def pause_work(self, pressing: Callable[[], bool]) -> None:
        super().pause_work(pressing)
        self.graph.follow(pressing)

    def purge_indexes(self, documents: Sequence[int]) -> None:
        super().purge_indexes(documents)
        self.graph.purge(documents)

    def index_damage(self) -> list[str]:
        return super().index_damage() + self.extracts.kept.damage() + self.graph.traits.damage()

    def mend_indexes(self, *, anew: bool) -> list[str]:
        mended = []
        for part in (self.extracts.kept, self.graph.traits):
            if anew or part.damage():
                part.start_again()
                mended.append(f"started the {part.what} again")
        return mended + super().mend_indexes(anew=anew)

    def close(self) -> None:
        self.graph.stop()
        super().close()
        self.graph.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
