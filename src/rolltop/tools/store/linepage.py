"""As many lines of grep as fit into one answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from rolltop.store import FileLines
from rolltop.store.grep.printer import Printed, print_matches
from rolltop.tools.store.models import Line

__all__ = ["LINE_COST", "LinePage", "PageFile"]

LINE_COST = 120
"""Characters that the fields around a line, or around the lines of a document, take in JSON."""

NARROWEST = 16
"""A piece of a line is not made shorter than that."""

_COLORS = 60
"""Characters in JSON of the colours before a printed line."""

_CONTEXT_WIDTH, _CONTEXT_LINES = 8, 64
"""A line around one that is too long gets this part of its width; one line for so many characters of it."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A document with the lines of it that are on the page."""

    path: str
    hash: str
    lines: list[Line] = field(default_factory=list)
    binary: bool | None = None


class LinePage:
    """Takes the lines of documents until it is full. One line always finds room, if need be a piece of it."""

    def __init__(self, how: Printed, limit: int, *, with_output: bool) -> None:
        self._how = self._printed = how
        self._limit = limit
        self._with_output = with_output
        self._used = 0
        self._pieces = 0
        self._shown: list[FileLines] = []
        self.files: list[PageFile] = []
        self.full_at: tuple[str, int] | None = None
        """Where the next page goes on: after a line of a document, or after the document where the line is 0."""

    def take(self, file: FileLines) -> bool:
        """Put a document on the page, as far as there is room; false when there is no more."""
        document = file.document
        taken = PageFile(document.path, document.hash, binary=None if file.is_text else True)
        cost = LINE_COST + _length(document.path)
        if self.files and self._used + cost > self._limit:
            return self._full(self.files[-1].path, 0)
        self._used += cost
        if file.is_text:
            return self._take_lines(file, taken)
        self.files.append(taken)
        self._shown.append(file)
        return True

    def _take_lines(self, file: FileLines, taken: PageFile) -> bool:
        numbers: list[int] = []
        pieces: dict[int, bytes] = {}
        for index in file.selected:
            line = self._line(file, index)
            if self._used + self._cost(line, taken.path) > self._limit:
                if self.files or numbers:
                    self._show(file, taken, numbers, pieces)
                    return self._full(taken.path, numbers[-1] + 1) if numbers else self._full(self.files[-1].path, 0)
                line, cut = self._piece(file, index)
                pieces |= cut
            taken.lines.append(line)
            numbers.append(index)
            self._used += self._cost(line, taken.path)
        self._show(file, taken, numbers, pieces)
        return True

    def _show(self, file: FileLines, taken: PageFile, numbers: list[int], pieces: dict[int, bytes]) -> None:
        if numbers:
            self.files.append(taken)
            self._shown.append(file.part(numbers, pieces))

    def _full(self, path: str, line: int) -> bool:
        self.full_at = path, line
        return False

    def _line(self, file: FileLines, index: int) -> Line:
        return Line.of(file.match(index, self._how.before, self._how.after, color=self._how.color))

    def _cost(self, line: Line, path: str) -> int:
        texts = [line.line, *line.before, *line.after]
        cost = sum(map(_length, texts)) + len(line.place or "")
        if not self._with_output:
            return LINE_COST + cost
        before = 20 + (_length(path) if self._how.with_filename else 0) + (_COLORS if self._how.color else 0)
        return LINE_COST + 2 * cost + len(texts) * (before + len(line.place or ""))

    # lines that are too long ---------------------------------------------------------------------

    def _piece(self, file: FileLines, index: int) -> tuple[Line, dict[int, bytes]]:
        """A line that does not fit into any answer, as the widest piece around its first match that does."""
        self._pieces += 1
        whole = file.match(index)
        width = self._limit
        while True:
            width //= 2
            first = max(0, min(whole.column_start - 1 - width // 4, len(whole.line) - width))
            pieces = {index: whole.line[first : first + width].encode()} if len(whole.line) > width else {}
            pieces |= self._around(file, index, width)
            line = self._line(file.part([index], pieces), index)
            near = width // _CONTEXT_LINES
            line.before, line.after = line.before[max(0, len(line.before) - near) :], line.after[:near]
            self._printed = replace(self._how, before=min(self._how.before, near), after=min(self._how.after, near))
            if self._used + self._cost(line, file.document.path) <= self._limit or width <= NARROWEST:
                break
        if index in pieces:
            line.line_from, line.line_length = first + 1, len(whole.line)
        line.column_start, line.column_end = whole.column_start, whole.column_end
        return line, pieces

    def _around(self, file: FileLines, index: int, width: int) -> dict[int, bytes]:
        """The lines around, so far as they are too long, without their ends."""
        most = max(NARROWEST, width // _CONTEXT_WIDTH)
        around = range(max(0, index - self._how.before), min(len(file), index + self._how.after + 1))
        texts = {at: file.line(at).decode("utf-8", "replace") for at in around if at != index}
        return {at: f"{text[:most]}…".encode() for at, text in texts.items() if len(text) > most}

    # the answer ----------------------------------------------------------------------------------

    @property
    def note(self) -> str | None:
        """What is not shown as it is."""
        if not self._pieces:
            return None
        return f"{self._pieces} of the lines do not fit into an answer: pieces of them and of what is around are shown."

    def output(self) -> str | None:
        """The lines as grep prints them, where that was asked for."""
        if not self._with_output:
            return None
        return b"".join(print_matches(self._shown, self._printed)).decode("utf-8", "replace")


def _length(text: str) -> int:
    """Characters that a text takes in JSON."""
    return len(json.dumps(text, ensure_ascii=False)) + 2
