"""Excel workbooks: read by python-calamine, written by XlsxWriter; both are in the extra `tables`.

Read, a sheet is an array of objects by its first row, or of arrays with `headers: false`. `sheet` names one or gives
its number from 1; `"all"` reads an object of all sheets by name. Written, an array of objects is one sheet, an object
of such arrays several.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.rows import as_bytes, columns_of, library, records_of
from rolltop.transform.formats.table import Rendered

__all__ = ["read", "write"]

_LONGEST = 32_767


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    """One sheet, the first by default, or all of them."""
    calamine = library("python_calamine", "tables", "reading xlsx")
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(as_bytes(data, "xlsx")))
        wanted = options.get("sheet", 1)
        headers = options.get("headers") is not False
        if wanted == "all":
            return {name: _rows(book.get_sheet_by_name(name), headers) for name in book.sheet_names}
        return _rows(book.get_sheet_by_name(_name(book.sheet_names, wanted)), headers)
    except calamine.CalamineError as error:
        raise ReadFailure(f"this is no workbook: {error}", hint="xlsx, xlsm, xls and ods are read.") from None


def _name(names: list[str], wanted: Any) -> str:
    known = f"The workbook has {', '.join(names[:20])}."
    if isinstance(wanted, str) and not wanted.isdigit():
        if wanted not in names:
            raise InvalidInput(f"there is no sheet {wanted[:60]!r}", hint=known)
        return wanted
    if not 1 <= int(wanted) <= len(names):
        raise InvalidInput(f"there is no sheet {wanted}", hint=known)
    return names[int(wanted) - 1]


def _rows(sheet: Any, headers: bool) -> list[Any]:
    rows = [[_value(cell) for cell in row] for row in sheet.to_python(skip_empty_area=True)]
    if not headers:
        return rows
    if not rows:
        return []
    names: list[str] = []
    for at, head in enumerate(rows[0], 1):
        name = str(head) if head is not None else f"column{at}"
        names.append(name if name not in names else f"{name}_{at}")
    return [dict(zip(names, row, strict=True)) for row in rows[1:]]


def _value(cell: Any) -> Any:
    """Workbooks know doubles only: whole ones are integers. An empty cell is null."""
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    if isinstance(cell, dt.timedelta):
        return cell.total_seconds()
    return cell


def write(value: Any, options: Mapping[str, Any]) -> Rendered:
    """A workbook with one sheet, or one for each property of an object of arrays."""
    writer = library("xlsxwriter", "tables", "writing xlsx")
    several = isinstance(value, dict) and bool(value) and all(isinstance(item, list) for item in value.values())
    sheets = value if several else {str(options.get("sheet", "Sheet1")): value}
    out = io.BytesIO()
    book = writer.Workbook(
        out, {"in_memory": True, "strings_to_urls": False, "strings_to_formulas": False, "strings_to_numbers": False}
    )
    dates = book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    for name, rows in sheets.items():
        try:
            sheet = book.add_worksheet(name)
        except writer.exceptions.XlsxWriterException as error:
            raise WriteFailure(f"{name!r} cannot be the name of a sheet", hint=str(error)[:120], key=name) from None
        _fill(sheet, records_of(rows, "xlsx"), dates, options.get("headers") is not False)
    book.close()
    return Rendered.binary(out.getvalue())


def _fill(sheet: Any, records: list[dict[str, Any]], dates: tuple[Any, Any], headers: bool) -> None:
    names = columns_of(records)
    if headers:
        sheet.write_row(0, 0, names)
    for at, record in enumerate(records, int(headers)):
        for column, name in enumerate(names):
            _write_cell(sheet, at, column, record.get(name), dates)


def _write_cell(sheet: Any, row: int, column: int, value: Any, dates: tuple[Any, Any]) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, (int, float, Decimal)):
        sheet.write_number(row, column, value)
    elif isinstance(value, dt.datetime):
        sheet.write_datetime(
            row, column, value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value, dates[1]
        )
    elif isinstance(value, dt.date):
        sheet.write_datetime(row, column, dt.datetime.combine(value, dt.time()), dates[0])
    else:
        from rolltop.transform.formats.json import encode  # noqa: PLC0415 - most cells are none of these

        text = value if isinstance(value, str) else encode(value, {"compact": True}).decode().strip('"')
        if len(text) > _LONGEST:
            raise WriteFailure(f"a cell holds {_LONGEST} characters, and a text has {len(text)}")
        sheet.write_string(row, column, text)
