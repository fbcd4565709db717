"""Ranges of XML records.

A range is read as a document of its own: what the file has before its first record, the range, and the end tags of the
elements around the records. That this is well-formed proves that the range ends between two records: inside a comment,
a tag or an element the end tags would be missing or not fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from rolltop.transform.errors import ReadFailure
from rolltop.transform.stream.code import NotJson
from rolltop.transform.stream.elements import NoRecords, Records, element_pieces
from rolltop.transform.stream.engine import PIECE, NotStreamed
from rolltop.transform.stream.marked import Scanner
from rolltop.transform.stream.plan import Plan
from rolltop.transform.stream.ranges import Range, ranges_at
from rolltop.transform.stream.shares import Runner, Share, limited

__all__ = ["ElementShare"]

_SAMPLE = 16
"""Records to learn from before they are taken by a pattern."""
_FAR = 1 << 24
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
