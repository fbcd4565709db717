"""An array inside an object: where it begins, proved, and where it ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from rolltop.transform.errors import ReadFailure

if TYPE_CHECKING:
    from rolltop.transform.stream.cutting import ArrayPieces

__all__ = ["find_array", "find_end"]

_LIMIT = 1 << 24
"""Bytes before the array that are looked through."""


def find_array(pieces: ArrayPieces, path: tuple[str, ...]) -> int:
    """Where the first element of the array at a path begins; `NoArray` when it is not found."""
    from rolltop.transform.stream.cutting import NoArray  # noqa: PLC0415 - it imports this module

    if pieces.buffer.lstrip(b" \t\r\n")[:1] != b"{":
        raise NoArray(pieces.buffer)
    pattern = re.compile(re.escape(orjson.dumps(path[-1])) + rb"[ \t\r\n]*:[ \t\r\n]*\[")
    after = 0
    while True:
        for found in pattern.finditer(pieces.buffer, after):
            after = found.end()
            if _leads_to(pieces.buffer[:after], path):
                return after
        if len(pieces.buffer) > _LIMIT or not pieces.more():
            raise NoArray(pieces.buffer)


def _leads_to(text: bytes, path: tuple[str, ...]) -> bool:
    """Whether text that ends in `[` opens the array at the path: closed there, it must be an object that shows it."""
    try:
        value: Any = orjson.loads(text + b"]" + b"}" * len(path))
    except orjson.JSONDecodeError:
        return False
    for name in path:
        if not isinstance(value, dict) or next(reversed(value), None) != name:
            return False
        value = value[name]
    return bool(value == [])


def find_end(pieces: ArrayPieces, lead: bytes, path: tuple[str, ...]) -> int:
    """Where in the buffer the array is closed; everything after it is here too, and must fit."""
    try:
        orjson.loads(lead + pieces.buffer)
        text = pieces.buffer.decode()
    except ValueError:
        pieces.broken()
    opening = "[0" if lead.endswith(b"0") else "["
    try:
        orjson.loads(opening + text)
    except orjson.JSONDecodeError as error:
        closed = text[: error.pos - len(opening)].rstrip(" \t\r\n")
        end = len(closed.encode()) - 1
        _check_tail(pieces, pieces.buffer[end:], path)
        return end
    raise AssertionError("an array inside an object that is not closed")


def _check_tail(pieces: ArrayPieces, tail: bytes, path: tuple[str, ...]) -> None:
    """The last of two properties of one name counts, and it is too late for that now."""
    for name in path:
        if orjson.dumps(name) + b":" in tail.replace(b" ", b""):
            line, column = pieces.where.of("")
            raise ReadFailure(
                f"the property {name!r} comes again after its array",
                line,
                column,
                hint="Such a file cannot be read piece by piece; use --no-stream.",
            )
