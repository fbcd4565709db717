"""Pieces of CSV: rows, a few thousand at a time."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from rolltop.transform.formats.csv import is_row, raise_limit
from rolltop.transform.formats.csv_style import style_of

__all__ = ["BrokenTable", "Table", "table_pieces"]

_ROWS = 4000


class BrokenTable(Exception):
    """The text is no CSV, or no UTF-8; where, reading it as a whole tells."""


class Table:
    """The names of the columns, and rows of cells."""

    __slots__ = ("header", "index", "rows")

    def __init__(self, header: list[str], rows: list[list[str]]) -> None:
        self.header = header
        self.index = {name: at for at, name in enumerate(header)}  # of two columns of one name the last counts
        self.rows = rows


def table_pieces(
    read: Callable[[int], bytes], options: Mapping[str, Any], work: Callable[[Table], Any], size: int
) -> Iterator[Any]:
    """What the work makes of each piece of a table."""
    raise_limit()
    lines = chain.from_iterable(map(_lines, _texts(read, size)))
    reader = csv.reader(lines, delimiter=style_of(options).delimiter, strict=True)
    try:
        rows = filter(is_row, reader)
        header = [name.strip() for name in next(rows, [])]
        count = max(min(_ROWS, size // 16), 1)
        first = True
        while (some := list(islice(rows, count))) or first:
            first = False
            yield work(Table(header, some))
    except (csv.Error, UnicodeDecodeError):
        raise BrokenTable from None


def _texts(read: Callable[[int], bytes], size: int) -> Iterator[str]:
    """The text in blocks of whole lines."""
    block = read(size)
    if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        raise BrokenTable
    held = b""
    block = block.removeprefix(codecs.BOM_UTF8)
    while block:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield (held + block[:cut]).decode()
            held = block[cut:]
        else:
            held += block
        block = read(size)
    if held:
        yield held.decode()


def _lines(text: str) -> Iterator[str]:
    return io.StringIO(text, newline="")
