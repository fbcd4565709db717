"""The named classes of characters in Java's patterns, as RE2 writes them inside of brackets."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import re2

__all__ = ["CLASSES", "LINE_BREAK", "CharacterSet", "property_set"]

_LAST = 0x10FFFF


class CharacterSet(NamedTuple):
    """Characters, and all others, as they stand inside of brackets; None when the others cannot."""

    inside: str
    others: str | None = None


def _ranges(text: str) -> CharacterSet:
    """A set from code points in hexadecimal: `9-d 20`."""
    pairs = [(int(low, 16), int(high or low, 16)) for low, _, high in (part.partition("-") for part in text.split())]
    between = zip([0, *(high + 1 for _, high in pairs)], [*(low - 1 for low, _ in pairs), _LAST], strict=True)
    return CharacterSet(_written(pairs), _written([(low, high) for low, high in between if low <= high]))


def _written(pairs: list[tuple[int, int]]) -> str:
    return "".join(f"\\x{{{low:x}}}" + (f"-\\x{{{high:x}}}" if high > low else "") for low, high in pairs)


CLASSES = {
    "h": _ranges("9 20 a0 1680 180e 2000-200a 202f 205f 3000"),
    "v": _ranges("a-d 85 2028-2029"),
}
"""By the letter after the backslash; the capital letter stands for all others."""
LINE_BREAK = f"(?:\\r\\n|[{CLASSES['v'].inside}])"
"""`\\R`."""

_POSIX = (
    "Lower", "Upper", "ASCII", "Alpha", "Digit", "Alnum", "Punct", "Graph", "Print", "Blank", "Cntrl", "XDigit",
    "Space",
)  # fmt: skip
_LOWER = CharacterSet(
    r"\p{Ll}"
    + _ranges(
        "aa ba 2b0-2b8 2c0-2c1 2e0-2e4 345 37a 1d2c-1d6a 1d78 1d9b-1dbf 2071 207f 2090-209c 2170-217f 24d0-24e9 "
        "2c7c-2c7d a69c-a69d a770 a7f8-a7f9 ab5c-ab5f"
    ).inside
)
_UPPER = CharacterSet(r"\p{Lu}" + _ranges("2160-216f 24b6-24cf 1f130-1f149 1f150-1f169 1f170-1f189").inside)


def _category(name: str) -> CharacterSet:
    return CharacterSet(f"\\p{{{name}}}", f"\\P{{{name}}}")


_PLAIN: dict[str, CharacterSet] = {
    **{name: CharacterSet(f"[:{name.lower()}:]", f"[:^{name.lower()}:]") for name in _POSIX},
    "LC": CharacterSet(r"\p{Lu}\p{Ll}\p{Lt}"),
    "LD": CharacterSet(r"\p{L}\p{Nd}"),
    "L1": _ranges("0-ff"),
    "all": _ranges("0-10ffff"),
    "javaLowerCase": _LOWER,
    "javaUpperCase": _UPPER,
    "javaTitleCase": _category("Lt"),
    "javaDigit": _category("Nd"),
    "javaLetter": _category("L"),
    "javaLetterOrDigit": CharacterSet(r"\p{L}\p{Nd}"),
    "javaSpaceChar": _category("Z"),
    "javaISOControl": _category("Cc"),
    "javaWhitespace": _ranges("9-d 1c-20 1680 2000-2006 2008-200a 2028-2029 205f 3000"),
}
_BINARY: dict[str, CharacterSet] = {
    "letter": _category("L"),
    "lowercase": _LOWER,
    "uppercase": _UPPER,
    "titlecase": _category("Lt"),
    "punctuation": _category("P"),
    "control": _category("Cc"),
    "digit": _category("Nd"),
    "white_space": _ranges("9-d 20 85 a0 1680 2000-200a 2028-2029 202f 205f 3000"),
}
"""Properties that Unicode gives a name, which Java writes after `Is`."""


@lru_cache(maxsize=256)
def property_set(name: str) -> CharacterSet | None:
    """What `\\p{name}` stands for; None when RE2 has nothing that is the same."""
    if name in _PLAIN:
        return _PLAIN[name]
    key, equals, value = name.partition("=")
    if equals:
        return _named(value) if key.lower() in ("script", "sc", "general_category", "gc") else None
    if name[:2].lower() == "is" and len(name) > 2:
        return _BINARY.get(name[2:].lower()) or _named(name[2:])
    return _known(name)


def _named(name: str) -> CharacterSet | None:
    """A category or a script; Java does not mind how its letters are written, RE2 does."""
    return _known(name) or _known("_".join(part.capitalize() for part in name.split("_")))


def _known(name: str) -> CharacterSet | None:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(f"\\p{{{name}}}", options)
    except re2.error:
        return None
    return _category(name)
