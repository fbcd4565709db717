"""Where one large input can be divided: ranges of bytes that should hold whole records.

The ends are guesses, made without reading records. Whoever works on a range proves its end by reading it from a start
that is proved: JSON does not parse, and a table ends inside a cell, when the guess was wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

__all__ = ["Range", "ranges_at", "table_ranges"]

_BLOCK = 1 << 20
_NEAR = 1 << 16
_FAR = 1 << 24
"""Bytes after which a quote that is not closed is taken for one that was never opened."""


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes of the file, from a place between two records to one that should be."""

    start: int
    end: int


def ranges_at(source: BinaryIO, start: int, end: int, size: int, pattern: re.Pattern[bytes]) -> Iterator[Range]:
    """Ranges of about one size, each ending where the pattern is next found; that character belongs to none."""
    at = start
    while True:
        cut = _next_cut(source, at + size, end, pattern)
        yield Range(at, cut)
        if cut == end:
            return
        at = cut + 1


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
