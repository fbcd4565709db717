"""The selected lines of one document, with their context and the places of the matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from rolltop.store.grep.matcher import Matcher
from rolltop.store.records import Document

if TYPE_CHECKING:
    from rolltop.store.extract import Extracted
    from rolltop.store.grep.engine import Pattern

__all__ = ["FileLines", "LineMatch", "lines_of", "painted"]


@dataclass(frozen=True, slots=True)
class LineMatch:
    """One selected line. Numbers and columns count from 1; `column_end` is the column after the first match."""

    line_number: int
    line: str
    column_start: int
    column_end: int
    before: list[str]
    after: list[str]
    place: str = ""
    """Where in the document a line of its text stands: "page 3". A line of a document that is text is its place."""


class FileLines:
    """A document with its lines; which of them are selected; where the pattern matches in each."""

    def __init__(
        self,
        document: Document,
        lines: list[bytes],
        selected: list[int],
        matcher: Matcher | None,
        text: Extracted | None = None,
    ) -> None:
        self.document = document
        self.is_text = document.is_text or text is not None
        self._text = text
        self.selected = selected
        self._lines = lines
        self._matcher = matcher

    def part(self, selected: list[int], pieces: Mapping[int, bytes] | None = None) -> FileLines:
        """The same document with other lines selected, and some lines shown as these pieces of them."""
        lines = self._lines
        if pieces:
            lines = lines.copy()
            for index, piece in pieces.items():
                lines[index] = piece
        part = FileLines(self.document, lines, selected, self._matcher, self._text)
        if pieces and self._text is not None:
            part.__dict__["_starts"] = self._starts  # where the whole lines stand
        return part

    def line(self, index: int) -> bytes:
        return self._lines[index]

    def __len__(self) -> int:
        return len(self._lines)

    def place(self, index: int) -> str:
        """Where in the document a line of its text stands; nothing where the lines are the document's own."""
        if self._text is None or not self._text.anchors:
            return ""
        return self._text.place(self._starts[index])

    @cached_property
    def _starts(self) -> list[int]:
        """Where in the text each line begins."""
        return [0, *accumulate(len(_text(line)) + 1 for line in self._lines)]

    def spans(self, index: int) -> list[tuple[int, int]]:
        """Where the pattern matches in a line, as byte offsets; nothing in an inverted search."""
        return self._matcher.spans(self._lines[index]) if self._matcher else []

    def matches(self, before: int = 0, after: int = 0, *, color: bool = False) -> Iterator[LineMatch]:
        for index in self.selected:
            yield self.match(index, before, after, color=color)

    def match(self, index: int, before: int = 0, after: int = 0, *, color: bool = False) -> LineMatch:
        """One of the selected lines."""
        line, spans = self._lines[index], self.spans(index)
        start, end = spans[0] if spans else (0, 0)
        return LineMatch(
            line_number=index + 1,
            line=_text(painted(line, spans) if color else line),
            column_start=len(_text(line[:start])) + 1,
            column_end=len(_text(line[:end])) + 1,
            before=[_text(text) for text in self._lines[max(0, index - before) : index]],
            after=[_text(text) for text in self._lines[index + 1 : index + 1 + after]],
            place=self.place(index),
        )


def painted(line: bytes, spans: list[tuple[int, int]]) -> bytes:
    """The line with its matches in grep's colour."""
    out, position = bytearray(), 0
    for start, end in spans:
        out += line[position:start] + b"\x1b[01;31m\x1b[K" + line[start:end] + b"\x1b[m\x1b[K"
        position = end
    return bytes(out + line[position:])


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def lines_of(
    document: Document, content: bytes, matcher: Matcher, asked: Pattern, text: Extracted | None = None
) -> FileLines:
    """The selected lines of a document, or of the `text` that was read out of it."""
    if not content:
        return FileLines(document, [], [], None, text)
    whole = content if content.endswith(b"\n") else content + b"\n"
    lines = whole[:-1].split(b"\n")
    ends = np.array(matcher.line_ends(whole), np.int64)
    newlines = np.flatnonzero(np.frombuffer(whole, np.uint8) == 10)
    matching = np.searchsorted(newlines, ends)
    if asked.invert:
        others = np.ones(len(lines), np.bool_)
        others[matching] = False
        matching = np.flatnonzero(others)
    if asked.max_count:
        matching = matching[: asked.max_count]
    return FileLines(document, lines, matching.tolist(), None if asked.invert else matcher, text)
