"""The few passages of several documents that matter for a task, within a budget of characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rolltop.errors import RolltopError
from rolltop.store.meaning.passages import passages
from rolltop.store.query import Listing
from rolltop.store.records import Document

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Passage", "Recalled", "recall"]

PINNED = "pinned"
"""Tag of documents that every recall begins with."""

PINNED_SHARE = 0.3
"""How much of the budget they may take."""

REACH = 700
"""Characters of a passage."""

MOST_PIECES = 4096
"""Passages that are looked at in one document: of a longer one, as many evenly spread over it."""

LOOKED_AT = 20
"""Documents that passages are taken from."""

LEAST = 0.1
"""What a document must score, as a share of the best."""

RECENT = 5

_WORD = re.compile(r"\w{2,}")
_STEM = 5
"""Words count as one whose beginnings agree: planting and plants."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, and where it stands in it."""

    document: Document
    text: str
    place: str
    score: float
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is known about a task: passages, the best first after those that are pinned, and what changed last."""

    passages: list[Passage]
    recent: list[Document]
    left: int
    """Documents that fit the task and did not fit into the budget."""
    note: str | None = None


def recall(library: Library, task: str, characters: int, tags: Sequence[str] = ()) -> Recalled:
    """Passages for a task, from as many documents as the budget allows before a second one from any."""
    chosen: list[Passage] = []
    room = characters
    for passage in _pinned(library, tags):
        if len(passage.text) <= room - characters * (1 - PINNED_SHARE):
            chosen.append(passage)
            room -= len(passage.text)
    known = {passage.document.id for passage in chosen}
    words = list(dict.fromkeys(_WORD.findall(task)))
    found = library.search.find(_query(words, tags), limit=LOOKED_AT) if words else None
    hits = [hit for hit in found.hits if hit.document.id not in known] if found else []
    best = max((hit.score for hit in hits), default=0.0)
    ranked = [(hit.document, hit.score) for hit in hits if hit.score >= best * LEAST]
    starts = _starts(library, task, [document.id for document, _ in ranked])
    pieces = [list(_pieces(library, document, score, words, starts.get(document.id))) for document, score in ranked]
    taken: set[int] = set()
    for passage in (each[turn] for turn in range(2) for each in pieces if len(each) > turn):
        if len(passage.text) <= room:
            chosen.append(passage)
            taken.add(passage.document.id)
            room -= len(passage.text)
    chosen.sort(key=lambda passage: (not passage.pinned, -passage.score))
    recent = library.documents.page(Listing(tags=tuple(tags), limit=RECENT)).documents
    return Recalled(chosen, recent, len(ranked) - len(taken), found.note if found else None)


def _query(words: Sequence[str], tags: Sequence[str]) -> str:
    """The words of a task, without what the query language would read into them."""
    plain = " ".join(word.lower() for word in words)
    return " ".join([*(f'tag:"{tag}"' for tag in tags), plain])


def _pinned(library: Library, tags: Sequence[str]) -> Iterator[Passage]:
    for document in library.documents.page(Listing(tags=(PINNED, *tags), limit=LOOKED_AT)).documents:
        body = library.extracts.shown(document, REACH).body
        first = passages(body, REACH)[:1]
        if first:
            yield Passage(document, first[0][1].strip(), "line 1", 1.0, pinned=True)


def _starts(library: Library, task: str, documents: list[int]) -> dict[int, int]:
    """Where the passage begins whose meaning is nearest to the task; nothing where no model is at hand."""
    try:
        return {number: near.start for number, near in library.search.meaning.weigh(task, documents).items()}
    except RolltopError:
        return {}


def _pieces(
    library: Library, document: Document, score: float, words: Sequence[str], start: int | None
) -> Iterator[Passage]:
    """The passage with the most telling words, then the one whose meaning is nearest if it holds some of them too."""
    text = library.extracts.shown(document)
    cut = passages(text.body, REACH, MOST_PIECES)
    if not cut:
        return
    stems = {word.casefold()[:_STEM] for word in words}
    held = [stems & {word.casefold()[:_STEM] for word in _WORD.findall(piece)} for _, piece in cut]
    common = Counter(stem for each in held for stem in each)
    # A word that stands in every passage says little about any of them.
    weights = [sum(1 / common[stem] for stem in each) for each in held]
    heaviest = max(range(len(cut)), key=lambda number: (weights[number], -number))
    nearest = max((number for number, piece in enumerate(cut) if start is not None and piece[0] <= start), default=0)
    first, second = (heaviest, nearest) if weights[heaviest] else (nearest, nearest)
    numbers = [first, second] if first != second and weights[second] >= weights[first] / 2 else [first]
    for turn, number in enumerate(numbers, 1):
        place, piece = cut[number]
        yield Passage(document, piece.strip(), text.place(place), score / turn)
