"""Translate Java regular expressions, as UTL-X writes them, into the notation of RE2."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import re2

__all__ = ["CLASSES", "LINE_BREAK", "CharacterSet", "Unsupported", "property_set", "translated"]

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


_MOST_REPETITIONS = 1000
"""What RE2 allows."""
_REPETITION = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_NAMED_GROUP = re.compile(r"\(\?P?<\w+>")
_OPENING = re.compile(r"\||\((?:\?(?:P?<\w+>|[a-z-]*:))?|")
"""What nothing can be repeated behind."""
_GROUPS = {
    "(?=": "a lookahead, (?=…)",
    "(?!": "a negative lookahead, (?!…)",
    "(?<=": "a lookbehind, (?<=…)",
    "(?<!": "a negative lookbehind, (?<!…)",
    "(?>": "an atomic group, (?>…)",
}
_REFUSED = {
    "G": "\\G, the end of the match before",
    "X": "\\X, a character with its marks",
    "k": "a back reference, \\k",
    **{digit: f"a back reference, \\{digit}" for digit in "123456789"},
}
_PAIR = re.compile(r"u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_NUMBERED = re.compile(r"u([0-9a-fA-F]{4})|0([0-3]?[0-7]{1,2})|(e)|c(.)", re.DOTALL)
_PROPERTY = re.compile(r"([pP])(?:\{([^{}]*)\}|(\w))")
_QUOTED = re.compile(r"Q(.*?)(?:\\E|\Z)", re.DOTALL)
_POSIX_CLASS = re.compile(r"\[:\^?\w+:\]")
_SPECIAL = re.compile(r"[!-/:-@\[-`{-~]")


class Unsupported(Exception):
    """A pattern that is right in Java and that RE2 cannot follow."""

    def __init__(self, what: str, hint: str = "Write it without, or filter the matches in a second step.") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def translated(pattern: str) -> str:
    """The pattern in RE2's notation."""
    return _Translation(pattern, nested=True).made() or _Translation(pattern, nested=False).made() or ""


class _Translation:
    """One way through a pattern from its start to its end.

    With `nested`, a bracket inside of a class opens a class as in Java; when such a class is never closed, it is
    meant as a bracket (`[[]`), which RE2 takes it for.
    """

    def __init__(self, text: str, *, nested: bool) -> None:
        self.text = text
        self.nested = nested
        self.at = 0
        self.pieces: list[str] = []

    def made(self) -> str | None:
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\":
                self._escape(inside=False)
            elif char == "[":
                if not self._class():
                    return None
            elif char == "(":
                self._group()
            elif char in "*+?{":
                self._quantifier()
            else:
                self._take(1)
        return "".join(self.pieces)

    def _take(self, count: int) -> None:
        """Pass characters on as they are."""
        self.pieces.append(self.text[self.at : self.at + count])
        self.at += count

    def _put(self, piece: str, read: int) -> None:
        """A piece in place of the characters read."""
        self.pieces.append(piece)
        self.at += read

    # ---- groups and quantifiers -------------------------------------------------------------

    def _group(self) -> None:
        for opening, what in _GROUPS.items():
            if self.text.startswith(opening, self.at):
                raise Unsupported(what)
        flags = _FLAGS.match(self.text, self.at)
        if flags is None:
            named = _NAMED_GROUP.match(self.text, self.at)
            self._take(len(named[0]) if named is not None else 1)
            return
        on, off, end = flags[1], flags[2] or "", flags[3]
        for flag, what in (("x", "the flag x, comments in patterns"), ("U", "the flag U, classes of all scripts")):
            if flag in on:
                raise Unsupported(what)
        # Without regard to case is so in all scripts here, and only \n ends a line: u and d change nothing.
        kept = on.translate(_DROPPED) + (f"-{left}" if (left := off.translate(_DROPPED)) else "")
        self._put(f"(?{kept}{end}" if kept or end == ":" else "(?:)", len(flags[0]))

    def _quantifier(self) -> None:
        found = _REPETITION.match(self.text, self.at)
        if found is None and self.text[self.at] == "{":
            self._take(1)
            return
        if found is not None and any(len(n) > 4 or int(n) > _MOST_REPETITIONS for n in found.groups() if n):
            raise Unsupported(f"more than {_MOST_REPETITIONS} repetitions, {found[0][:40]}")
        dangling = _OPENING.fullmatch(self.pieces[-1] if self.pieces else "") is not None
        self._take(len(found[0]) if found else 1)
        if self.text.startswith("+", self.at) and not dangling:
            raise Unsupported(
                "a possessive quantifier, as in a++", "Write it without the last +; write \\\\+ for a plus sign."
            )
        if self.text.startswith("?", self.at):
            self._take(1)

    # ---- classes -------------------------------------------------------------------------------

    def _class(self) -> bool:
        """A class in brackets; False when it is never closed."""
        depth, first = 1, True
        self._take(2 if self.text.startswith("[^", self.at) else 1)
        while self.at < len(self.text):
            char = self.text[self.at]
            if self.text.startswith("&&", self.at):
                raise Unsupported("an intersection of classes, &&", "Write the characters that are left.")
            if char == "\\":
                self._escape(inside=True)
            elif (posix := _POSIX_CLASS.match(self.text, self.at)) is not None:
                self._take(len(posix[0]))
            elif char == "[" and self.nested:
                depth += 1
                self._open_inner()
                first = True
                continue
            elif char == "]" and not first:
                depth -= 1
                if not depth:
                    self._take(1)
                    return True
                self._close_inner()
            elif char == "]":
                self._put("\\]", 1)
            else:
                self._take(1)
            first = False
        return not self.nested

    def _open_inner(self) -> None:
        """A class in a class is part of it, so its brackets are left out."""
        if self.text.startswith("[^", self.at):
            raise Unsupported("a negated class inside of a class", "Write two classes as alternatives: (?:[a]|[^b]).")
        if self.pieces[-1] == "-":
            self.pieces[-1] = "\\-"
        self.at += 1

    def _close_inner(self) -> None:
        self.at += 1
        if self.text.startswith("-", self.at):
            self._put("\\-", 1)

    # ---- escapes -------------------------------------------------------------------------------

    def _escape(self, *, inside: bool) -> None:
        """What follows a backslash."""
        text, at = self.text, self.at + 1
        char = text[at : at + 1]
        if not inside and char in _REFUSED:
            raise Unsupported(_REFUSED[char])
        if char in CLASSES:
            self._set(CLASSES[char], 2, inside=inside, negated=False)
        elif char.lower() in CLASSES and char.isupper():
            self._set(CLASSES[char.lower()], 2, inside=inside, negated=True)
        elif (named := _PROPERTY.match(text, at)) is not None:
            self._property(named, inside=inside)
        elif (pair := _PAIR.match(text, at)) is not None:
            self._put(bytes.fromhex(pair[1] + pair[2]).decode("utf-16-be", "replace"), len(pair[0]) + 1)
        elif (numbered := _NUMBERED.match(text, at)) is not None:
            self._put(f"\\x{{{_code(numbered):x}}}", len(numbered[0]) + 1)
        elif (literal := _QUOTED.match(text, at)) is not None:
            self._put(_SPECIAL.sub(r"\\\g<0>", literal[1]), len(literal[0]) + 1)
        elif text.startswith("N{", at):
            raise Unsupported("a character by its name, \\N{…}", "Write the character itself, or \\u and its number.")
        elif text.startswith("b{", at) and not inside:
            raise Unsupported("\\b{g}, the boundary of a character with its marks")
        elif char == "R" and not inside:
            self._put(LINE_BREAK, 2)
        elif char == "Z" and not inside:
            self._put("\\z", 2)
        else:
            self._take(2)

    def _property(self, named: re.Match[str], *, inside: bool) -> None:
        negated, name, read = named[1] == "P", named[2] or named[3], len(named[0]) + 1
        if name.startswith("^"):
            self._take(read)  # RE2's own way to negate
            return
        found = property_set(name)
        if found is None:
            raise Unsupported(
                f"the property \\{named[0][:40]}", "Write \\p{L} for letters, or the characters in brackets."
            )
        self._set(found, read, inside=inside, negated=negated)

    def _set(self, found: CharacterSet, read: int, *, inside: bool, negated: bool) -> None:
        if not inside:
            self._put(f"[{'^' if negated else ''}{found.inside}]", read)
        elif not negated:
            self._put(found.inside, read)
        elif found.others is not None:
            self._put(found.others, read)
        else:
            what = f"{self.text[self.at : self.at + min(read, 40)]} inside of a class"
            raise Unsupported(what, "Write two classes as alternatives.")


_DROPPED = str.maketrans("", "", "ud")


def _code(numbered: re.Match[str]) -> int:
    unit, octal, escape, control = numbered.groups()
    if unit is not None:
        return int(unit, 16)
    if octal is not None:
        return int(octal, 8)
    return 0x1B if escape is not None else ord(control) ^ 64
