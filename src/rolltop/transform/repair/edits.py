"""From two texts to the places where they differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from rolltop.transform.syntax.source import Source

__all__ = ["Edit", "edits_between"]

_TOKEN = re.compile(r"\s+|\$?\w+|[-=!<>|&?+*]+|[^\w\s]")
_NEAR = 3
"""Edits that are so many tokens apart are told as one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Text that replaces what is between two places of a program; lines and columns count from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class _Hunk:
    start: int
    end: int
    new: str


def edits_between(text: str, changed: str) -> list[Edit]:
    """The changes that make one text of the other, in order."""
    before, after = _TOKEN.findall(text), _TOKEN.findall(changed)
    offsets = list(accumulate(map(len, before), initial=0))
    matched = SequenceMatcher(None, before, after, autojunk=False)
    hunks = [
        _Hunk(offsets[first], offsets[last], "".join(after[low:high]))
        for kind, first, last, low, high in matched.get_opcodes()
        if kind != "equal"
    ]
    return _told(text, hunks)


def _told(text: str, hunks: list[_Hunk]) -> list[Edit]:
    """Hunks that are near each other as one edit, with their places."""
    source = Source(text)
    joined: list[_Hunk] = []
    for hunk in hunks:
        last = joined[-1] if joined else None
        between = text[last.end : hunk.start] if last else ""
        if last is not None and "\n" not in between and len(_TOKEN.findall(between)) <= _NEAR:
            joined[-1] = _Hunk(last.start, hunk.end, last.new + between + hunk.new)
        else:
            joined.append(hunk)
    return [
        Edit(*source.place(hunk.start), *source.place(hunk.end), text[hunk.start : hunk.end], hunk.new)
        for hunk in joined
    ]
