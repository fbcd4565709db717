"""As many lines of grep as fit into one answer, as structure and as ripgrep prints them under headings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rolltop.store import FileLines, Printed
from rolltop.tools.store.models import Line

__all__ = ["LINE_COST", "LinePage", "PageFile"]

LINE_COST = 120
"""Characters that the fields around a line, or around the lines of a document, take in JSON."""

WIDTH = 400
"""Characters of a line that are shown: of a longer one, those around its first match."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A document with the lines of it that are on the page."""

    path: str
    hash: str
    lines: list[Line] = field(default_factory=list)
    binary: bool | None = None


class LinePage:
    """Takes the lines of documents until it is full; it always has room for one."""

    def __init__(self, how: Printed, limit: int) -> None:
        self._how = how
        self._limit = limit
        self._used = 0
        self._pieces = self._trimmed = 0
        self.files: list[PageFile] = []
        self.full_at: tuple[str, int] | None = None
        """Where the next page goes on: after a line of a document, or after the document where the line is 0."""

    def take(self, file: FileLines) -> bool:
        """Put a document on the page, as far as there is room; False when there is no more."""
        document = file.document
        taken = PageFile(document.path, document.hash, binary=None if file.is_text else True)
        cost = LINE_COST + _length(document.path)
        if self.files and self._used + cost > self._limit:
            return self._full(self.files[-1].path, 0)
        self._used += cost
        shown = -1
        for index in file.selected if file.is_text else ():
            line = self._line(file, index, shown)
            cost = LINE_COST + sum(map(_length, (line.line, *line.before, *line.after)))
            if self._used + cost > self._limit and (self.files or taken.lines):
                if not taken.lines:
                    return self._full(self.files[-1].path, 0)
                self.files.append(taken)
                return self._full(taken.path, taken.lines[-1].line_number)
            self._used += cost
            taken.lines.append(line)
            shown = index + len(line.after)
        self.files.append(taken)
        return True

    def _full(self, path: str, line: int) -> bool:
        self.full_at = path, line
        return False

    def _line(self, file: FileLines, index: int, shown: int) -> Line:
        """A selected line with what is around it, without the lines that were shown up to `shown`."""
        match = file.match(index, color=False)
        line = Line.of(match)
        first = max(0, min(match.column_start - 1 - WIDTH // 4, len(match.line) - WIDTH))
        if len(match.line) > WIDTH:
            self._pieces += 1
            line.line, line.line_from, line.line_length = match.line[first : first + WIDTH], first + 1, len(match.line)
        if self._how.color:
            line.line = _painted(line.line, file, index, match.column_start - 1 - first, match.column_end - 1 - first)
        before = range(max(0, shown + 1, index - self._how.before), index)
        after = range(index + 1, min(len(file), index + 1 + self._how.after))
        line.before = self._fitting(file, reversed(before))[::-1]
        line.after = self._fitting(file, _up_to_selected(after, file))
        return line

    def _fitting(self, file: FileLines, around: Iterable[int]) -> list[str]:
        """The lines around one, the nearest first, as far as a third of a page has room for them."""
        found: list[str] = []
        left = self._limit // 3
        for index in around:
            text = _beginning(file.line(index))
            left -= _length(text)
            if left < 0:
                self._trimmed += 1
                break
            found.append(text)
        return found

    @property
    def note(self) -> str | None:
        """What is not shown as it is."""
        notes = (
            f"{self._pieces} long lines are shown as {WIDTH} characters around their first match."
            if self._pieces
            else None,
            "Not all of the lines around fit into an answer: the nearest are shown." if self._trimmed else None,
        )
        return " ".join(filter(None, notes)) or None

    def text(self) -> str:
        """The page as ripgrep prints it: a heading for each document, then its lines."""
        return "\n\n".join("\n".join(self._printed(file)) for file in self.files)

    def _printed(self, file: PageFile) -> Iterator[str]:
        yield file.path
        if file.binary:
            yield "(not text: it matches)"
        last = None
        for line in file.lines:
            first = line.line_number - len(line.before)
            if (self._how.before or self._how.after) and last is not None and first > last + 1:
                yield "--"
            place = f"{line.place}: " if line.place else ""
            for number, text in enumerate(line.before, first):
                yield self._numbered(number, "-", text)
            yield self._numbered(line.line_number, ":", place + line.line)
            for number, text in enumerate(line.after, line.line_number + 1):
                yield self._numbered(number, "-", text)
            last = line.line_number + len(line.after)

    def _numbered(self, number: int, sign: str, text: str) -> str:
        return f"{number}{sign}{text}" if self._how.line_numbers else text


def _up_to_selected(after: range, file: FileLines) -> Iterator[int]:
    """The lines after one, without those that are selected themselves and come next."""
    for index in after:
        if file.is_selected(index):
            return
        yield index


def _painted(shown: str, file: FileLines, index: int, start: int, end: int) -> str:
    """The shown piece of a line with its matches in colour; of a long line, the first one."""
    if len(shown) < WIDTH:
        return file.match(index, color=True).line
    return f"{shown[:start]}\x1b[01;31m\x1b[K{shown[start:end]}\x1b[m\x1b[K{shown[end:]}"


def _beginning(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}…"


def _length(text: str) -> int:
    """Characters that a text takes in JSON."""
    return len(json.dumps(text, ensure_ascii=False)) + 2
