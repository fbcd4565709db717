"""Parts of a text and its layout: substring, split, trim, pad, repeat, join."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.limits import MOST_CHARACTERS, check_text
from rolltop.transform.stdlib.texts import text_of


@function("trim(s: String): String", category="string", examples=[('trim("  a b ")', '"a b"')])
def trim(s: str) -> str:
    """Removes whitespace at both ends."""
    return s.strip()


@function("leftTrim(s: String): String", category="string", examples=[('leftTrim("  a ")', '"a "')])
def left_trim(s: str) -> str:
    """Removes whitespace at the start."""
    return s.lstrip()


@function("rightTrim(s: String): String", category="string", examples=[('rightTrim("  a ")', '"  a"')])
def right_trim(s: str) -> str:
    """Removes whitespace at the end."""
    return s.rstrip()


@function("normalizeSpace(s: String): String", category="string", examples=[('normalizeSpace(" a \\n b  ")', '"a b"')])
def normalize_space(s: str) -> str:
    """Trims a text and makes one blank of every run of whitespace."""
    return " ".join(s.split())


@function(
    "substring(s: String, start: Integer, end?: Integer): String",
    category="string",
    params={"start": "Position of the first character, from 0", "end": "Position after the last character"},
    examples=[
        ('substring("hello", 1, 3)', '"el"'),
        ('substring("hello", 3)', '"lo"'),
        ('substring("hi", 1, 99)', '"i"'),
    ],
)
def substring(s: str, start: int, end: int | None = None) -> str:
    """Cuts out the characters from a position up to (not including) another; both are moved into the text."""
    begin = start if start > 0 else 0
    if end is None:
        return s[begin:]
    return s[begin:end] if end > begin else ""


@function(
    "substringBefore(s: String, separator: String): String",
    category="string",
    examples=[('substringBefore("a/b/c", "/")', '"a"'), ('substringBefore("abc", "/")', '"abc"')],
)
def substring_before(s: str, separator: str) -> str:
    """The text before the first separator; the whole text when there is none."""
    return s.partition(separator)[0] if separator else ""


@function(
    "substringAfter(s: String, separator: String): String",
    category="string",
    examples=[('substringAfter("a/b/c", "/")', '"b/c"'), ('substringAfter("abc", "/")', '""')],
)
def substring_after(s: str, separator: str) -> str:
    """The text after the first separator; empty when there is none."""
    return s.partition(separator)[2] if separator else s


@function(
    "substringBeforeLast(s: String, separator: String): String",
    category="string",
    examples=[('substringBeforeLast("a/b/c", "/")', '"a/b"'), ('substringBeforeLast("abc", "/")', '""')],
)
def substring_before_last(s: str, separator: str) -> str:
    """The text before the last separator; empty when there is none."""
    return s.rpartition(separator)[0] if separator else s


@function(
    "substringAfterLast(s: String, separator: String): String",
    category="string",
    examples=[('substringAfterLast("a/b/c", "/")', '"c"'), ('substringAfterLast("abc", "/")', '""')],
)
def substring_after_last(s: str, separator: str) -> str:
    """The text after the last separator; empty when there is none."""
    if not separator:
        return ""
    _, found, after = s.rpartition(separator)
    return after if found else ""


@function(
    "extractBetween(s: String, open: String, close: String): String",
    category="string",
    examples=[('extractBetween("a [b] c", "[", "]")', '"b"'), ('extractBetween("a [b c", "[", "]")', '""')],
)
def extract_between(s: str, open_: str, close: str) -> str:
    """The text between the first opening mark and the next closing one; empty when either is missing."""
    start = s.find(open_)
    if start < 0:
        return ""
    start += len(open_)
    end = s.find(close, start)
    return s[start:end] if end >= 0 else ""


@function(
    "split(s: String, separator: String): Array<String>",
    category="string",
    examples=[('split("a,b,,c", ",")', '["a", "b", "", "c"]'), ('split("ab", "")', '["", "a", "b", ""]')],
)
def split(s: str, separator: str) -> list[str]:
    """Cuts a text at every occurrence of a separator, which is taken literally."""
    return s.split(separator) if separator else ["", *s, ""]


@function(
    "joinBy(array: Array, separator: String): String",
    category="string",
    examples=[('joinBy(["a", 1, null, true], "-")', '"a-1--true"'), ('joinBy([], ",")', '""')],
)
def join_by(array: list[Any], separator: str) -> str:
    """Joins the texts of the elements with a separator between them; null counts as empty text."""
    try:
        return separator.join(array)
    except TypeError:
        return separator.join(map(text_of, array))


@function(
    "length(value: Any): Integer",
    category="string",
    examples=[('length("hello")', "5"), ("length([1, 2])", "2"), ("length({ a: 1 })", "1"), ("length(null)", "0")],
)
def length(value: Any) -> int:
    """How many characters a text has, elements an array, properties an object, bytes a binary."""
    if type(value) is str or isinstance(value, (list, dict, bytes)):
        return len(value)
    return 0 if value is None else len(text_of(value))


@function(
    "charAt(s: String, index: Integer): String",
    category="string",
    examples=[('charAt("abc", 1)', '"b"'), ('charAt("abc", 3)', "error: position 3 is outside")],
)
def char_at(s: str, index: int) -> str:
    """The character at a position, counted from 0."""
    return _char(s, index)


@function(
    "charCodeAt(s: String, index: Integer): Integer",
    category="string",
    examples=[('charCodeAt("A€", 1)', "8364"), ('charCodeAt("", 0)', "error: position 0 is outside")],
)
def char_code_at(s: str, index: int) -> int:
    """The Unicode code point of the character at a position."""
    return ord(_char(s, index))


def _char(s: str, index: int) -> str:
    if not 0 <= index < len(s):
        fail(f"position {index} is outside the text of {len(s)} characters", hint="Positions count from 0.")
    return s[index]


@function(
    "fromCharCode(code: Integer): String",
    category="string",
    examples=[("fromCharCode(8364)", '"€"'), ("fromCharCode(-1)", "error: no character")],
)
def from_char_code(code: int) -> str:
    """The character with a Unicode code point."""
    if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        fail(f"{code} is the code of no character", hint="Codes go from 0 to 1114111, without 55296 to 57343.")
    return chr(code)


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
