"""What several formats need to know about text: decoding, typing of cells, limits."""

from __future__ import annotations

import codecs
import math
import re
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure
from rolltop.transform.values import INT_MAX, INT_MIN

__all__ = ["MARKS", "MAX_DEPTH", "NOT_UTF8", "NUMERIC", "decode", "encoding_of", "place", "typed"]

NOT_UTF8 = "Convert the file to UTF-8, or say its encoding."
MAX_DEPTH = 900
"""Levels of nesting in data; far above any real document, far below what hurts."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""What a text may begin with to say its encoding."""
_NUMBER = re.compile(r"-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
NUMERIC = frozenset("-.0123456789")
"""What a number begins with."""
_MAX_DIGITS = 17


def encoding_of(name: Any) -> str:
    """A character encoding by any of its names; UTF-8 when there is none."""
    if name is None:
        return "utf-8"
    try:
        found = codecs.lookup(str(name)[:100])
    except LookupError:
        raise InvalidInput(f"unknown encoding {str(name)[:40]!r}", hint="For example utf-8, latin-1, cp1252.") from None
    if not found._is_text_encoding:
        raise InvalidInput(f"{found.name} is no character encoding", hint="For example utf-8, latin-1, cp1252.")
    return found.name


def decode(data: str | bytes, what: str, encoding: Any = None, *, hint: str = NOT_UTF8) -> str:
    """Text without its byte order mark; bytes are in the given encoding, else UTF-8, unless a mark says otherwise."""
    if isinstance(data, str):
        return data[1:] if data[:1] == "\ufeff" else data
    mark, encoding = next(((m, e) for m, e in MARKS if data.startswith(m)), (b"", encoding_of(encoding)))
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line, column = place(data[: error.start].decode(encoding, "replace"), error.start)
        raise ReadFailure(
            f"{what}: the bytes are not {encoding.upper()}",
            line,
            column,
            hint=hint,
        ) from None


def place(text: str, offset: int) -> tuple[int, int]:
    """1-based line and column of an offset."""
    before = text[:offset]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def typed(text: str) -> Any:
    """The number that a text spells, else the text.

    Identifiers stay text: leading zeros, a plus sign, more digits than a double holds.
    """
    if not text or text[0] not in NUMERIC or len(text) > 40 or _NUMBER.fullmatch(text) is None:
        return text
    try:
        whole = int(text)
    except ValueError:
        if sum(char.isdigit() for char in text) > _MAX_DIGITS:
            return text
        number = float(text)
        return number if math.isfinite(number) else text
    return whole if INT_MIN <= whole <= INT_MAX else text
