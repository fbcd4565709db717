"""Texts made longer, shorter or different: padding, repeating, reversing, translating, slugs."""

from __future__ import annotations

import re
import unicodedata

from rolltop.transform.stdlib._limits import MOST_CHARACTERS, check_text
from rolltop.transform.stdlib.declare import function

_PAD_PARAMS = {"width": "Length of the result", "char": "What to pad with; its first character counts"}


@function(
    "pad(s: String, width: Integer, char: String): String",
    category="string",
    aliases=("padLeft",),
    params=_PAD_PARAMS,
    examples=[('pad("7", 3, "0")', '"007"'), ('padLeft("abcd", 3, "0")', '"abcd"'), ('pad("a", 3, "")', '"  a"')],
)
def pad(s: str, width: int, char: str) -> str:
    """Pads a text on the left to a width."""
    if width > MOST_CHARACTERS:
        check_text("pad", width)
    return s.rjust(width, char[0] if char else " ")


@function(
    "padRight(s: String, width: Integer, char: String): String",
    category="string",
    params=_PAD_PARAMS,
    examples=[('padRight("ab", 4, ".")', '"ab.."')],
)
def pad_right(s: str, width: int, char: str) -> str:
    """Pads a text on the right to a width."""
    if width > MOST_CHARACTERS:
        check_text("padRight", width)
    return s.ljust(width, char[0] if char else " ")


@function(
    "repeat(s: String, times: Integer): String",
    category="string",
    examples=[('repeat("ab", 3)', '"ababab"'), ('repeat("ab", -1)', '""')],
)
def repeat(s: str, times: int) -> str:
    """A text several times in a row."""
    check_text("repeat", len(s) * times)
    return s * times


@function("reverseString(s: String): String", category="string", examples=[('reverseString("abc")', '"cba"')])
def reverse_string(s: str) -> str:
    """The characters of a text from last to first."""
    return s[::-1]


@function(
    "translate(s: String, from: String, to: String): String",
    category="string",
    params={"from": "Characters to replace", "to": "Their replacements, by position"},
    examples=[('translate("2024-01-05", "-", "/")', '"2024/01/05"'), ('translate("a(b)", "()", "")', '"ab"')],
)
def translate(s: str, from_: str, to: str) -> str:
    """Replaces single characters by those at the same place of another text; those without partner are deleted."""
    table: dict[int, str | None] = {}
    for at, char in enumerate(from_):
        table.setdefault(ord(char), to[at] if at < len(to) else None)
    return s.translate(table)


@function(
    "truncate(s: String, max: Integer, ellipsis?: String): String",
    category="string",
    params={"max": "Longest result", "ellipsis": "What marks the cut, ... by default"},
    examples=[
        ('truncate("the quick brown fox", 10)', '"the qui..."'),
        ('truncate("the quick brown fox", 12, "…")', '"the quick b…"'),
        ('truncate("short", 10)', '"short"'),
    ],
)
def truncate(s: str, longest: int, ellipsis: str = "...") -> str:
    """Shortens a text to a length, with a mark where it was cut."""
    if longest <= 0:
        return ellipsis if longest else ""
    if len(s) <= longest:
        return s
    kept = longest - len(ellipsis)
    return s[:kept].rstrip() + ellipsis if kept > 0 else ellipsis[:longest]


_SPELLED = {ord("&"): " and ", ord("+"): " plus ", ord("@"): " at ", ord("ß"): "ss"}
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9\s-]")
_GAPS = re.compile(r"[\s-]+")


@function(
    "slugify(s: String): String",
    category="string",
    examples=[('slugify("  Crème & Sugar: 100% ")', '"creme-and-sugar-100"')],
)
def slugify(s: str) -> str:
    """Makes a text fit for a URL: small letters without accents, digits and hyphens."""
    s = s.lower()
    if not s.isascii():
        s = unicodedata.normalize("NFKD", s)
    return _GAPS.sub("-", _NOT_IN_SLUGS.sub("", s.translate(_SPELLED))).strip("-")
