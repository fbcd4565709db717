"""What a search answers: hits with what their score is made of, whichever ways of searching found them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rolltop.store.records import Document
from rolltop.store.search.paging import Shown

__all__ = ["Hit", "Results"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that answers a search."""

    document: Document
    score: float
    title: str
    snippet: str
    place: str
    """Where the snippet stands: "line 12", "page 3"."""
    words: tuple[str, ...] = ()
    """What it was found by, one by one, as the index has it; a `*` is behind the beginning of words."""
    parts: Mapping[str, float] = field(default_factory=dict)
    families: tuple[tuple[str, ...], ...] = ()
    """The same by what was asked for: the forms of one word, the ways to write one identifier."""

    @property
    def why(self) -> str:
        """What the score is made of, the most important part first: "title 4.1, body 2.0"."""
        ordered = sorted(self.parts.items(), key=lambda part: -part[1])
        return ", ".join(f"{name} {score:.2f}" for name, score in ordered)


@dataclass(frozen=True, slots=True)
class Results:
    """One page of hits."""

    hits: list[Hit]
    total: int
    type: str = "full-text"
    """What was done: full-text, fuzzy, semantic or hybrid."""
    note: str | None = None
    """What the reader should know: that the query was not read as written, or that not everything is indexed yet."""
    model: str | None = None
    """Which model the meaning was asked of."""
    embedded: float | None = None
    """Which share of the documents it knows, from 0 to 1."""
    unindexed: int = 0
    """How many documents the words were not looked for in, because they are not indexed yet."""
    next: Shown | None = None
    """For asking for the next page; None where this is the last one."""
