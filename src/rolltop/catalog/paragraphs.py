"""Prose laid out for a model: paragraphs on one line, and everything whose lines matter as it was written.

Headings (also underlined ones), list items with their nesting, tables and fenced code keep their lines.
"""

from __future__ import annotations

import re
import textwrap

__all__ = ["fenced", "reflow"]

_FENCE = re.compile(r"(\s*)(`{3,}|~{3,})(.*)$")
_HEADING = re.compile(r"\s*(#{1,6})\s+(.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"\s*([=\-~^\"*+])\1{2,}\s*$")
_ITEM = re.compile(r"(\s*)((?:[-*+]|\d+[.)])\s+)(.*)$")
_TABLE_ROW = re.compile(r"\s*\|.*\|\s*$")
# The rules of tables in reStructuredText: `=====  =====` and `+---+---+`.
_TABLE_RULE = re.compile(r"\s*(?:=+(?:\s+=+)+|\+[-=]+\+(?:[-=]+\+)*)\s*$")


def fenced(code: str, language: str = "") -> str:
    """Code as a block of its own."""
    body = textwrap.dedent(code).strip("\n").rstrip()
    longest = max((len(run) for run in re.findall(r"`{3,}", body)), default=2)
    fence = "`" * (longest + 1)
    return f"\n\n{fence}{language}\n{body}\n{fence}\n\n"


def reflow(text: str) -> str:
    """Join the lines of each paragraph and list item; keep one blank line between paragraphs."""
    return _Layout(text.split("\n")).text()


class _Layout:
    """Goes through the lines once; `lines` is the paragraph being written."""

    def __init__(self, source: list[str]) -> None:
        self.source = source
        self.done: list[str] = []
        self.lines: list[str] = []
        self.indents: list[int] = []
        self.joins = False

    def text(self) -> str:
        at = 0
        while at < len(self.source):
            at = self._take(at)
        self._end()
        return "\n\n".join(self.done)

    def _take(self, at: int) -> int:
        """Write what begins at this line; gives the line after it."""
        line = self.source[at]
        if not line.strip():
            self._end()
        elif fence := _FENCE.match(line):
            return self._code(at, fence)
        elif heading := _HEADING.match(line):
            self._alone(f"{heading[1]} {' '.join(heading[2].split())}")
        elif self._is_underlined(at):
            self._alone(f"## {' '.join(line.split())}")
            return at + 2
        elif not self.lines and (stop := self._table_end(at)):
            self.lines = textwrap.dedent("\n".join(self.source[at:stop])).split("\n")
            self._end()
            return stop
        elif _TABLE_ROW.match(line):
            self._line(" ".join(line.split()), joins=False)
        elif item := _ITEM.match(line):
            self._line(f"{self._nesting(len(item[1].expandtabs()))}{' '.join((item[2] + item[3]).split())}", joins=True)
        else:
            self._words(line)
        return at + 1

    def _words(self, line: str) -> None:
        words = " ".join(line.split())
        if self.lines and self.joins:
            self.lines[-1] = f"{self.lines[-1]} {words}"
            return
        if self.indents and len(line) - len(line.lstrip()) <= self.indents[0]:
            self.indents = []
        self._line(words, joins=True)

    def _code(self, at: int, fence: re.Match[str]) -> int:
        self._end()
        stop = at + 1
        while stop < len(self.source) and self.source[stop].strip() != fence[2]:
            stop += 1
        self.lines = textwrap.dedent("\n".join(self.source[at : stop + 1])).split("\n")
        self._end()
        return stop + 1

    def _is_underlined(self, at: int) -> bool:
        following = self.source[at + 1] if at + 1 < len(self.source) else ""
        title = self.source[at].strip()
        return (
            not self.lines
            and len(title) <= 80
            and not _UNDERLINE.match(title)
            and not _ITEM.match(title)
            and _UNDERLINE.match(following) is not None
        )

    def _table_end(self, at: int) -> int | None:
        """Where the table of reStructuredText that begins here ends."""
        stop = at
        while stop < len(self.source) and self.source[stop].strip():
            stop += 1
        return stop if _TABLE_RULE.match(self.source[at]) else None

    def _nesting(self, indent: int) -> str:
        while self.indents and self.indents[-1] > indent:
            self.indents.pop()
        if not self.indents or self.indents[-1] < indent:
            self.indents.append(indent)
        return "  " * (len(self.indents) - 1)

    def _line(self, text: str, *, joins: bool) -> None:
        self.lines.append(text)
        self.joins = joins

    def _alone(self, text: str) -> None:
        self._end()
        self.indents = []
        self.lines = [text]
        self._end()

    def _end(self) -> None:
        if self.lines:
            self.done.append("\n".join(self.lines))
        self.lines = []
        self.joins = False
