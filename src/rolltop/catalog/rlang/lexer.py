"""Tokens of R at bracket depth 0; whatever is inside brackets is one `group` token.

Two patterns share the work: a full one for depth 0, and one that inside brackets stops only at
what can hide a bracket (strings, raw strings, comments, quoted names, `%op%`). Skipping the rest
at the speed of the regular expression engine is what makes reading a package cheap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Token", "comments_in", "line_starts", "top_level_tokens"]

_RAW = r"""[rR](?P<q>["'])(?P<d>-*)(?:\(.*?\)(?P=d)(?P=q)|\[.*?\](?P=d)(?P=q)|\{.*?\}(?P=d)(?P=q))"""
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
    rf"\#[^\n]*|(?<![\w.]){_RAW}|{_STRING}|{_QUOTED_NAME}|%[^%\n]*%|(?P<open>[(\[{{])|(?P<close>[)\]}}])",
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
    position = start
    while position < stop:
        match = _FULL.match(text, position, stop)
        assert match is not None  # the last alternative takes any character
        kind = match.lastgroup if match.lastgroup not in ("q", "d") else "raw"
        position = match.end()
        if kind == "blank":
            continue
        if kind == "open":
            position = _end_of_group(text, match.start(), stop)
            kind = "group"
        yield Token(str(kind), text[match.start() : position], match.start(), position)


def _end_of_group(text: str, start: int, stop: int) -> int:
    """The position after the bracket that closes the one at `start`; the end of the text if none does."""
    depth = 0
    for match in _INSIDE.finditer(text, start, stop):
        if match.lastgroup == "open":
            depth += 1
        elif match.lastgroup == "close":
            depth -= 1
            if depth == 0:
                return match.end()
    return stop


def comments_in(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Position and text of every comment in a span, at any depth; what looks like one in a string is none."""
    for match in _INSIDE.finditer(text, start, end):
        if match[0][0] == "#":
            yield match.start(), match[0]


def line_starts(text: str) -> list[int]:
    """Offsets at which lines begin, for turning positions into line numbers."""
    return [0, *(match.end() for match in re.finditer(r"\n", text))]
