"""What a CSV text looks like before it is read: its delimiter, and columns that no row fills."""

from __future__ import annotations

import re
from typing import Any

from rolltop.transform import formats
from rolltop.transform.formats.csv_table import open_table
from rolltop.transform.formats.text import decode

__all__ = ["read_table"]

_DELIMITERS = (",", ";", "\t", "|")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_LINES = 20
_LOOKED_AT = 1 << 16


def read_table(text: str) -> tuple[Any, dict[str, str], list[str]]:
    """The rows; the options with which they were read, where those are not the usual ones; the columns."""
    delimiter = _delimiter(text)
    options = {} if delimiter == "," else {"delimiter": delimiter}
    rows = formats.read("csv", text, options)
    layout = open_table(iter([decode(text, "CSV")]), options).layout
    return rows, options, list(layout.names or ())


def _delimiter(text: str) -> str:
    """The character of the header that is in most lines as often as there; of those the most frequent, or the comma."""
    shown = _QUOTED.sub("", text[:_LOOKED_AT])
    lines = [line for line in shown.splitlines()[:_LINES] if line.strip()]
    if not lines:
        return ","
    header = {mark: lines[0].count(mark) for mark in _DELIMITERS}

    def regular(mark: str) -> tuple[int, int]:
        return sum(line.count(mark) == header[mark] for line in lines), header[mark]

    return max((mark for mark in _DELIMITERS if header[mark]), key=regular, default=",")
