"""Writing tables: the texts of a whole column at once where its values are alike, quotes only where they are needed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.formats.csv_style import Style, Styled, style_of
from rolltop.transform.formats.table import Rendered
from rolltop.transform.formats.text import encoding_of
from rolltop.transform.values import is_empty_element, is_number, kind_of, number_text, scalar_text, unwrap

__all__ = ["Rows", "write"]

Row = Sequence[Any]


def write(value: Any, options: Mapping[str, Any]) -> Rendered:
    """Rows as text; the header comes from the first object, or is given with the rows."""
    header, rows = _table(value)
    return Rendered(Rows(options).table(header, rows), encoding_of(options.get("encoding")))


class Rows:
    """Rows as text, all at once or in parts; the first record of the first part says what the columns are."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._style = style_of(options)
        self._cells = _Cells(self._style, Styled.of(options))
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

    def table(self, header: list[str] | None, rows: list[Row]) -> str:
        mark = "\ufeff" if self.untouched and self._options.get("bom") is True else ""
        self.untouched = False
        head = ""
        if header is not None and self._options.get("headers") is not False:
            head = self._style.delimiter.join(self._names(header)) + "\n"
        return mark + head + self._lines(rows)

    def _names(self, header: list[str]) -> list[str]:
        names = [_quoted(str(name), self._style) for name in header]
        if names and not names[-1]:
            names[-1] = (self._style.quote or "") * 2  # behind a delimiter at the end of a line there is no cell
        return names

    def _lines(self, rows: list[Row]) -> str:
        texts: Iterable[Sequence[str]] = map(self._cells.column, rows)
        widths = set(map(len, rows))
        if len(widths) == 1 and rows[0]:
            texts = zip(*map(self._cells.column, zip(*rows, strict=True)), strict=True)
        lines: Iterable[str] = map(self._style.delimiter.join, texts)
        if 1 in widths:
            lines = map(self._line, lines, rows)
        return "".join([f"{line}\n" for line in lines])

    def _line(self, line: str, row: Row) -> str:
        """The line of a row. One cell alone is quoted when it shows nothing: blank lines are no rows."""
        quote = self._style.quote or ""
        return line if line.strip() or len(row) != 1 else quote + line + quote


def _table(value: Any) -> tuple[list[str] | None, list[Row]]:
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


class _Cells:
    """How values print in cells."""

    def __init__(self, style: Style, styled: Styled | None) -> None:
        self._style = style
        self._styled = styled
        self._known: dict[type, Callable[[Any], str]] = {str: str, bool: lambda value: "true" if value else "false"}
        if styled is None:
            self._known |= {int: str, float: _double_text}

    def column(self, values: Row) -> list[str]:
        """The values as they stand in the text."""
        kinds = set(map(type, values))
        show = self._known.get(kinds.pop(), self._text) if len(kinds) == 1 else self._text
        texts = list(map(show, values))
        return texts if self._are_plain(texts) else [_quoted(text, self._style) for text in texts]

    def _are_plain(self, texts: list[str]) -> bool:
        """Whether no text needs quotes: looked for in all of them at once."""
        delimiter, quote = self._style.delimiter, self._style.quote
        joined = delimiter.join(texts)
        if "\n" in joined or "\r" in joined or (quote is not None and quote in joined):
            return False
        if joined.count(delimiter) != len(texts) - 1:
            return False
        if quote is None or " " not in joined:
            return True
        return f" {delimiter}" not in joined and f"{delimiter} " not in joined and joined == joined.strip(" ")

    def _text(self, value: Any) -> str:
        value = unwrap(value)
        if value is None:
            return ""
        if self._styled is not None and is_number(value):
            return self._styled.text(value)
        if isinstance(value, (str, bool, dt.date, dt.time)) or is_number(value):
            return scalar_text(value) or ""
        if isinstance(value, (list, dict)) and not is_empty_element(value):
            from rolltop.transform.formats.json import write as as_json  # noqa: PLC0415 - only nested cells need it

            return as_json(value, {"compact": True})
        if isinstance(value, dict):
            return ""
        raise WriteFailure(f"a cell cannot hold a {kind_of(value)}")


def _double_text(number: float) -> str:
    """In this range Python writes a double as it is to be written, unless it is whole."""
    if 0.001 <= number < 1e7 and not number.is_integer():
        return repr(number)
    return number_text(number)


def _quoted(text: str, style: Style) -> str:
    delimiter, quote = style.delimiter, style.quote
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
