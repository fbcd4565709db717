"""CSV: rows to objects (with headers) or arrays, cells typed, any delimiter; regional numbers on output."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.csv_style import Styled, style_of
from rolltop.transform.formats.csv_table import open_table, tables
from rolltop.transform.formats.table import Rendered
from rolltop.transform.formats.text import decode, encoding_of, place
from rolltop.transform.values import is_number, kind_of, scalar_text, unwrap

__all__ = ["Rows", "read", "write"]

_BLOCK = 1 << 16
"""Characters that are cut into cells at a time: what is at work stays near the processor."""


def read(data: str | bytes, options: Mapping[str, Any]) -> list[Any]:
    """An array of objects by header, or of arrays with `headers: false`."""
    text = decode(data, "CSV", options.get("encoding"))
    style = style_of(options)
    try:
        texts = _blocks(text)
        layout, _, after = open_table(texts, options)
        return list(chain.from_iterable(table.records() for table in tables(chain([after], texts), layout)))
    except csv.Error as error:
        line, column, reason = _locate(text, style.delimiter, style.quote or "", str(error))
        raise ReadFailure(f"CSV parse error at {line}:{column} - {reason}", line, column, hint=_HINT) from None


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


# ---- writing --------------------------------------------------------------------------------


def write(value: Any, options: Mapping[str, Any]) -> Rendered:
    """Rows as text; the header comes from the first object, or is given with the rows."""
    header, rows = _table(value)
    return Rendered(Rows(options).table(header, rows), encoding_of(options.get("encoding")))


class Rows:
    """Rows as text, all at once or in parts; the first record of the first part says what the columns are."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._style = style_of(options)
        self._show = _Cells(options)
        self._first: Any = None
        self.untouched = True
        """Whether no record has come yet."""

    def text(self, records: list[Any]) -> str:
        """The next records of an array."""
        if not records:
            return ""
        if self.untouched:
            self._first = records[0]
        header, rows = _table([self._first, *records])
        return self.table(header if self.untouched else None, rows[1:])

    def table(self, header: list[str] | None, rows: list[list[Any]]) -> str:
        delimiter, quote, show = self._style.delimiter, self._style.quote, self._show
        out = io.StringIO(newline="")
        if self.untouched and self._options.get("bom") is True:
            out.write("\ufeff")
        self.untouched = False
        if header is not None and self._options.get("headers") is not False:
            out.write(delimiter.join(_quoted(str(name), delimiter, quote) for name in header) + "\n")
        for row in rows:
            out.write(delimiter.join(_quoted(show.text(item), delimiter, quote) for item in row) + "\n")
        return out.getvalue()


def _table(value: Any) -> tuple[list[str] | None, list[list[Any]]]:
    value = unwrap(value)
    if isinstance(value, dict) and isinstance(value.get("rows"), list) and isinstance(value.get("headers"), list):
        return [scalar_text(name) or "" for name in value["headers"]], [_as_row(row) for row in value["rows"]]
    if isinstance(value, dict):
        return list(value), [list(value.values())]
    if not isinstance(value, list):
        return None, [[value]]
    first = value[0] if value else None
    if isinstance(first, dict):
        header = list(first)
        return header, [[row.get(key) for key in header] if isinstance(row, dict) else [row] for row in value]
    if isinstance(first, list):
        return None, [_as_row(row) for row in value]
    return (["value"] if value else None), [[item] for item in value]


def _as_row(row: Any) -> list[Any]:
    if isinstance(row, dict):
        return list(row.values())
    return row if isinstance(row, list) else [row]


def _quoted(text: str, delimiter: str, quote: str | None = '"') -> str:
    special = delimiter in text or "\n" in text or "\r" in text
    if quote is None:
        if special:
            raise WriteFailure(
                "a cell has a delimiter or a line break, and cells are not quoted", hint="Allow quotes, or replace it."
            )
        return text
    if special or quote in text or text[:1] == " " or text[-1:] == " ":
        return quote + text.replace(quote, quote * 2) + quote
    return text


class _Cells:
    """How values print in cells."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.styled = Styled.of(options)

    def text(self, value: Any) -> str:
        value = unwrap(value)
        if value is None:
            return ""
        if self.styled is not None and is_number(value):
            return self.styled.text(value)
        if isinstance(value, (str, bool, int, float, dt.date, dt.time)):
            return scalar_text(value) or ""
        if isinstance(value, (list, dict)):
            from rolltop.transform.formats.json import write as as_json  # noqa: PLC0415 - only nested cells need it

            return as_json(value, {"compact": True})
        raise WriteFailure(f"a cell cannot hold a {kind_of(value)}")
