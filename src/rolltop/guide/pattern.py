r"""Patterns of file paths, relative to a category's directory.

`*` and `?` and `[…]` match within one segment, `**` as a whole segment matches any number of
directories, a backslash takes the next character literally. Case matters everywhere. A last segment
without a dot also matches with any extension: `python` finds `python.md`. A trailing slash does not
name files: it narrows what a category has anyway to one directory.

A pattern is a small automaton over segments, so that a walk descends only where something can
still match; each segment becomes a regular expression that cannot backtrack (see `fnmatch`).
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from rolltop.guide.errors import ExpressionInvalid, PathUnsafe

__all__ = ["Pattern", "States"]

LONGEST = 1024

States = frozenset[int]
"""Which segments may come next."""


@dataclass(frozen=True, slots=True)
class _Segment:
    directory: re.Pattern[str] | None
    """None: any number of directories."""
    file: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Pattern:
    text: str
    segments: tuple[_Segment, ...]
    narrows: bool
    """It ends in a slash: a directory to stay in, not files to find."""

    @staticmethod
    def compile(text: str) -> Pattern:
        return _compile(text)

    @property
    def start(self) -> States:
        return self._closure({0})

    def enter(self, states: States, directory: str) -> States:
        """The states after going into `directory`; empty when nothing below it can match."""
        after: set[int] = set()
        for index in states:
            matcher = self.segments[index].directory
            if matcher is None:
                after.add(index)
            elif index + 1 < len(self.segments) and matcher.match(directory):
                after.add(index + 1)
        return self._closure(after)

    def accepts(self, states: States, file: str) -> bool:
        """Whether a file of this name, in the directory reached, matches the whole pattern."""
        last = len(self.segments) - 1
        if last not in states:
            return False
        matcher = self.segments[last].file
        return matcher is None or matcher.match(file) is not None

    def matches(self, path: str) -> bool:
        *directories, file = path.split("/")
        states = self.start
        for directory in directories:
            states = self.enter(states, directory)
        return self.accepts(states, file)

    def contains(self, path: str) -> bool:
        """For a narrowing pattern: whether the path lies in a directory that it names."""
        states, last = self.start, len(self.segments) - 1
        for directory in path.split("/")[:-1]:
            matcher = self.segments[last].directory
            if last in states and (matcher is None or matcher.match(directory)):
                return True
            states = self.enter(states, directory)
        return False

    def _closure(self, states: Iterable[int]) -> States:
        reached = set(states)
        for index in range(len(self.segments) - 1):
            if index in reached and self.segments[index].directory is None:
                reached.add(index + 1)
        return frozenset(reached)


@lru_cache(maxsize=512)
def _compile(text: str) -> Pattern:
    if len(text) > LONGEST:
        raise ExpressionInvalid(f"a pattern is longer than {LONGEST} characters", hint="Write a shorter pattern.")
    if text.startswith("/"):
        raise PathUnsafe(
            "a pattern is relative to the category's directory, it cannot begin with a slash",
            hint="Write the part of the path below the category's directory, as in lang/python.",
        )
    parts = [part for part in text.split("/") if part not in {"", "."}]
    if ".." in {_literal(part) for part in parts}:
        raise PathUnsafe("a pattern cannot lead out of the category's directory with ..", hint="Leave out the ..")
    if not parts:
        raise ExpressionInvalid("a pattern names no file", hint="Write a pattern such as python or **/*.md.")
    narrows = text.endswith("/")
    segments = [_segment(part, last=False) for part in parts[:-1]]
    segments.append(_segment(parts[-1], last=not narrows))
    return Pattern(text, tuple(segments), narrows)


def _segment(part: str, *, last: bool) -> _Segment:
    if part == "**":
        return _Segment(None, None)
    glob = "".join(_globs(part))
    exact = re.compile(fnmatch.translate(glob))
    if not last or "." in part:
        return _Segment(exact, exact)
    return _Segment(exact, re.compile(f"{fnmatch.translate(glob)}|{fnmatch.translate(glob + '.*')}"))


def _globs(part: str) -> Iterator[str]:
    """The segment as fnmatch wants it, where brackets and not backslashes make a character literal."""
    escaped = False
    for character in part:
        if escaped:
            yield f"[{character}]" if character in "*?[" else character
            escaped = False
        elif character == "\\":
            escaped = True
        else:
            yield character


def _literal(part: str) -> str:
    return re.sub(r"\\(.)", r"\1", part)
