"""The selected lines of one document, with their context and the places of the matches."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, overload

import numpy as np

from rolltop.store.grep.matcher import Matcher
from rolltop.store.records import Document, Object

if TYPE_CHECKING:
    from rolltop.store.blobs.reader import Reader
    from rolltop.store.extract import Extracted
    from rolltop.store.grep.engine import Pattern

__all__ = ["FileLines", "LineMatch", "blocks_of", "lines_of", "painted", "streamed_lines_of"]


BLOCK = 4 << 20
"""Bytes of a large document that are scanned at once."""

HELD = 1 << 20
"""Bytes of a large document's lines that are held for showing them."""


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
        lines: Sequence[bytes],
        selected: Sequence[int],
        matcher: Matcher | None,
        text: Extracted | None = None,
    ) -> None:
        self.document = document
        self.is_text = document.is_text or text is not None
        self._text = text
        self.selected = selected
        self._lines = lines
        self._matcher = matcher

    def part(self, selected: Sequence[int]) -> FileLines:
        """The same document with other lines selected."""
        return FileLines(self.document, self._lines, selected, self._matcher, self._text)

    def is_selected(self, index: int) -> bool:
        at = bisect_left(self.selected, index)
        return at < len(self.selected) and self.selected[at] == index

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

    def first_span(self, index: int) -> tuple[int, int]:
        """Where the pattern first matches in a line; (0, 0) where that is empty, and in an inverted search."""
        return self._matcher.first_span(self._lines[index]) if self._matcher else (0, 0)

    def matches(self, before: int = 0, after: int = 0, *, color: bool = False) -> Iterator[LineMatch]:
        for index in self.selected:
            yield self.match(index, before, after, color=color)

    def match(self, index: int, before: int = 0, after: int = 0, *, color: bool = False) -> LineMatch:
        """One of the selected lines."""
        line = self._lines[index]
        start, end = self.first_span(index)
        return LineMatch(
            line_number=index + 1,
            line=_text(painted(line, self.spans(index)) if color else line),
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


class _StreamedLines(Sequence[bytes]):
    """The lines of a large object, read as they are asked for; a few leaves of it are held at a time."""

    def __init__(self, reader: Reader, entry: Object, count: int) -> None:
        self._reader = reader
        self._entry = entry
        self._count = count
        self._first = 0
        self._held: list[bytes] = []

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self._line(each) for each in range(*index.indices(self._count))]
        return self._line(index)

    def _line(self, index: int) -> bytes:
        if not self._first <= index < self._first + len(self._held):
            found = self._reader.lines(self._entry, index + 1, None, HELD)
            self._first, self._held = index, found.data.removesuffix(b"\n").split(b"\n")
        return self._held[index - self._first]


def blocks_of(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """(line ends before, whole lines) of a content that comes in pieces; the last line is ended."""
    held, size, before = list[bytes](), 0, 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK and (cut := piece.rfind(b"\n") + 1):
            block = b"".join([*held[:-1], piece[:cut]])
            yield before, block
            before += block.count(b"\n")
            held, size = [piece[cut:]], len(piece) - cut
    if rest := b"".join(held):
        yield before, rest if rest.endswith(b"\n") else rest + b"\n"


def streamed_lines_of(document: Document, reader: Reader, entry: Object, matcher: Matcher, asked: Pattern) -> FileLines:
    """The selected lines of a document that is too large to be held as a whole."""
    selected, count = array("q"), 0
    for before, block in blocks_of(reader.pieces(entry)):
        newlines = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
        count = before + len(newlines)
        if asked.max_count and len(selected) >= asked.max_count:
            continue
        matching = np.searchsorted(newlines, np.array(matcher.line_ends(block), np.int64))
        if asked.invert:
            matching = np.setdiff1d(np.arange(len(newlines)), matching, assume_unique=True)
        selected.frombytes((matching + before).astype(np.int64).tobytes())
    if asked.max_count:
        del selected[asked.max_count :]
    return FileLines(document, _StreamedLines(reader, entry, count), selected, None if asked.invert else matcher)
