"""Rows of cells as lines of a text."""

from __future__ import annotations

from collections.abc import Iterable

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.record import column_letters

__all__ = ["Rows"]

NEAREST = 8
"""So few rows further down, empty lines lead there, and no place of its own has to be kept."""

WIDEST_GAP = 64
"""Past so many empty cells, a cell begins a place of its own instead of being reached by tabs."""


class Rows:
    """Writes cells that come in the order of their addresses (from 0) into a draft."""

    def __init__(self, draft: Draft, sheet: str) -> None:
        self._draft = draft
        self._sheet = sheet
        self._row = -1
        self._column = 0
        self._begun = False

    def cell(self, row: int, column: int, text: str) -> None:
        if not text.isalnum():
            text = " ".join(text.split())
        if not text or row < 0 or column < 0:
            return
        if row != self._row or not self._begun or column < self._column:
            self._go_to(row)
        gap = column - self._column
        if gap > WIDEST_GAP:
            self._apart(row, column)
            self._draft.say(text)
        else:
            self._draft.say("\t" * gap + text)
        self._column = column

    def _go_to(self, row: int) -> None:
        step = row - self._row if self._begun and self._row >= 0 else 0
        if self._begun:
            self._draft.line()
        if 0 < step <= NEAREST:
            self._draft.say("\n" * (step - 1))
        else:
            self._draft.at(self._sheet, row + 1)
        self._row, self._column, self._begun = row, 0, True

    def _apart(self, row: int, column: int) -> None:
        """A cell far to the right: its place is its address, and the next row says its own again."""
        self._draft.line()
        self._draft.at(f"{self._sheet}!{column_letters(column)}{row + 1}")
        self._row = -2

    def finish(self, comments: Iterable[tuple[int, int, str]] = ()) -> None:
        """End the sheet, with what people said about (row, column)."""
        if self._begun:
            self._draft.line()
        self._begun = False
        for row, column, text in comments:
            self._draft.at(f"{self._sheet}!{column_letters(column)}{row + 1}, comment")
            self._draft.line(text)
