"""Grep over texts that were read out of documents: the same trigram index and the same matcher, over kept texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from rolltop.store.grep.layout import FrameTable
from rolltop.store.grep.matcher import Matcher
from rolltop.store.records import Document, Frame, Place
from rolltop.store.seams import GrepIndex

if TYPE_CHECKING:
    from rolltop.store.extract import Extracted, Extracts

__all__ = ["TextLines"]

A_SEGMENT = 256
"""Texts are longer than frames, and all that is known of a segment's texts is in memory while it is written."""


class TextLines:
    """The lines of documents whose bytes are not text. To the index, a kept text is a frame."""

    def __init__(self, extracts: Extracts, index: GrepIndex) -> None:
        self._extracts = extracts
        self._index = index
        self._known: tuple[tuple[int, ...], FrameTable] = ((), FrameTable([]))

    def stand_for(self, document: Document) -> bool:
        """Whether the lines of a document are those of its text."""
        return self._extracts.has_lines(document)

    def of(self, document: Document) -> Extracted | None:
        """The text whose lines stand for a document; None where its bytes are looked at."""
        return self._extracts.lines(document)

    def counts(self, matcher: Matcher, chosen: Collection[str] | None = None) -> Iterator[tuple[str, int]]:
        """(hash of the content, matching lines) for all contents, or for those that were chosen."""
        table = self._table()
        wanted = None if chosen is None else {self._extracts.kept.number(digest) for digest in chosen}
        for place in self._index.candidates(table, matcher.asked).tolist():
            number = table.frames[place].id
            found = self._extracts.kept.numbered(number) if wanted is None or number in wanted else None
            if found is not None and (count := len(matcher.line_ends(lines_in(found[1])))):
                yield found[0], count

    def _table(self) -> FrameTable:
        """The texts there are now. Their seals stand where the lengths of frames do, so stale segments are noticed."""
        edition = self._extracts.kept.edition()
        if edition != self._known[0]:
            rows = self._extracts.kept.with_lines()
            self._known = edition, FrameTable([Frame(n, Place(0, 0, seal), size) for n, size, seal in rows])
        return self._known[1]

    # the index -----------------------------------------------------------------------------------

    def uncovered(self, least: int = 1) -> int:
        """How many texts no segment covers."""
        return sum(len(run) for run in self._index.missing(self._table(), least=least))

    def index_pending(self, least: int, done: Callable[[int], None]) -> None:
        """Build the segments that are missing."""
        table = self._table()
        for run in self._index.missing(table, least=least):
            for start in range(0, len(run), A_SEGMENT):
                part = run[start : start + A_SEGMENT]
                self._index.add(table, part, (self._raw(frame.id) for frame in part))
                done(len(part))

    def _raw(self, number: int) -> bytes:
        found = self._extracts.kept.numbered(number)
        return lines_in(found[1]) if found else b""

    def damage(self) -> list[str]:
        return self._index.damage(self._table())

    def drop_stale(self) -> list[str]:
        return self._index.drop_stale(self._table())


def lines_in(text: Extracted) -> bytes:
    """The body as grep reads it: bytes, with the last line ended."""
    return (text.body if text.body.endswith("\n") else f"{text.body}\n").encode()
