"""Pieces of CSV: rows, a few thousand at a time."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
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
    source: io.RawIOBase, options: Mapping[str, Any], work: Callable[[Table], Any], size: int
) -> Iterator[Any]:
    """What the work makes of each piece of a table."""
    buffered = io.BufferedReader(source, max(size, 16))
    if buffered.peek(4)[:4].startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        raise BrokenTable
    raise_limit()
    text = io.TextIOWrapper(buffered, "utf-8-sig", newline="")
    reader = csv.reader(text, delimiter=style_of(options).delimiter, strict=True)
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
    finally:
        text.detach()
        buffered.detach()
