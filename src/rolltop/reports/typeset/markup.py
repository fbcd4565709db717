"""Text inside typst: nothing that a document says can become markup or code."""

from __future__ import annotations

import string

__all__ = ["literal", "text"]

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
