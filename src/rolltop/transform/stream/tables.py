"""Pieces of CSV: rows in blocks of whole lines, only as large as is quick to work on."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from rolltop.transform.formats.csv_table import Rows, Table, open_table, tables

__all__ = ["BLOCK", "BrokenTable", "table_pieces", "texts_of"]

BLOCK = 1 << 16
"""Bytes that are cut into cells at a time: what is at work stays near the processor."""


class BrokenTable(Exception):
    """The text is no CSV, or no UTF-8; where, reading it as a whole tells."""


def table_pieces(
    read: Callable[[int], bytes], options: Mapping[str, Any], work: Callable[[Table], Any], size: int
) -> Iterator[Any]:
    """What the work makes of each piece of a table; there is at least one, which may have no rows."""
    texts = texts_of(read, min(size, BLOCK))
    try:
        opening = open_table(texts, options)
        pieces = tables(chain([opening.after], texts), opening.layout)
        for table in chain([next(pieces, Table(opening.layout, Rows([])))], pieces):
            yield work(table)
    except (csv.Error, UnicodeDecodeError):
        raise BrokenTable from None


def texts_of(read: Callable[[int], bytes], size: int) -> Iterator[str]:
    """The text in blocks of whole lines."""
    block = read(size)
    if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        raise BrokenTable
    held: list[bytes] = []
    block = block.removeprefix(codecs.BOM_UTF8)
    while block:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*held, block[:cut]]).decode()
            held = [block[cut:]]
        else:
            held.append(block)
        block = read(size)
    if last := b"".join(held):
        yield last.decode()
