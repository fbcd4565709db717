"""Patterns in Java's notation, which the language has, as RE2 reads them.

What RE2 writes differently is rewritten: Java's classes (`\\h`, `\\R`, `\\p{Alpha}`, `\\p{IsLatin}`), characters by
number, classes inside of classes. What it cannot do at all (`Unsupported`) is told by name; everything
else is passed on as it is, and RE2 says what is wrong with it.
"""

from __future__ import annotations

import re

from rolltop.transform.stdlib._java_classes import CLASSES, LINE_BREAK, CharacterSet, property_set

__all__ = ["Unsupported", "translated"]

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
_POSIX = re.compile(r"\[:\^?\w+:\]")
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
            elif (posix := _POSIX.match(self.text, self.at)) is not None:
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
