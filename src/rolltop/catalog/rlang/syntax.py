"""Whether R text can be R at all: its brackets pair up, its strings and quoted names end.

The reader takes any text, so that a mistake in one function does not hide the others. But R would refuse the whole
file, and with it the package: a definition made from such a file could never be called. What else R's grammar
forbids only R can say; a build that runs examples asks it.
"""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

from rolltop.catalog.rlang.lexer import brackets_and_quotes, line_starts
from rolltop.errors import InvalidData, Position

__all__ = ["require_r"]

_CLOSERS = {"(": ")", "[": "]", "{": "}"}


def require_r(text: str, file: Path) -> None:
    """Refuse text that R cannot parse, with the place of the mistake."""
    if mistake := _mistake(text):
        position, message = mistake
        starts = line_starts(text)
        line = bisect_right(starts, position)
        place = Position(line, position - starts[line - 1] + 1, str(file))
        raise InvalidData(f"not valid R: {message}", hint="Repair the file: R could not load it.", position=place)


def _mistake(text: str) -> tuple[int, str] | None:
    waiting: list[tuple[int, str]] = []
    for position, mark, is_closed in brackets_and_quotes(text):
        if mark in _CLOSERS:
            waiting.append((position, mark))
        elif mark in _CLOSERS.values():
            if not waiting:
                return position, f"nothing opens what this {mark} closes"
            opened, opening = waiting.pop()
            if _CLOSERS[opening] != mark:
                return (
                    opened,
                    f"this {opening} is not closed before the {mark} in line {text.count(chr(10), 0, position) + 1}",
                )
        elif not is_closed:
            return position, f"the text that begins with this {mark} does not end"
    return (waiting[0][0], f"this {waiting[0][1]} is never closed") if waiting else None
