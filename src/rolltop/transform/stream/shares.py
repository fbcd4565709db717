"""What processes do with byte ranges of one large input, format by format."""

from __future__ import annotations

import codecs
import csv
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import orjson

from rolltop.errors import RolltopError
from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.csv_table import open_table
from rolltop.transform.stream.blocks import BLOCK, BrokenTable, line_pieces, tables_of, texts_of
from rolltop.transform.stream.code import NotJson, PieceCode
from rolltop.transform.stream.elements import NoRecords, Records, element_pieces
from rolltop.transform.stream.engine import PIECE, SMALL_PIECE, NotStreamed
from rolltop.transform.stream.failures import Postponed
from rolltop.transform.stream.json_arrays import ArrayPieces, NoArray, cut_pattern, holds_elements
from rolltop.transform.stream.patterns import Scanner
from rolltop.transform.stream.plan import Plan
from rolltop.transform.stream.positions import second_look

__all__ = ["FAILURES", "ElementShare", "Range", "Runner", "Share", "limited", "ranges_at", "share_of", "table_ranges"]

_BLOCK = 1 << 20
_NEAR = 1 << 16
_FAR = 1 << 24
"""Bytes after which a quote that is not closed is taken for one that was never opened."""


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes of the file, from a place between two records to one that should be."""

    start: int
    end: int


def ranges_at(
    source: BinaryIO, start: int, end: int, size: int, pattern: re.Pattern[bytes], *, between: int = 1
) -> Iterator[Range]:
    """Ranges of about one size, each ending where the pattern's group is next found; it is so long, and in none."""
    at = start
    while True:
        cut = _next_cut(source, at + size, end, pattern)
        yield Range(at, cut)
        if cut == end:
            return
        at = cut + between


def _next_cut(source: BinaryIO, at: int, end: int, pattern: re.Pattern[bytes]) -> int:
    held = b""
    source.seek(at)
    while at < end:
        block = source.read(min(_BLOCK, end - at))
        found = pattern.search(held + block)
        if found is not None:
            return at - len(held) + found.start(1)
        at += len(block)
        held = (held + block)[-256:]
    return end


def table_ranges(source: BinaryIO, start: int, end: int, size: int, quote: bytes | None) -> Iterator[Range]:
    """Ranges of whole lines, each ending where the quotes in it come in pairs: between two of a pair is a cell."""
    at = start
    while True:
        source.seek(at)
        cut = _row_end(source, at, size, quote) or end
        yield Range(at, cut)
        if cut == end:
            return
        at = cut


def _row_end(source: BinaryIO, at: int, size: int, quote: bytes | None) -> int:
    """The end of the first line after so many bytes, or of a later one outside of quotes; 0 when there is none."""
    block = source.read(size)
    odd = quote is not None and block.count(quote) % 2 == 1
    at, found, looked = at + len(block), 0, 0
    while (block := source.read(_NEAR)) and looked < _FAR:
        done = 0
        while line := block.find(b"\n", done) + 1:
            odd ^= quote is not None and block.count(quote, done, line) % 2 == 1
            done, found = line, at + line
            if not odd:
                return found
        odd ^= quote is not None and block.count(quote, done) % 2 == 1
        at, looked = at + len(block), looked + len(block)
    return found if block else 0


Runner = Postponed | PieceCode
FAILURES = (RolltopError, NotJson, csv.Error, UnicodeDecodeError)
"""What is raised by work on a range with which something is wrong."""


class Share(ABC):
    """A large input and its ranges."""

    def __init__(self, plan: Plan, source: BinaryIO) -> None:
        self.plan = plan
        self.total = source.seek(0, io.SEEK_END)
        source.seek(0)

    @abstractmethod
    def ranges(self, source: BinaryIO, size: int) -> Iterator[Range]:
        """Ranges of about this size, of all records."""

    @abstractmethod
    def work(self, source: BinaryIO, piece: Range, runner: Runner) -> Iterator[Any]:
        """What the program makes of the records of a range, in pieces."""

    @abstractmethod
    def rest(self, source: BinaryIO, start: int, runner: Runner) -> Iterator[Any]:
        """The same from the start of a range to the end of the input."""


class LinesShare(Share):
    """JSON lines."""

    def ranges(self, source: BinaryIO, size: int) -> Iterator[Range]:
        return ranges_at(source, 0, self.total, size, re.compile(rb"(\n)"))

    def work(self, source: BinaryIO, piece: Range, runner: Runner) -> Iterator[Any]:
        # In the first line there may be a byte order mark; no other number matters, as nobody is told of it.
        first = 1 if piece.start == 0 else 2
        return line_pieces(limited(source, piece), runner.of_lines, SMALL_PIECE, first=first)

    def rest(self, source: BinaryIO, start: int, runner: Runner) -> Iterator[Any]:
        before = limited(source, Range(0, start))
        first = 1 + sum(block.count(b"\n") for block in iter(lambda: before(PIECE), b""))
        return line_pieces(source.read, runner.of_lines, SMALL_PIECE, first=first)


class ArrayShare(Share):
    """A JSON array, or one at a path of an object: what comes after it is no array, and left to the rest."""

    def __init__(self, plan: Plan, source: BinaryIO) -> None:
        super().__init__(plan, source)
        try:
            pieces = ArrayPieces(source.read, plan.path)
        except NoArray:
            raise NotStreamed from None
        self._start = source.tell() - len(pieces.buffer)
        self._cut = cut_pattern(pieces.buffer)
        self._head = b"".join(b"{" + orjson.dumps(name) + b":" for name in plan.path) + b"["
        self._tail = b"]" + b"}" * len(plan.path)

    def ranges(self, source: BinaryIO, size: int) -> Iterator[Range]:
        return ranges_at(source, self._start, self._end(source), size, self._cut)

    def _end(self, source: BinaryIO) -> int:
        """Where the bracket that closes the array should be."""
        back = min(self.total, 1 << 16)
        source.seek(self.total - back)
        tail = source.read(back)
        at = tail.rfind(b"]")
        # Without one, or with something after it, the last range ends with the file, and is left to the rest.
        closes = at >= 0 and not self.plan.path and not tail[at + 1 :].strip()
        return self.total - back + at if closes else self.total

    def work(self, source: BinaryIO, piece: Range, runner: Runner) -> Iterator[Any]:
        if piece.end == self.total:
            raise NotJson  # closed by force, an array that was cut off after an element would pass for a whole one
        block = limited(source, piece)(piece.end - piece.start)
        if not block.strip() or (self.plan.path and not holds_elements(block)):
            raise NotJson  # between two commas nothing would pass for an empty array
        text = io.BytesIO(self._head + block + self._tail)
        return ArrayPieces(text.read, self.plan.path, SMALL_PIECE).run(runner.of_json)

    def rest(self, source: BinaryIO, start: int, runner: Runner) -> Iterator[Any]:
        source.seek(0)
        again = second_look(source)
        return ArrayPieces(source.read, self.plan.path, SMALL_PIECE, skip=start, again=again).run(runner.of_json)


class TableShare(Share):
    """Rows of CSV; the header is read once."""

    def __init__(self, plan: Plan, source: BinaryIO) -> None:
        super().__init__(plan, source)
        try:
            opening = open_table(texts_of(source.read, BLOCK), plan.program.header.inputs[0].options)
        except (csv.Error, UnicodeDecodeError, BrokenTable):
            raise NotStreamed from None
        source.seek(0)
        mark = len(codecs.BOM_UTF8) if source.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0
        self._layout = opening.layout
        self._start = mark + opening.start

    def ranges(self, source: BinaryIO, size: int) -> Iterator[Range]:
        quote = self._layout.style.quote
        return table_ranges(source, self._start, self.total, size, None if quote is None else quote.encode())

    def work(self, source: BinaryIO, piece: Range, runner: Runner) -> Iterator[Any]:
        texts = texts_of(limited(source, piece), BLOCK, start=False)
        return map(runner.of_table, tables_of(texts, self._layout))

    def rest(self, source: BinaryIO, start: int, runner: Runner) -> Iterator[Any]:
        try:
            yield from self.work(source, Range(start, self.total), runner)
        except (csv.Error, UnicodeDecodeError):
            raise NotStreamed from None


_SHARES: dict[str, type[Share]] = {"json": ArrayShare, "jsonl": LinesShare, "csv": TableShare}


def share_of(plan: Plan, source: BinaryIO) -> Share:
    """The share of a plan's input; `NotStreamed` when the input is not what it should be."""
    format_ = plan.program.header.inputs[0].format
    if format_ == "xml":
        return ElementShare(plan, source)
    return _SHARES[format_](plan, source)


def limited(source: BinaryIO, piece: Range) -> Callable[[int], bytes]:
    """A reader of the bytes of a range."""
    source.seek(piece.start)
    left = piece.end - piece.start

    def read(size: int) -> bytes:
        nonlocal left
        block = source.read(min(size, left))
        left -= len(block)
        return block

    return read


_SAMPLE = 16
"""Records to learn from before they are taken by a pattern."""
"""Bytes in which the first record should begin."""


class ElementShare(Share):
    """The elements at a path of an XML document."""

    def __init__(self, plan: Plan, source: BinaryIO) -> None:
        super().__init__(plan, source)
        # What one range teaches about the records serves the next.
        self._scanner = Scanner(plan.program if plan.fold is None else plan.fold.pieces, plan.path, sample=_SAMPLE)
        self._start = _first_record(source, plan.path, self._scanner.arrays)
        source.seek(0)
        self._before = source.read(self._start)
        self._after = b"".join(f"</{name}>".encode() for name in reversed(plan.path[:-1]))
        record = re.escape(plan.path[-1].encode())
        self._cut = re.compile(rb"</%b[ \t\r\n]*>[ \t\r\n]*()<%b[ \t\r\n/>]" % (record, record))

    def ranges(self, source: BinaryIO, size: int) -> Iterator[Range]:
        return ranges_at(source, self._start, self.total, size, self._cut, between=0)

    def work(self, source: BinaryIO, piece: Range, runner: Runner) -> Iterator[Any]:
        try:
            yield from self._pieces(source, piece, runner)
        except NoRecords:
            raise NotJson from None

    def rest(self, source: BinaryIO, start: int, runner: Runner) -> Iterator[Any]:
        try:
            yield from self._pieces(source, Range(start, self.total), runner)
        except (NoRecords, ReadFailure):
            raise NotStreamed from None

    def _pieces(self, source: BinaryIO, piece: Range, runner: Runner) -> Iterator[Any]:
        # Every other range has at least one record, so that one in this range is not the only one.
        least = 2 if piece == Range(self._start, self.total) else 0
        after = self._after if piece.end < self.total else b""
        read = _framed(self._before, limited(source, piece), after)
        return element_pieces(read, self.plan.path, runner, self._scanner, size=PIECE, least=least)


class _First(Exception):
    """The first record begins at this byte."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at


class _Finder(Records):
    def shallow_start(self, name: str) -> None:
        super().shallow_start(name)
        if self.at_record():
            raise _First(self.parser.CurrentByteIndex)


def _first_record(source: BinaryIO, path: tuple[str, ...], arrays: frozenset[str]) -> int:
    """Where the first record begins; 0, so that all is one range, when it is not found in reach or is not told."""
    finder = _Finder(path, arrays)
    finder.begin()
    try:
        while source.tell() < _FAR and (block := source.read(PIECE)):
            finder.take(block)
    except _First as first:
        source.seek(first.at)
        return first.at if source.read(1) == b"<" else 0
    except (ReadFailure, NoRecords):
        return 0
    return 0


def _framed(before: bytes, read: Callable[[int], bytes], after: bytes) -> Callable[[int], bytes]:
    """A reader of all three, one after the other."""
    blocks = (block for source in (iter((before,)), iter(lambda: read(PIECE), b""), iter((after,))) for block in source)
    return lambda size: next((block for block in blocks if block), b"")
