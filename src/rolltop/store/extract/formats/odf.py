"""OpenDocument: texts, sheets and presentations, which share one language."""

from __future__ import annotations

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.rows import Rows
from rolltop.store.extract.formats.xml import START, TEXT

__all__ = ["read"]

_PARAGRAPHS = ("p", "h")
_LEFT_OUT = ("tracked-changes", "forms", "styles", "automatic-styles", "settings")
MOST_REPEATED = 1000


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    if "content.xml" not in package:
        raise Unreadable("it has no content.xml")
    draft.title = package.title("meta.xml")
    sheets = package.read("mimetype").strip().endswith(b".spreadsheet") if "mimetype" in package else False
    draft.is_table = sheets
    reader = _Sheets(draft) if sheets else _Texts(draft)
    reader.read(package)


class _Texts:
    """Paragraphs and headings; the pages of a presentation are slides."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._open: list[str] = []
        self._pieces: list[str] = []
        self._slides = 0

    def read(self, package: Package) -> None:
        left_out = 0
        for event, value, said in package.events("content.xml"):
            if event != TEXT and value in _LEFT_OUT:
                left_out += 1 if event == START else -1
            elif left_out:
                continue
            elif event == TEXT:
                if self._open:
                    self._pieces.append(value)
            elif event == START:
                self.start(value, said)
            else:
                self.end(value)

    def start(self, name: str, said: dict[str, str]) -> None:
        if name in _PARAGRAPHS:
            self._open.append(name)
        elif name == "page":
            self._slides += 1
            self.draft.at(f"slide {self._slides}")
        elif name == "a":
            self.draft.link(said.get("href"))
        elif self._open and name in ("tab", "line-break", "s"):
            count = said.get("c", "1")
            spaces = " " * min(int(count), 100) if count.isdecimal() else " "
            self._pieces.append({"tab": "\t", "line-break": "\n"}.get(name, spaces))

    def end(self, name: str) -> None:
        if name in _PARAGRAPHS and self._open:
            self._open.pop()
            text = "".join(self._pieces)
            self._pieces = []
            self.paragraph(text, heading=name == "h")

    def paragraph(self, text: str, *, heading: bool) -> None:
        self.draft.line(text)
        if heading:
            self.draft.heading(text)


class _Sheets(_Texts):
    """Tables whose cells have addresses."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._rows: Rows | None = None
        self._row = self._column = 0
        self._repeat = 1
        self._cell: list[str] = []

    def start(self, name: str, said: dict[str, str]) -> None:
        if name == "table":
            self.draft.heading(said.get("name", "Sheet"))
            self._rows = Rows(self.draft, said.get("name", "Sheet"))
            self._row = 0
        elif name == "table-row":
            self._column = 0
            self._repeat_rows = _count(said.get("number-rows-repeated"))
        elif name in ("table-cell", "covered-table-cell"):
            self._repeat = _count(said.get("number-columns-repeated"))
            self._cell = []
        else:
            super().start(name, said)

    def end(self, name: str) -> None:
        if name == "table" and self._rows:
            self._rows.finish()
        elif name == "table-row":
            self._row += self._repeat_rows
        elif name in ("table-cell", "covered-table-cell"):
            self._end_cell(" ".join(self._cell))
        else:
            super().end(name)

    def _end_cell(self, text: str) -> None:
        if text and self._rows:
            for copy in range(min(self._repeat, MOST_REPEATED)):
                self._rows.cell(self._row, self._column + copy, text)
        self._column += self._repeat

    def paragraph(self, text: str, *, heading: bool) -> None:
        self._cell.append(text)


def _count(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 1
