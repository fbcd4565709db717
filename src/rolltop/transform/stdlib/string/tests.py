"""Tests and measures of a text: contains, startsWith, isBlank, levenshtein."""

from __future__ import annotations

import re
from typing import Any

from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.texts import identity, text_of

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")


@function(
    "contains(container: Any, part: Any): Boolean",
    category="string",
    params={"container": "Text, array, object or binary"},
    examples=[
        ('contains("hello", "ell")', "true"),
        ("contains([1, 2], 2.0)", "true"),
        ('contains({ a: 1 }, "a")', "true"),
        ('contains(null, "x")', "false"),
    ],
)
def contains(container: Any, part: Any) -> bool:
    """Whether a text has a part, an array an element, an object a key, a binary a run of bytes."""
    if type(container) is str:
        return (part if type(part) is str else text_of(part)) in container
    if isinstance(container, list):
        return has_element(container, part)
    if isinstance(container, dict):
        return text_of(part) in container
    if isinstance(container, bytes):
        return (part if isinstance(part, bytes) else text_of(part).encode()) in container
    return container is not None and text_of(part) in text_of(container)


def has_element(array: list[Any], value: Any) -> bool:
    """Whether an element equals the value as `==` does."""
    if type(value) is str:
        return value in array
    wanted = identity(value)
    return any(identity(item) == wanted for item in array)


@function(
    "startsWith(s: String, prefix: String): Boolean",
    category="string",
    examples=[('startsWith("hello", "he")', "true"), ('startsWith(12345, "12")', "true")],
)
def starts_with(s: str, prefix: str) -> bool:
    """Whether a text begins with another."""
    return s.startswith(prefix)


@function(
    "endsWith(s: String, suffix: String): Boolean",
    category="string",
    examples=[('endsWith("report.pdf", ".pdf")', "true")],
)
def ends_with(s: str, suffix: str) -> bool:
    """Whether a text ends with another."""
    return s.endswith(suffix)


@function(
    "isBlank(s: String): Boolean",
    category="string",
    examples=[('isBlank(" \\t")', "true"), ("isBlank(null)", "true"), ('isBlank("a")', "false")],
)
def is_blank(s: str) -> bool:
    """Whether a text is empty or only whitespace."""
    return not s or s.isspace()


@function(
    "isAlpha(s: String): Boolean",
    category="string",
    examples=[('isAlpha("Straße")', "true"), ('isAlpha("a1")', "false"), ('isAlpha("")', "false")],
)
def is_alpha(s: str) -> bool:
    """Whether a text has letters only, and at least one."""
    return s.isalpha()


@function(
    "isNumeric(s: String): Boolean",
    category="string",
    examples=[('isNumeric("0042")', "true"), ('isNumeric("4.2")', "false")],
)
def is_numeric(s: str) -> bool:
    """Whether a text has digits only, and at least one."""
    return s.isdecimal()


@function(
    "isAlphanumeric(s: String): Boolean",
    category="string",
    examples=[('isAlphanumeric("Room42")', "true"), ('isAlphanumeric("Room 42")', "false")],
)
def is_alphanumeric(s: str) -> bool:
    """Whether a text has letters and digits only, and at least one."""
    if s.isascii():
        return s.isalnum()
    return all(char.isalpha() or char.isdecimal() for char in s)


@function(
    "isWhitespace(s: String): Boolean",
    category="string",
    examples=[('isWhitespace(" \\n")', "true"), ('isWhitespace("")', "false")],
)
def is_whitespace(s: str) -> bool:
    """Whether a text has whitespace only, and at least one character."""
    return s.isspace()


@function(
    "isUpperCase(s: String): Boolean",
    category="string",
    examples=[('isUpperCase("ABC-1")', "true"), ('isUpperCase("Abc")', "false"), ('isUpperCase("42")', "true")],
)
def is_upper_case(s: str) -> bool:
    """Whether every letter of a text is a capital; false for the empty text."""
    return s.isupper() if s.isalpha() else bool(s) and all(char.isupper() for char in s if char.isalpha())


@function(
    "isLowerCase(s: String): Boolean",
    category="string",
    examples=[('isLowerCase("abc-1")', "true"), ('isLowerCase("Abc")', "false")],
)
def is_lower_case(s: str) -> bool:
    """Whether every letter of a text is small; false for the empty text."""
    return s.islower() if s.isalpha() else bool(s) and all(char.islower() for char in s if char.isalpha())


@function(
    "isPrintable(s: String): Boolean",
    category="string",
    examples=[('isPrintable("a b")', "true"), ('isPrintable("a\\nb")', "false")],
)
def is_printable(s: str) -> bool:
    """Whether a text is not empty and has no control characters."""
    return bool(s) and _CONTROL.search(s) is None


@function(
    "isAscii(s: String): Boolean",
    category="string",
    examples=[('isAscii("abc")', "true"), ('isAscii("ä")', "false")],
)
def is_ascii(s: str) -> bool:
    """Whether a text is not empty and has ASCII characters only."""
    return bool(s) and s.isascii()


@function(
    "isHexadecimal(s: String): Boolean",
    category="string",
    examples=[('isHexadecimal("00fF")', "true"), ('isHexadecimal("0x1")', "false")],
)
def is_hexadecimal(s: str) -> bool:
    """Whether a text has only hexadecimal digits, and at least one."""
    return _HEXADECIMAL.fullmatch(s) is not None


@function(
    "hasAlpha(s: String): Boolean",
    category="string",
    examples=[('hasAlpha("12a")', "true"), ('hasAlpha("12")', "false")],
)
def has_alpha(s: str) -> bool:
    """Whether a text has a letter."""
    return any(map(str.isalpha, s))


@function(
    "hasNumeric(s: String): Boolean",
    category="string",
    examples=[('hasNumeric("a1")', "true"), ('hasNumeric("a")', "false")],
)
def has_numeric(s: str) -> bool:
    """Whether a text has a digit."""
    return any(map(str.isdecimal, s))
