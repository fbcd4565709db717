"""What was found in a document: its text, and where in the document each piece of the text stands."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

__all__ = ["Anchor", "Extracted", "Symbol"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """From the character `start` of the body on, the text comes from `label`: "page 3", "slide 2", "notes/a.txt".

    In a sheet (`row` above 0) every line of the body is a row, beginning with this one, and tabs part its cells.
    """

    start: int
    label: str
    row: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something that code defines: a function, a class, a method, a type, a constant."""

    name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a document.

    `body` is what words are found in. `anchors` are ordered by `start`; without any, places are lines.
    `links` are targets that the format keeps apart from its text. `note` says why there is no text, or not all.
    """

    title: str = ""
    headings: tuple[str, ...] = ()
    body: str = ""
    symbols: tuple[Symbol, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    note: str | None = None
    links: tuple[str, ...] = ()

    def place(self, offset: int) -> str:
        """Where the character at `offset` of the body stands: "page 3", "Sheet1!B7", "slide 2", "line 12"."""
        after = bisect_right(self.anchors, offset, key=lambda anchor: anchor.start)
        if not after:
            return f"line {self.body.count(chr(10), 0, offset) + 1}"
        anchor = self.anchors[after - 1]
        if not anchor.row:
            return anchor.label
        row = anchor.row + self.body.count("\n", anchor.start, offset)
        first = self.body.rfind("\n", anchor.start, offset) + 1 or anchor.start
        return f"{anchor.label}!{_column(self.body.count(chr(9), first, offset))}{row}"


def _column(number: int) -> str:
    """The letters of a column, counted from 0: A, B, … Z, AA."""
    letters = ""
    while number >= 0:
        number, rest = divmod(number, 26)
        letters = chr(ord("A") + rest) + letters
        number -= 1
    return letters
