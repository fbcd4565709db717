"""CSV inside a program: reading rows, columns and cells, and rewriting whole tables as text.

A table is CSV text (quoting understood) or an object {headers, rows}. Cells are text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import kind_of, parse_number, scalar_text

_CSV = "String | Object"
_TABLE = {"csv": "CSV text with a header line, or an object {headers, rows}"}
_SAMPLE = '"id,name\\n1,Ann\\n2,Bob"'
Rows = list[list[str]]


def _table(source: str | dict[str, Any]) -> tuple[list[str], Rows]:
    """Header and rows, every row as wide as the header."""
    if isinstance(source, dict):
        headers, rows = source.get("headers"), source.get("rows")
        if not isinstance(headers, list) or not isinstance(rows, list):
            fail("this is no table", hint="Give CSV text or an object {headers: […], rows: [[…], …]}.")
        names = [scalar_text(name) or "" for name in headers]
        return names, [_cells(row, names) for row in rows]
    rows = _read(source)
    if not rows:
        return [], []
    header = [name.strip() for name in rows[0]]
    return header, [_fitted(row, len(header)) for row in rows[1:]]


def _read(text: str) -> Rows:
    try:
        return [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True) if row]
    except csv.Error as error:
        fail(f"the CSV cannot be read: {error}", hint='A quote inside a quoted cell is written twice: "a ""b""".')


def _cells(row: Any, names: list[str]) -> list[str]:
    if isinstance(row, dict):
        return [_cell(row.get(name)) for name in names]
    if not isinstance(row, list):
        fail(f"a row is an array or an object, not {kind_of(row)}", hint="For example [1, 2].")
    return _fitted([_cell(value) for value in row], len(names))


def _cell(value: Any) -> str:
    return "" if value is None else scalar_text(value) or ""


def _fitted(row: list[str], width: int) -> list[str]:
    return [*row[:width], *[""] * (width - len(row))]


def _text(header: list[str], rows: Rows) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([header, *rows] if header else rows)
    return out.getvalue().removesuffix("\n")


def _column(header: list[str], name: str) -> int:
    if name not in header:
        fail(f"there is no column {name[:60]!r}", hint=f"The columns are {', '.join(header)[:200]}.")
    return header.index(name)


def _row(rows: Rows, at: int) -> list[str]:
    if not 0 <= at < len(rows):
        fail(f"there is no row {at} in a table of {len(rows)}", hint="Rows are counted from 0, without the header.")
    return rows[at]


@function(
    f"csvRows(csv: {_CSV}): Array<Map<String>>",
    category="serialization",
    examples=[(f"csvRows({_SAMPLE})", '[{id: "1", name: "Ann"}, {id: "2", name: "Bob"}]')],
    params=_TABLE,
)
def csv_rows(source: str | dict[str, Any]) -> list[dict[str, str]]:
    """The rows of a table as objects."""
    header, rows = _table(source)
    return [dict(zip(header, row, strict=True)) for row in rows]


@function(
    f"csvColumns(csv: {_CSV}): Array<String>",
    category="serialization",
    examples=[(f"csvColumns({_SAMPLE})", '["id", "name"]')],
    params=_TABLE,
)
def csv_columns(source: str | dict[str, Any]) -> list[str]:
    """The names of the columns."""
    return _table(source)[0]


@function(
    f"csvColumn(csv: {_CSV}, name: String): Array<String>",
    category="serialization",
    examples=[(f'csvColumn({_SAMPLE}, "name")', '["Ann", "Bob"]'), (f'csvColumn({_SAMPLE}, "x")', "error: no column")],
    params=_TABLE,
)
def csv_column(source: str | dict[str, Any], name: str) -> list[str]:
    """All cells of one column."""
    header, rows = _table(source)
    at = _column(header, name)
    return [row[at] for row in rows]


@function(
    f"csvRow(csv: {_CSV}, index: Integer): Map<String>",
    category="serialization",
    examples=[(f"csvRow({_SAMPLE}, 1)", '{id: "2", name: "Bob"}')],
    params=_TABLE | {"index": "From 0, without the header"},
)
def csv_row(source: str | dict[str, Any], at: int) -> dict[str, str]:
    """One row of a table as an object."""
    header, rows = _table(source)
    return dict(zip(header, _row(rows, at), strict=True))


@function(
    f"csvCell(csv: {_CSV}, index: Integer, name: String): String",
    category="serialization",
    examples=[(f'csvCell({_SAMPLE}, 0, "name")', '"Ann"')],
    params=_TABLE | {"index": "The row, from 0, without the header", "name": "The column"},
)
def csv_cell(source: str | dict[str, Any], at: int, name: str) -> str:
    """One cell of a table."""
    header, rows = _table(source)
    return _row(rows, at)[_column(header, name)]


@function(
    f"csvTranspose(csv: {_CSV}): String",
    category="serialization",
    examples=[(f"csvTranspose({_SAMPLE})", '"id,1,2\\nname,Ann,Bob"')],
    params=_TABLE,
)
def csv_transpose(source: str | dict[str, Any]) -> str:
    """The table with rows and columns exchanged."""
    header, rows = _table(source)
    return _text([], [list(column) for column in zip(header, *rows, strict=True)])


_TESTS: dict[str, Callable[[int], bool]] = {
    "gt": lambda order: order > 0,
    "lt": lambda order: order < 0,
    "gte": lambda order: order >= 0,
    "lte": lambda order: order <= 0,
    "eq": lambda order: order == 0,
    "ne": lambda order: order != 0,
}
_SYMBOLS = {"=": "eq", "==": "eq", "!=": "ne", "<>": "ne", ">": "gt", "<": "lt", ">=": "gte", "<=": "lte"}
_TEXT_TESTS: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda cell, wanted: wanted in cell,
    "startswith": str.startswith,
    "endswith": str.endswith,
}


def _order(cell: str, wanted: str) -> int:
    """Numbers by value when both are, else texts."""
    left, right = parse_number(cell), parse_number(wanted)
    if left is not None and right is not None:
        return (left > right) - (left < right)
    return (cell > wanted) - (cell < wanted)


def _condition(operator: str, wanted: str) -> Callable[[str], bool]:
    name = _SYMBOLS.get(operator, operator.lower())
    if name in _TEXT_TESTS:
        test = _TEXT_TESTS[name]
        return lambda cell: test(cell, wanted)
    if name not in _TESTS:
        fail(
            f"there is no comparison {operator[:20]!r}",
            hint="Use eq, ne, gt, lt, gte, lte, contains, startswith or endswith.",
        )
    decide = _TESTS[name]
    if name in ("gt", "lt", "gte", "lte") and parse_number(wanted) is not None:
        # A cell that is empty, or no number, is neither more nor less than one.
        return lambda cell: parse_number(cell) is not None and decide(_order(cell, wanted))
    return lambda cell: decide(_order(cell, wanted))


@function(
    f"csvFilter(csv: {_CSV}, column: String, operator: String, value: String): String",
    category="serialization",
    examples=[
        (f'csvFilter({_SAMPLE}, "id", "gt", 1)', '"id,name\\n2,Bob"'),
        (f'csvFilter({_SAMPLE}, "name", "startswith", "A")', '"id,name\\n1,Ann"'),
        ('csvFilter("n,x\\n,a\\n2,b", "n", "lt", 5)', '"n,x\\n2,b"'),
    ],
    params=_TABLE | {"operator": "eq, ne, gt, lt, gte, lte (or == != > < >= <=), contains, startswith, endswith"},
)
def csv_filter(source: str | dict[str, Any], column: str, operator: str, value: str) -> str:
    """The table with only the rows whose cell in a column compares so; numbers compare by value, with numbers."""
    header, rows = _table(source)
    at, keep = _column(header, column), _condition(operator, value)
    return _text(header, [row for row in rows if keep(row[at])])


@function(
    f"csvSort(csv: {_CSV}, column: String, ascending?: Boolean): String",
    category="serialization",
    examples=[(f'csvSort({_SAMPLE}, "name", false)', '"id,name\\n2,Bob\\n1,Ann"')],
    params=_TABLE,
)
def csv_sort(source: str | dict[str, Any], column: str, ascending: bool = True) -> str:
    """The table sorted by the text of a column."""
    header, rows = _table(source)
    at = _column(header, column)
    return _text(header, sorted(rows, key=lambda row: row[at], reverse=not ascending))


@function(
    f"csvAddColumn(csv: {_CSV}, name: String, value: String): String",
    category="serialization",
    examples=[(f'csvAddColumn({_SAMPLE}, "ok", true)', '"id,name,ok\\n1,Ann,true\\n2,Bob,true"')],
    params=_TABLE | {"value": "What every row has in it"},
)
def csv_add_column(source: str | dict[str, Any], name: str, value: str) -> str:
    """The table with one more column."""
    header, rows = _table(source)
    if name in header:
        fail(f"there is a column {name[:60]!r} already", hint="Use another name.")
    return _text([*header, name], [[*row, value] for row in rows])


def _names(names: list[Any]) -> list[str]:
    return [scalar_text(name) or "" for name in names]


@function(
    f"csvRemoveColumns(csv: {_CSV}, names: Array<String>): String",
    category="serialization",
    examples=[(f'csvRemoveColumns({_SAMPLE}, ["id"])', '"name\\nAnn\\nBob"')],
    params=_TABLE,
)
def csv_remove_columns(source: str | dict[str, Any], names: list[Any]) -> str:
    """The table without some columns."""
    header = _table(source)[0]
    unwanted = _names(names)
    for name in unwanted:
        _column(header, name)
    return csv_select_columns(source, [name for name in header if name not in unwanted])


@function(
    f"csvSelectColumns(csv: {_CSV}, names: Array<String>): String",
    category="serialization",
    examples=[(f'csvSelectColumns({_SAMPLE}, ["name", "id"])', '"name,id\\nAnn,1\\nBob,2"')],
    params=_TABLE,
)
def csv_select_columns(source: str | dict[str, Any], names: list[Any]) -> str:
    """The table with only these columns, in this order."""
    header, rows = _table(source)
    wanted = _names(names)
    columns = [_column(header, name) for name in wanted]
    return _text(wanted, [[row[at] for at in columns] for row in rows])


@function(
    f"csvSummarize(csv: {_CSV}, columns?: Array<String>): Map<{{ count: Integer, sum: Number, avg: Number?, "
    "min: Number?, max: Number? }>",
    category="serialization",
    examples=[(f"csvSummarize({_SAMPLE})", "{id: {count: 2, sum: 3, avg: 1.5, min: 1, max: 2}}")],
    params=_TABLE | {"columns": "Default: every column that has numbers only"},
)
def csv_summarize(source: str | dict[str, Any], columns: list[Any] | None = None) -> dict[str, Any]:
    """Count, sum, average, least and greatest of the numbers in columns."""
    header, rows = _table(source)
    found: dict[str, Any] = {}
    for name in _names(columns) if columns is not None else header:
        cells = [row[_column(header, name)].strip() for row in rows]
        numbers = [number for cell in cells if (number := parse_number(cell)) is not None]
        if columns is None and (not numbers or len(numbers) != sum(map(bool, cells))):
            continue
        found[name] = _summary(numbers)
    return found


def _summary(numbers: list[int | float]) -> dict[str, Any]:
    if not numbers:
        return {"count": 0, "sum": 0, "avg": None, "min": None, "max": None}
    total = sum(numbers)
    return {
        "count": len(numbers),
        "sum": total,
        "avg": total / len(numbers),
        "min": min(numbers),
        "max": max(numbers),
    }
