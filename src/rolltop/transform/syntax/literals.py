"""What number and string tokens stand for."""

from __future__ import annotations

import re
from decimal import Decimal

from rolltop.transform.syntax.cursor import Cursor
from rolltop.transform.values import fit

__all__ = ["number_value", "quote", "string_value", "unescaped"]

_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\\": "\\", '"': '"', "'": "'", "/": "/",
    "`": "`", "$": "$",
}  # fmt: skip
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)


def number_value(text: str) -> int | float | Decimal:
    """An integer where 64 bits hold it, a decimal with an `m` behind, else the nearest double or infinity."""
    if text.isdigit():
        return fit(int(text)) if len(text) < 400 else float("inf")
    return Decimal(text[:-1]) if text[-1] == "m" else float(text)


def string_value(cursor: Cursor, token: int) -> str:
    """The characters of a string literal; an unknown escape is a finding, the rest is kept."""
    return unescaped(cursor, cursor.offsets[token] + 1, cursor.texts[token][1:-1])


def unescaped(cursor: Cursor, start: int, inner: str) -> str:
    """The characters that a part of a literal stands for; it begins at an offset of the source."""
    if "\\" not in inner:
        return inner

    def replace(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) == 5:
            return chr(int(escape[1:], 16))
        known = _ESCAPES.get(escape)
        if known is None:
            cursor.problems.append(
                cursor.source.diagnostic(
                    "E104",
                    f"Invalid escape sequence: \\{escape}",
                    start + match.start(),
                    hint="Known are \\n \\t \\r \\b \\f \\\\ \\\" \\' \\/ and \\uXXXX; write \\\\ for a backslash.",
                )
            )
            return escape
        return known

    decoded = _ESCAPE.sub(replace, inner)
    # Two \u escapes that are a surrogate pair are one character.
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if "\\u" in inner else decoded


_QUOTED = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\\": "\\\\", '"': '\\"'}


def quote(text: str) -> str:
    """A text as a string literal."""
    body = "".join(_QUOTED.get(char, char if char >= " " else f"\\u{ord(char):04x}") for char in text)
    return f'"{body}"'
