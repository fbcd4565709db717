"""Fixed width: lines whose fields stand at the same columns, as mainframes and banks write them.

The option `columns` names the fields with their widths: `["id:6", "name:20", "amount:10:right"]`. The third part,
`left` or `right`, says where a value stands when it is written; numbers stand right by default. A field named
`_` is skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.rows import records_of
from rolltop.transform.formats.text import decode, typed
from rolltop.transform.values import is_number, scalar_text

__all__ = ["read", "write"]

_SHAPE = 'For example columns: ["id:6", "name:20", "amount:10:right"].'


class Column(NamedTuple):
    name: str
    start: int
    width: int
    align: str


def columns_in(options: Mapping[str, Any]) -> list[Column]:
    """The columns that the option declares."""
    declared = options.get("columns")
    if isinstance(declared, str):
        declared = declared.split(",")
    if not isinstance(declared, list) or not declared:
        raise InvalidInput("fixed width needs the option columns", hint=_SHAPE)
    found, start = [], 0
    for text in declared:
        name, _, rest = str(text).strip().partition(":")
        width, _, align = rest.partition(":")
        if not name or not width.isdigit() or int(width) < 1 or align not in ("", "left", "right"):
            raise InvalidInput(f"{str(text)[:60]!r} is no column of fixed width", hint=_SHAPE)
        found.append(Column(name, start, int(width), align))
        start += int(width)
    return found


def read(data: str | bytes, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """An object for every line that is not blank; blanks around values are padding."""
    columns = columns_in(options)
    shown = [column for column in columns if column.name != "_"]
    width = columns[-1].start + columns[-1].width
    value = typed if options.get("inferTypes") is not False else str
    records = []
    for number, line in enumerate(decode(data, "fixed width", options.get("encoding")).splitlines(), 1):
        if len(line.rstrip()) > width:
            raise ReadFailure(
                f"line {number} has {len(line.rstrip())} characters, and the columns have {width}",
                number,
                width + 1,
                hint="Widen a column, or add one: _:10 skips ten characters.",
            )
        if line.strip():
            records.append({c.name: value(line[c.start : c.start + c.width].strip()) for c in shown})
    return records


def write(value: Any, options: Mapping[str, Any]) -> str:
    """A line for every object; what does not fit into its column is an error, never cut."""
    columns = columns_in(options)
    lines = []
    for at, record in enumerate(records_of(value, "fixed width")):
        unknown = [key for key in record if key not in {column.name for column in columns}]
        if unknown:
            raise WriteFailure(f"there is no column for {unknown[0]!r}", hint=_SHAPE, key=unknown[0])
        lines.append("".join(_cell(record.get(column.name), column, at) for column in columns).rstrip(" "))
    return "".join(line + "\n" for line in lines)


def _cell(value: Any, column: Column, row: int) -> str:
    text = "" if value is None else scalar_text(value)
    if text is None or "\n" in text or "\r" in text:
        raise WriteFailure(f"{column.name!r} of row {row} cannot stand in a field of fixed width", key=column.name)
    if len(text) > column.width:
        raise WriteFailure(
            f"{column.name!r} of row {row} has {len(text)} characters, and the column has {column.width}",
            hint="Widen the column, or shorten the value with left(text, n).",
            key=column.name,
        )
    right = column.align == "right" or (not column.align and is_number(value))
    return text.rjust(column.width) if right else text.ljust(column.width)
