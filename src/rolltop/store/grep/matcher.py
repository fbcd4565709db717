"""Which lines of a text match, in linear time: Hyperscan scans; RE2 judges text beyond ASCII, and finds columns."""

from __future__ import annotations

import importlib
import re
from typing import Any

import re2

from rolltop.errors import InvalidInput
from rolltop.store.grep.emit import byte_safe, for_hyperscan, for_re2, matches_empty, trimmed, word_form
from rolltop.store.grep.syntax import Node, NotInTree, parse
from rolltop.store.grep.trigrams import ANYTHING, question
from rolltop.store.seams import Trigrams

hyperscan: Any
try:
    hyperscan = importlib.import_module("hyperscan")
except ImportError:  # no wheel for this platform: RE2 does everything, at a third of the speed
    hyperscan = None

__all__ = ["Matcher"]

LONGEST_PATTERN = 10_000
_WORD = r"\pL\pM\p{Nd}\p{Pc}\w"


class Matcher:
    """A compiled pattern. Not for use by two threads at once."""

    def __init__(self, pattern: str, *, ignore_case: bool = False, word: bool = False) -> None:
        pattern, inline = _inline_case(pattern)
        ignore_case = ignore_case or inline
        flags = "(?mi)" if ignore_case else "(?m)"
        _refuse_bad(pattern)
        self._word = word
        tree = _tree(pattern)
        self.every_line = tree is not None and not word and matches_empty(tree)
        self.asked: Trigrams = ANYTHING if tree is None else question(tree, ignore_case=ignore_case)
        self._spans = _compile(flags + _with_group(_by_lines(pattern) if tree is None else for_re2(tree), word))
        self._hyperscan: Any = None
        self._safe = False
        if tree is None:
            self._lines = self._spans
        else:
            lines = word_form(tree) if word else trimmed(tree)
            self._lines = _compile(flags + for_re2(lines))
            self._safe = not word and byte_safe(lines, ignore_case=ignore_case)
            self._hyperscan = _hyperscan(for_hyperscan(lines, ignore_case=ignore_case), ignore_case)

    def line_ends(self, text: bytes) -> list[int]:
        """Where the matching lines end. The text ends with a newline."""
        if self.every_line:
            return [match.start() for match in re.finditer(b"\n", text)]
        if self._hyperscan is not None and (self._safe or text.isascii()):
            return self._scan(text)
        return self._search(text)

    def quick(self, text: bytes) -> bool:
        """Whether a text may be joined with others before it is searched."""
        return self._hyperscan is not None and (self._safe or text.isascii())

    def _scan(self, text: bytes) -> list[int]:
        ends: list[int] = []
        found, find, length = ends.append, text.find, len(text)
        edge = -1

        def on_match(_id: int, _start: int, end: int, _flags: int, _context: Any) -> None:
            nonlocal edge
            if end > edge and end < length:
                edge = find(b"\n", end)
                found(edge)

        self._hyperscan.scan(text, match_event_handler=on_match)
        return ends

    def _search(self, text: bytes) -> list[int]:
        ends: list[int] = []
        position, length, search = 0, len(text), self._lines.search
        while position < length and (match := search(text, position)) is not None:
            if match.end() >= length:
                break
            edge = text.find(b"\n", match.end())
            ends.append(edge)
            position = edge + 1
        return ends

    def first_span(self, line: bytes) -> tuple[int, int]:
        """The first of the spans; (0, 0) where the pattern matches nothing but an empty text."""
        match = self._spans.search(line)
        if match is None:
            return 0, 0
        start, end = match.span(1)
        return (start, end) if end > start else next(iter(self.spans(line)), (0, 0))

    def spans(self, line: bytes) -> list[tuple[int, int]]:
        """Where in a line the pattern matches, as byte offsets; empty matches are left out."""
        spans: list[tuple[int, int]] = []
        position = 0
        while position <= len(line) and (match := self._spans.search(line, position)) is not None:
            start, end = match.span(1)
            if end > start:
                spans.append((start, end))
            position = end if end > position else position + 1
        return spans


def _inline_case(pattern: str) -> tuple[str, bool]:
    return (pattern[4:], True) if pattern.startswith("(?i)") else (pattern, False)


def _tree(pattern: str) -> Node | None:
    try:
        return parse(pattern)
    except (NotInTree, ValueError):
        return None


_ESCAPE = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.", re.DOTALL)
_ENDS = {r"\A": "(?m:^)", r"\z": "(?m:$)"}


def _by_lines(pattern: str) -> str:
    r"""A pattern of which there is no tree: \A and \z are the ends of a line, as they are in a tree."""
    return _ESCAPE.sub(lambda found: _ENDS.get(found[0], found[0]), pattern)


def _with_group(body: str, word: bool) -> str:
    return f"(?:^|[^{_WORD}\\n])({body})(?:[^{_WORD}\\n]|$)" if word else f"({body})"


def _options() -> Any:
    options = re2.Options()
    options.never_nl = True
    options.log_errors = False
    options.max_mem = 64 << 20
    return options


def _compile(pattern: str) -> Any:
    return re2.compile(pattern.encode("utf-8", "surrogatepass"), _options())


def _refuse_bad(pattern: str) -> None:
    if len(pattern) > LONGEST_PATTERN:
        raise InvalidInput(f"the pattern is longer than {LONGEST_PATTERN} characters")
    try:
        _compile(pattern)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        raise InvalidInput(
            f"the pattern is not a valid regular expression: {reason}",
            hint="Look-around and back-references are not supported; escape ( [ { * + ? . | with a backslash.",
        ) from None


def _hyperscan(pattern: bytes, ignore_case: bool) -> Any:
    if hyperscan is None:
        return None
    flags = hyperscan.HS_FLAG_MULTILINE | hyperscan.HS_FLAG_ALLOWEMPTY
    if ignore_case:
        flags |= hyperscan.HS_FLAG_CASELESS
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(expressions=[pattern], ids=[0], elements=1, flags=[flags])
    except hyperscan.error:
        return None  # too large for it, or beyond it: RE2 does the work
    return database
