"""XLSX: every row is a line and tabs part its cells, so that a place in the text is a cell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.drawn import write_drawn
from rolltop.store.extract.formats.embedded import write_embedded
from rolltop.store.extract.formats.moments import BUILT_IN, iso_moment, kind_of_format, shown_moment
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.rows import Rows
from rolltop.store.extract.formats.sheetmargins import MARGINS, margin_words
from rolltop.store.extract.formats.xml import END, START, TEXT, Event

__all__ = ["read"]

_TEXTS = frozenset({"v", "t", *MARGINS})
_WRITTEN = frozenset({"str", "inlineStr"})
"""Cells that hold their text themselves."""
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    book = package.main_part("xl/workbook.xml")
    draft.is_table = True
    draft.title = package.title("docProps/core.xml")
    relations = package.relations(book)
    parts = {kind: target for kind, target in relations.values() if target in package}
    strings = _strings(package, parts.get("sharedStrings", "xl/sharedStrings.xml"))
    dates = _date_styles(package, parts.get("styles", "xl/styles.xml"))
    since_1904, sheets = False, list[str]()
    for event, name, said in package.events(book):
        if event == START and name == "workbookPr":
            since_1904 = said.get("date1904", "") in ("1", "true", "on")
        elif event == START and name == "sheet":
            _, part = relations.get(said.get("id", ""), ("", ""))
            title = said.get("name", part)
            draft.heading(title)
            if part in package:
                sheet = _Sheet(Rows(draft, title), strings, dates, since_1904=since_1904)
                sheet.read(package, part)
                _beside(package, part, draft, title, sheet.margins)
                sheets.append(part)
    write_embedded(package, sheets, draft)


def _beside(package: Package, part: str, draft: Draft, title: str, margins: dict[str, str]) -> None:
    """What a sheet has beside its cells."""
    for words, where in margins.items():
        draft.at(f"{title}, {where}")
        draft.line(words)
    for kind, target in package.relations(part).values():
        if kind == "hyperlink":
            draft.link(target)
    write_drawn(package, part, draft, f"{title}, drawing")


def _strings(package: Package, name: str) -> list[str]:
    """The texts that cells refer to by number; what is only the sound of a text is left out."""
    if name not in package:
        return []
    strings: list[str] = []
    pieces: list[str] = []
    spoken = inside = 0
    for event, value, _ in package.events(name):
        if event == TEXT:
            if inside and not spoken:
                pieces.append(value)
        elif value == "t":
            inside += 1 if event == START else -1
        elif value == "rPh":
            spoken += 1 if event == START else -1
        elif value == "si" and event == END:
            strings.append(unescaped("".join(pieces)))
            pieces = []
    return strings


def _date_styles(package: Package, name: str) -> dict[str, str]:
    """Numbers of the cell styles that show dates or durations, and which of the two."""
    if name not in package:
        return {}
    formats = dict(BUILT_IN)
    styles: dict[str, str] = {}
    count, cells = 0, False
    for event, value, said in package.events(name):
        if value == "cellXfs":
            cells = event == START
        elif event == START and value == "numFmt":
            formats[_number(said.get("numFmtId", ""))] = kind_of_format(said.get("formatCode", ""))
        elif event == START and value == "xf" and cells:
            if kind := formats.get(_number(said.get("numFmtId", ""))):
                styles[str(count)] = kind
            count += 1
    return styles


def unescaped(text: str) -> str:
    """A text of a cell: in it, `_x000D_` is the character with that number, as XML cannot have all of them."""
    if "_x" not in text:
        return text
    units = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace")


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else -1


class _Sheet:
    """Writes every cell of a sheet, by its address, and what was said about cells."""

    def __init__(self, rows: Rows, strings: list[str], dates: dict[str, str], *, since_1904: bool) -> None:
        self._rows = rows
        self._strings = strings
        self._dates = dates
        self._since_1904 = since_1904
        self.margins: dict[str, str] = {}
        """What stands above or below the printed pages, and which of the two."""

    def read(self, package: Package, part: str) -> None:
        self._cells(package.events(part))
        self._rows.finish(_comments(package, part))

    def _cells(self, said: Iterator[Event]) -> None:
        row = column = -1
        kind, style, value, inside, spoken = "", "", list[str](), 0, 0
        for event, name, attributes in said:
            if event == TEXT:
                if inside and not spoken:
                    value.append(name)
            elif name in _TEXTS:
                inside += 1 if event == START else -1
                if name in MARGINS:
                    value = self._margin(name, value) if event == END else []
            elif name == "row" and event == START:
                row = _number(attributes.get("r", "")) - 1 if "r" in attributes else row + 1
                column = -1
            elif name == "c" and event == START:
                row, column = _address(attributes.get("r", ""), row, column)
                kind, style, value = attributes.get("t", "n"), attributes.get("s", ""), []
            elif name == "c":
                self._rows.cell(row, column, self._shown("".join(value), kind, style))
                value = []
            elif name == "rPh":
                spoken += 1 if event == START else -1

    def _margin(self, name: str, value: list[str]) -> list[str]:
        if words := margin_words("".join(value)):
            self.margins.setdefault(words, MARGINS[name])
        return []

    def _shown(self, value: str, kind: str, style: str) -> str:
        if kind == "s":
            number = _number(value.strip())
            return self._strings[number] if 0 <= number < len(self._strings) else ""
        if kind == "b":
            return "TRUE" if value.strip() == "1" else "FALSE"
        if kind == "n" and style in self._dates and value:
            return shown_moment(value, self._dates[style], since_1904=self._since_1904)
        if kind == "d":
            return iso_moment(value.strip())
        return unescaped(value) if kind in _WRITTEN else value


def _comments(package: Package, part: str) -> list[tuple[int, int, str]]:
    """(row, column, text). What people answered each other is kept a second time for older programs."""
    parts = [(kind, target) for kind, target in package.relations(part).values() if target in package]
    parted: dict[str, dict[tuple[int, int], list[str]]] = {"threadedComment": {}, "comments": {}}
    for kind, target in parts:
        if kind in parted:
            _read_comments(package, target, parted[kind])
    found = parted["comments"] | parted["threadedComment"]
    return [(*place, " ".join(texts)) for place, texts in sorted(found.items())]


def _read_comments(package: Package, part: str, found: dict[tuple[int, int], list[str]]) -> None:
    place, pieces, inside = (-1, -1), list[str](), 0
    for event, name, said in package.events(part):
        if event == TEXT:
            if inside > 0:
                pieces.append(name)
        elif name == "text":
            inside += 1 if event == START else -1
        elif name == "rPh":  # the sound of the characters before it
            inside += -1 if event == START else 1
        elif name in ("comment", "threadedComment"):
            if event == START:
                place, pieces = _address(said.get("ref", ""), -1, -1), []
            elif text := " ".join(unescaped("".join(pieces)).split()):
                found.setdefault(place, []).append(text)


def _address(text: str, row: int, column: int) -> tuple[int, int]:
    match = _CELL.fullmatch(text)
    if not match:
        return row, column + 1
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return int(match[2]) - 1, number - 1
