"""Sheets of OpenDocument: every row is a line and tabs part its cells; values are as they are kept."""

from __future__ import annotations

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.moments import iso_duration, iso_moment
from rolltop.store.extract.formats.odf.texts import Texts
from rolltop.store.extract.formats.rows import Rows

__all__ = ["Sheets", "kept_value"]

MOST_REPEATED = 1000
MOST_COMMENTS = 10_000
_CELLS = frozenset({"table-cell", "covered-table-cell"})


class _Cell:
    """A cell that has begun: its value where that is no text, its paragraphs, and those of boxes in it."""

    def __init__(self, said: dict[str, str]) -> None:
        self._value = kept_value(said)
        self._text = said.get("string-value", "")
        self._paragraphs: list[str] = []
        self._drawn: list[str] = []
        self.repeated = _count(said.get("number-columns-repeated"))

    def add(self, text: str, *, drawn: bool) -> None:
        (self._drawn if drawn else self._paragraphs).append(text)

    def shown(self) -> str:
        own = [self._value] if self._value else self._paragraphs or [self._text]
        return " ".join([*own, *self._drawn])


class Sheets(Texts):
    """Tables whose cells have addresses."""

    heeded = Texts.heeded | _CELLS | {"table", "table-row"}

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._sheet = "Sheet"
        self._rows: Rows | None = None
        self._row = self._column = 0
        self._repeated = 1
        self._cell: _Cell | None = None
        self._line: list[tuple[range, str]] = []
        """The texts of the row, each with its columns."""
        self._on_sheet: list[str] = []
        """The paragraphs of boxes that stand in no cell."""
        self._comment: list[str] | None = None
        self._comments: list[tuple[int, int, str]] = []

    def start(self, name: str, said: dict[str, str]) -> None:
        if name == "table":
            self._sheet = said.get("name", "Sheet")
            self.draft.heading(self._sheet)
            self._rows = Rows(self.draft, self._sheet)
            self._row = 0
        elif name == "table-row":
            self._column, self._line = 0, []
            self._repeated = _count(said.get("number-rows-repeated"))
        elif name in _CELLS:
            self._cell = _Cell(said)
        else:
            if name == "annotation":
                self._comment = []
            super().start(name, said)

    def end(self, name: str) -> None:
        if name == "table":
            self._end_sheet()
        elif name == "table-row":
            self._end_row()
        elif name in _CELLS:
            self._end_cell()
        else:
            super().end(name)
            if name == "annotation":
                self._end_comment()

    def _end_cell(self) -> None:
        if self._cell is None:
            return
        if text := self._cell.shown().strip():
            self._line.append((range(self._column, self._column + self._copies(self._cell.repeated)), text))
        self._column += self._cell.repeated
        self._cell = None

    def _end_row(self) -> None:
        if self._line and self._rows:
            for row in range(self._row, self._row + self._copies(self._repeated)):
                for columns, text in self._line:
                    for column in columns:
                        self._rows.cell(row, column, text)
        self._row += self._repeated
        self._line = []

    def _copies(self, repeated: int) -> int:
        if repeated > MOST_REPEATED:
            self.draft.note(f"cells and rows that are repeated were read at most {MOST_REPEATED} times")
        return min(repeated, MOST_REPEATED)

    def _end_sheet(self) -> None:
        if self._rows is None:
            return
        self._rows.finish(self._comments)
        if self._on_sheet:
            self.draft.at(self.drawing())
            self.draft.line("\n".join(self._on_sheet))
        self._comments, self._on_sheet = [], []

    def _end_comment(self) -> None:
        if self._comment and len(self._comments) < MOST_COMMENTS:
            self._comments.append((self._row, self._column, " ".join(self._comment)))
        self._comment = None

    def drawing(self) -> str:
        return f"{self._sheet}, drawing"

    def paragraph(self, text: str, *, heading: bool) -> None:
        if self._comment is not None:
            self._comment.append(text)
        elif self._cell is not None:
            self._cell.add(text, drawn=self.is_beside())
        elif text.strip():
            self._on_sheet.append(text)


def kept_value(said: dict[str, str]) -> str:
    """The value that a cell says it has, however it shows it; nothing where that is a text."""
    kind = said.get("value-type", "")
    if kind == "date":
        return iso_moment(said.get("date-value", ""))
    if kind == "time":
        return iso_duration(said.get("time-value", ""))
    if kind == "boolean":
        return said.get("boolean-value", "").upper()
    return said.get("value", "") if kind in ("float", "percentage", "currency") else ""


def _count(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 1
