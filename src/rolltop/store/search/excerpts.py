"""The lines of a document that hold the words of a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rolltop.store.grep import LineMatch
from rolltop.store.search.results import Hit

if TYPE_CHECKING:
    from rolltop.store.extract import Extracted
    from rolltop.store.library import Library
    from rolltop.store.text.word_marks import Marker, Span

__all__ = ["Excerpt", "Excerpts", "excerpts"]

MOST = 20
"""Lines per document: a search is for finding it, grep is for seeing every line."""


LONGEST = 1000
"""Characters of a line that are shown."""


@dataclass(frozen=True, slots=True)
class Excerpt(LineMatch):
    """A line, or where it is very long, the piece of it around the first word; columns are those of the whole line."""

    line_from: int | None = None
    """Column where the piece begins."""
    line_length: int | None = None
    """Characters of the whole line, where a piece is shown."""


@dataclass(frozen=True, slots=True)
class Excerpts:
    """The first lines that hold what was asked for, and whether these are all."""

    lines: list[Excerpt]
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
    return list(islice(marker.lines(text, LONGEST), MOST + 1))


def _shown(
    text: Extracted, found: Sequence[tuple[int, list[Span]]], around: tuple[int, int], *, color: bool
) -> Iterator[Excerpt]:
    lines = text.body.removesuffix("\n").split("\n")
    before, after = around
    at, passed = 0, 0
    for number, spans in found:
        at += sum(len(line) + 1 for line in lines[passed:number])
        passed = number
        start, end = spans[0]
        shown, first = _piece(lines[number], spans, color=color)
        long = len(lines[number]) > LONGEST
        yield Excerpt(
            line_number=number + 1,
            line=shown,
            column_start=start + 1,
            column_end=end + 1,
            before=[_beginning(line) for line in lines[max(0, number - before) : number]],
            after=[_beginning(line) for line in lines[number + 1 : number + 1 + after]],
            place=text.place(at + start) if text.anchors else "",
            line_from=first + 1 if long else None,
            line_length=len(lines[number]) if long else None,
        )


def _piece(line: str, spans: Sequence[Span], *, color: bool) -> tuple[str, int]:
    """The line around its first word, as far as it is shown, and where that begins."""
    from rolltop.store.text import painted  # noqa: PLC0415 - it brings numpy

    first = max(0, min(spans[0][0] - LONGEST // 4, len(line) - LONGEST))
    piece = line[first : first + LONGEST]
    if not color:
        return piece, first
    inside = [(start - first, min(end - first, LONGEST)) for start, end in spans if start < first + LONGEST]
    return painted(piece, inside), first


def _beginning(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
