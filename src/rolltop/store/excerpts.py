"""The lines of a document that hold the words of a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rolltop.store.grep import LineMatch
from rolltop.store.results import Hit

if TYPE_CHECKING:
    from rolltop.store.extract import Extracted
    from rolltop.store.library import Library
    from rolltop.store.text.marking import Marker, Span

__all__ = ["Excerpts", "excerpts"]

MOST = 20
"""Lines per document: a search is for finding it, grep is for seeing every line."""


@dataclass(frozen=True, slots=True)
class Excerpts:
    """The first lines that hold what was asked for, and whether these are all."""

    lines: list[LineMatch]
    complete: bool = True


def excerpts(library: Library, hit: Hit, before: int, after: int, *, color: bool = False) -> Excerpts:
    """Lines of the text that was taken from the document.

    They hold words and identifiers as they were asked for; where no line holds any of these, parts of them.
    """
    if not hit.words:
        return Excerpts([])
    text = library.extracts.of(hit.document)
    found = next(filter(None, (_first(marker, text.body) for marker in _markers(hit))), [])
    shown = list(_shown(text, found[:MOST], (before, after), color=color))
    return Excerpts(shown, complete=len(found) <= MOST)


def _markers(hit: Hit) -> Iterator[Marker]:
    from rolltop.store.text import marker  # noqa: PLC0415 - it brings numpy

    beginnings = [word for word in hit.words if word.endswith("*")]
    yield marker((*(form for family in hit.families for form in family), *beginnings))
    yield marker(hit.words)


def _first(marker: Marker, text: str) -> list[tuple[int, list[Span]]]:
    """One more than is shown: it tells that there are more."""
    return list(islice(marker.lines(text), MOST + 1))


def _shown(
    text: Extracted, found: Sequence[tuple[int, list[Span]]], around: tuple[int, int], *, color: bool
) -> Iterator[LineMatch]:
    from rolltop.store.text import painted  # noqa: PLC0415 - it brings numpy

    lines = text.body.removesuffix("\n").split("\n")
    before, after = around
    at, passed = 0, 0
    for number, spans in found:
        at += sum(len(line) + 1 for line in lines[passed:number])
        passed = number
        start, end = spans[0]
        yield LineMatch(
            line_number=number + 1,
            line=painted(lines[number], spans) if color else lines[number],
            column_start=start + 1,
            column_end=end + 1,
            before=lines[max(0, number - before) : number],
            after=lines[number + 1 : number + 1 + after],
            place=text.place(at + start) if text.anchors else "",
        )
