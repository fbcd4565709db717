"""CSV: rows to objects (with headers) or arrays, cells typed, any delimiter; regional numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.csv_rows import Lines, rows_in
from rolltop.transform.formats.csv_style import Style, style_of
from rolltop.transform.formats.csv_table import SurplusCells, open_table, tables
from rolltop.transform.formats.csv_write import Rows, write
from rolltop.transform.formats.text import decode, place

__all__ = ["Rows", "read", "write"]

_ENCODING = 'Say its encoding, in the header as input csv { encoding: "cp1252" }, or convert it to UTF-8.'
_BLOCK = 1 << 15
"""Characters that are cut into cells at a time: what is at work stays near the processor."""


def read(data: str | bytes, options: Mapping[str, Any]) -> list[Any]:
    """An array of objects by header, or of arrays with `headers: false`."""
    text = decode(data, "CSV", options.get("encoding"), hint=_ENCODING)
    style = style_of(options)
    try:
        texts = _blocks(text)
        opening = open_table(texts, options)
        parts = tables(chain([opening.after], texts), opening.layout)
        return list(chain.from_iterable(table.records() for table in parts))
    except SurplusCells as error:
        line = _wide_line(text, style, opening.layout.width)
        raise ReadFailure(f"CSV parse error at {line}:1 - {error}", line, 1, hint=_SURPLUS) from None
    except csv.Error as error:
        line, column, reason = _locate(text, style.delimiter, style.quote or "", str(error))
        raise ReadFailure(f"CSV parse error at {line}:{column} - {reason}", line, column, hint=_HINT) from None


_SURPLUS = 'Quote cells that hold the delimiter, or drop what is beyond the header: input csv { extraCells: "drop" }.'


def _wide_line(text: str, style: Style, width: int) -> int:
    """The line of the first row that has more cells than the header."""
    lines, number = Lines(text), 0
    for row in rows_in(lines, style):
        number += 1
        if len(row) > width and any(row[width:]):
            return text.count("\n", 0, lines.tell() - 1) + 1
    return number


def _blocks(text: str) -> Iterator[str]:
    """The text in parts that end with lines."""
    at = 0
    while at < len(text):
        cut = text.rfind("\n", at, at + _BLOCK) + 1 or text.find("\n", at + _BLOCK) + 1 or len(text)
        yield text[at:cut]
        at = cut


_HINT = 'A quote inside a quoted cell is written twice: "a ""b"" c".'


def _locate(text: str, delimiter: str, quote: str, fallback: str) -> tuple[int, int, str]:
    """Read again, cell by cell, to the place that the csv module refused without saying where."""
    if not quote:
        return *place(text, len(text)), fallback
    bare = re.compile(f"[^{re.escape(delimiter)}\\r\\n]*")
    separator = re.compile(rf"{re.escape(delimiter)}|\r\n?|\n|\Z")
    at = 0
    while at < len(text):
        quoted = text.startswith(quote, at)
        end = _closing(text, at, quote) if quoted else bare.match(text, at).end()  # type: ignore[union-attr]
        if end < 0:
            return *place(text, at), "Unterminated quoted cell"
        follows = separator.match(text, end)
        if follows is None:
            return *place(text, end), "Expected delimiter or newline"
        at = follows.end()
    return *place(text, at), fallback


def _closing(text: str, at: int, quote: str) -> int:
    """Where the quoted cell that begins here ends; -1 where it does not. Doubled quotes are inside."""
    end = text.find(quote, at + 1)
    while end >= 0 and text.startswith(quote, end + 1):
        end = text.find(quote, end + 2)
    return end + 1 if end >= 0 else -1
