"""Rows as the `csv` module reads them, which is the reading that counts.

It does not tell a quoted cell of blanks from a line of blanks, nor a delimiter at the end of a line from an empty cell
behind it. The lines themselves do.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from rolltop.transform.formats.csv_style import Style

__all__ = ["Lines", "has_open_ends", "is_open_ended", "raise_limit", "rows_in", "rows_of"]

_MAX_FIELD = 1 << 27


class Lines:
    """The lines of a text; the last one that was read is remembered."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.last = ""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.last = next(self._lines)
        return self.last

    def tell(self) -> int:
        """How much was read."""
        return self._lines.tell()


def rows_of(text: str, style: Style, *, headless: bool = False) -> list[list[str]]:
    """The rows that have something on them. Without a header, their own ends say how many cells there are."""
    if headless and has_open_ends(text, style):
        lines = Lines(text)
        return [row[:-1] if is_open_ended(row, lines, style) else row for row in rows_in(lines, style)]
    rows = [row for row in _reader(io.StringIO(text, newline=""), style) if row]
    if not any(len(row) == 1 and row[0].isspace() for row in rows):
        return rows
    return list(rows_in(Lines(text), style))


def rows_in(lines: Lines, style: Style) -> Iterator[list[str]]:
    """The same, row by row as the lines are read, with an empty cell behind a delimiter at the end of a line."""
    quote = style.quote
    for row in _reader(lines, style):
        if len(row) > 1 or (row and row[0].strip()) or (row and quote is not None and quote in lines.last):
            yield row


def has_open_ends(text: str, style: Style) -> bool:
    """Whether a line may end with a delimiter."""
    delimiter = style.delimiter
    return f"{delimiter}\n" in text or f"{delimiter}\r" in text or text.endswith(delimiter)


def is_open_ended(row: list[str], lines: Lines, style: Style) -> bool:
    """Whether the row that was read last ends with a delimiter, behind which there is no cell."""
    return len(row) > 1 and not row[-1] and lines.last.rstrip("\r\n").endswith(style.delimiter)


def _reader(lines: Iterator[str], style: Style) -> Any:
    if style.quote is None:
        return csv.reader(lines, delimiter=style.delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=style.delimiter, quotechar=style.quote, strict=True)


def raise_limit() -> None:
    """Let cells be as long as any real one."""
    if csv.field_size_limit() < _MAX_FIELD:
        csv.field_size_limit(_MAX_FIELD)
