"""What processes do with ranges of one large input, format by format.

A share knows where the ranges are, what the program makes of one, and how to go on alone from the start of one that did
not work: it was cut wrongly, is broken, or the program fails in it. All ranges before it were read to their ends, so
its start is proved to be between two records.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from rolltop.errors import RolltopError
from rolltop.transform.formats.csv_table import open_table
from rolltop.transform.stream.code import NotJson, PieceCode
from rolltop.transform.stream.cutting import ArrayPieces, NoArray, cut_pattern, holds_elements
from rolltop.transform.stream.engine import PIECE, SMALL_PIECE, NotStreamed
from rolltop.transform.stream.lines import line_pieces
from rolltop.transform.stream.plan import Plan
from rolltop.transform.stream.postponed import Postponed
from rolltop.transform.stream.ranges import Range, ranges_at, table_ranges
from rolltop.transform.stream.tables import BLOCK, BrokenTable, tables_of, texts_of
from rolltop.transform.stream.whereabouts import second_look

__all__ = ["FAILURES", "Runner", "Share", "limited", "share_of"]

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
        from rolltop.transform.stream.element_share import ElementShare  # noqa: PLC0415 - it imports this module

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
