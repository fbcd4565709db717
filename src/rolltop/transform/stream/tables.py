"""Pieces of CSV: rows in blocks of whole lines, only as large as is quick to work on."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from rolltop.transform.formats.csv_table import Layout, Rows, Table, open_table, tables

__all__ = ["BLOCK", "BrokenTable", "table_pieces", "tables_of", "texts_of"]

BLOCK = 1 << 17
"""Bytes that are cut into cells at a time: enough for a look at columns to pay."""


class BrokenTable(Exception):
    """The text is no CSV, or no UTF-8; where, reading it as a whole tells."""


def table_pieces(
    read: Callable[[int], bytes], options: Mapping[str, Any], work: Callable[[Table], Any], size: int
) -> Iterator[Any]:
    """What the work makes of each piece of a table."""
    texts = texts_of(read, min(size, BLOCK))
    try:
        opening = open_table(texts, options)
        yield from map(work, tables_of(chain([opening.after], texts), opening.layout))
    except (csv.Error, UnicodeError):
        raise BrokenTable from None


def tables_of(texts: Iterator[str], layout: Layout) -> Iterator[Table]:
    """The parts of a table; there is at least one, as a program may fail even without records."""
    parts = tables(texts, layout)
    return chain([next(parts, Table(layout, Rows([])))], parts)


def texts_of(read: Callable[[int], bytes], size: int, *, start: bool = True) -> Iterator[str]:
    """The text in blocks of whole lines; at the start of a file there may be a byte order mark."""
    block = read(size)
    if start and block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        raise BrokenTable
    held: list[bytes] = []
    block = block.removeprefix(codecs.BOM_UTF8) if start else block
    while block:
        # Where carriage returns alone end the lines, one may be cut from the line feed that would belong to it.
        cut = block.rfind(b"\n") + 1 or block.rfind(b"\r", 0, -1) + 1
        if cut:
            yield b"".join([*held, block[:cut]]).decode()
            held = [block[cut:]]
        else:
            held.append(block)
        block = read(size)
    if last := b"".join(held):
        yield last.decode()
