"""Text inside typst: nothing that a document says can become markup or code."""

from __future__ import annotations

import re
import string

__all__ = ["length", "literal", "text"]

_LENGTH = re.compile(r"(\d{1,5}(?:\.\d{1,6})?)(px|cm|mm|in|inch|pt|em|%)?")

_ESCAPES: dict[int, str | None] = {ord(mark): f"\\{mark}" for mark in string.punctuation}
# Hints for line breaking that show nothing: typst 0.15 fails on a link that has one.
_ESCAPES |= dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_IN_STRING = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def text(words: str) -> str:
    """As content: every punctuation mark is escaped, so no mark has a meaning."""
    return words.translate(_ESCAPES)


def literal(value: str) -> str:
    """As a string in code."""
    return f'"{value.translate(_IN_STRING)}"'


def length(given: str) -> str | None:
    """A length of an attribute in typst's units, None when it is none."""
    found = _LENGTH.fullmatch(given.strip())
    if found is None or not float(found[1]):
        return None
    number, unit = float(found[1]), found[2] or "px"
    if unit == "px":
        return f"{number * 0.75:g}pt"
    return f"{min(number, 100.0):g}%" if unit == "%" else f"{number:g}{'in' if unit == 'inch' else unit}"
