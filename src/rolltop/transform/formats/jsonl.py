"""JSON lines: one JSON value per line, read as an array of them and written from one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats import json
from rolltop.transform.formats.text import decode

__all__ = ["read", "read_lines", "write"]


def read(data: str | bytes, options: Mapping[str, Any]) -> list[Any]:
    """The values of all lines that are not blank."""
    # A text with half a surrogate pair has no bytes; the table of formats turns that into a read failure.
    return read_lines((data.encode() if isinstance(data, str) else data).split(b"\n"), 1)


def read_lines(lines: list[bytes], first: int) -> list[Any]:
    """The values of whole lines, the first of which is line `first` of its file."""
    if first == 1 and lines:
        lines = [lines[0].removeprefix(b"\xef\xbb\xbf"), *lines[1:]]
    return [_value(line, first + at) for at, line in enumerate(lines) if line and not line.isspace()]


def _value(line: bytes, number: int) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return _failed(line, number)


def _failed(line: bytes, number: int) -> Any:
    """The same with the reader that says where; its line is the only one it knows."""
    try:
        return json.read(decode(line, "JSON"), {})
    except ReadFailure as failure:
        column = failure.position.column if failure.position else 1
        message = failure.message.replace("at 1:", f"at {number}:", 1)
        raise ReadFailure(message, number, column, hint=failure.hint) from None


def write(value: Any, options: Mapping[str, Any]) -> str:
    """One line for each element of an array; anything else is one line."""
    return json.encode_lines(value if isinstance(value, list) else [value], options).decode()
