"""Tokens of R at bracket depth 0; whatever is inside brackets is one `group` token.

Two patterns share the work: a full one for depth 0, and one that inside brackets stops only at
what can hide a bracket (strings, raw strings, comments, quoted names, `%op%`). Skipping the rest
at the speed of the regular expression engine is what makes reading a package cheap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Token", "brackets_and_quotes", "comments_in", "line_starts", "top_level_tokens"]

_RAW = r"""[rR](?P<q>["'])(?P<d>-*)(?P<b>[(\[{])"""
_STRING = r""""(?:[^"\\]|\\.)*+(?:"|\Z)|'(?:[^'\\]|\\.)*+(?:'|\Z)"""
_QUOTED_NAME = r"`(?:[^`\\]|\\.)*+(?:`|\Z)"
_NUMBER = (
    r"0[xX][0-9a-fA-F]*+(?:\.[0-9a-fA-F]*+)?(?:[pP][+-]?\d+)?[Li]?"
    r"|(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d*+)?[Li]?"
)
_NAME = r"(?:[^\W\d_]|\.(?!\d))[\w.]*+"
_OPERATOR = r"%[^%\n]*%|<<-|->>|:::|<-|->|<=|>=|==|!=|\|>|=>|\|\||&&|::|:=|\*\*|[-+*/^=<>!~?:$@&|,\\]"

_FULL = re.compile(
    rf"(?P<comment>\#[^\n]*)|(?P<raw>{_RAW})|(?P<string>{_STRING})|(?P<quoted>{_QUOTED_NAME})"
    rf"|(?P<name>{_NAME})|(?P<number>{_NUMBER})|(?P<open>[(\[{{])|(?P<close>[)\]}}])"
    rf"|(?P<newline>\n)|(?P<end>;)|(?P<operator>{_OPERATOR})|(?P<blank>[^\S\n]+)|(?P<other>.)",
    re.DOTALL,
)
_INSIDE = re.compile(
    rf"\#[^\n]*|(?<![\w.])(?P<raw>{_RAW})|{_STRING}|{_QUOTED_NAME}|%[^%\n]*%|(?P<open>[(\[{{])|(?P<close>[)\]}}])",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: `kind` is name, quoted, string, raw, number, operator, group, comment, newline, end, other."""

    kind: str
    text: str
    start: int
    end: int


def top_level_tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Every token of `text[start:end]` but blanks, with bracketed parts as single groups."""
    stop = len(text) if end is None else end
    raw_strings = _RawStrings(text, stop)
    position = start
    while position < stop:
        match = _FULL.match(text, position, stop)
        assert match is not None  # the last alternative takes any character
        kind, position = str(match.lastgroup), match.end()
        if kind == "blank":
            continue
        if kind == "open":
            kind, position = "group", _end_of_group(text, match.start(), stop, raw_strings)
        elif kind == "raw":
            position = raw_strings.end(match)
            kind = "raw" if position > match.end() else "name"
        yield Token(kind, text[match.start() : position], match.start(), position)


class _RawStrings:
    """Ends of raw strings. A closer that is missing once is missing for good: it is not searched for again."""

    _CLOSERS = {"(": ")", "[": "]", "{": "}"}  # noqa: RUF012

    def __init__(self, text: str, stop: int) -> None:
        self._text, self._stop = text, stop
        self._missing: set[str] = set()

    def end(self, opening: re.Match[str]) -> int:
        """The position after the raw string; one that is not closed is only its first letter, a name."""
        closer = self._CLOSERS[opening["b"]] + opening["d"] + opening["q"]
        if closer not in self._missing:
            found = self._text.find(closer, opening.end(), self._stop)
            if found >= 0:
                return found + len(closer)
            self._missing.add(closer)
        return opening.start() + 1


def _end_of_group(text: str, start: int, stop: int, raw_strings: _RawStrings) -> int:
    """The position after the bracket that closes the one at `start`; the end of the text if none does."""
    depth, position = 0, start
    while match := _INSIDE.search(text, position, stop):
        position = match.end()
        if match["open"]:
            depth += 1
        elif match["close"]:
            depth -= 1
            if depth == 0:
                return position
        elif match["raw"]:
            position = raw_strings.end(match)
    return stop


def comments_in(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Position and text of every comment in a span, at any depth; what looks like one in a string is none."""
    raw_strings, position = _RawStrings(text, end), start
    while match := _INSIDE.search(text, position, end):
        position = raw_strings.end(match) if match["raw"] else match.end()
        if match[0][0] == "#":
            yield match.start(), match[0]


def brackets_and_quotes(text: str) -> Iterator[tuple[int, str, bool]]:
    """Position and first character of every bracket, string and quoted name; whether what is quoted ends."""
    raw_strings, position = _RawStrings(text, len(text)), 0
    while match := _INSIDE.search(text, position):
        position = match.end()
        mark = match[0][0]
        if match["raw"]:
            position = raw_strings.end(match)
            yield match.start(), match["q"], position > match.end()
        elif mark in "\"'`":
            # Each pattern of a quote takes it alone, or up to the end of the text, where nothing closes it.
            yield match.start(), mark, len(match[0]) > 1 and match[0][-1] == mark and not _ends_escaped(match[0])
        elif mark not in "#%":
            yield match.start(), mark, True


def _ends_escaped(quoted: str) -> bool:
    body = quoted[1:-1]
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1


def line_starts(text: str) -> list[int]:
    """Offsets at which lines begin, for turning positions into line numbers."""
    return [0, *(match.end() for match in re.finditer(r"\n", text))]
