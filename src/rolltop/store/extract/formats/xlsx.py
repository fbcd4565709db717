"""XLSX: every row is a line and tabs part its cells, so that a place in the text is a cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.rows import Rows
from rolltop.store.extract.formats.xml import END, START, TEXT, Event

__all__ = ["read"]

_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""Numbers of the built-in formats that show a date or a time."""
_QUOTED = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    book = "xl/workbook.xml"
    if book not in package:
        raise Unreadable("it has no workbook")
    draft.is_table = True
    draft.title = package.title("docProps/core.xml")
    strings = _strings(package)
    dates = _date_styles(package)
    relations = package.relations(book)
    for event, name, said in package.events(book):
        if event == START and name == "sheet":
            _, part = relations.get(said.get("id", ""), ("", ""))
            title = said.get("name", part)
            draft.heading(title)
            if part in package:
                _sheet(package.events(part), Rows(draft, title), strings, dates)


def _strings(package: Package) -> list[str]:
    """The texts that cells refer to by number; what is only the sound of a text is left out."""
    name = "xl/sharedStrings.xml"
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
            strings.append("".join(pieces))
            pieces = []
    return strings


def _date_styles(package: Package) -> set[str]:
    """Numbers of the cell styles that show dates."""
    name = "xl/styles.xml"
    if name not in package:
        return set()
    formats = set(_DATES)
    styles: set[str] = set()
    count, cells = 0, False
    for event, value, said in package.events(name):
        if value == "cellXfs":
            cells = event == START
        elif event == START and value == "numFmt":
            if re.search("[ymdhs]", _QUOTED.sub("", said.get("formatCode", "").lower())):
                formats.add(_number(said.get("numFmtId", "")))
        elif event == START and value == "xf" and cells:
            if _number(said.get("numFmtId", "")) in formats:
                styles.add(str(count))
            count += 1
    return styles


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def _sheet(said: Iterator[Event], rows: Rows, strings: list[str], dates: set[str]) -> None:
    """Every cell of a sheet, by its address."""
    row = column = -1
    kind, style, value, inside = "", "", list[str](), 0
    for event, name, attributes in said:
        if event == TEXT:
            if inside:
                value.append(name)
        elif name in ("v", "t"):
            inside += 1 if event == START else -1
        elif name == "row" and event == START:
            row = _number(attributes.get("r", "")) - 1 if "r" in attributes else row + 1
            column = -1
        elif name == "c" and event == START:
            row, column = _address(attributes.get("r", ""), row, column)
            kind, style, value = attributes.get("t", "n"), attributes.get("s", ""), []
        elif name == "c":
            rows.cell(row, column, _shown("".join(value), kind, strings, dated=style in dates))
    rows.finish()


def _address(text: str, row: int, column: int) -> tuple[int, int]:
    match = _CELL.fullmatch(text)
    if not match:
        return row, column + 1
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return int(match[2]) - 1, number - 1


def _shown(value: str, kind: str, strings: list[str], *, dated: bool) -> str:
    if kind == "s":
        number = _number(value.strip())
        return strings[number] if 0 <= number < len(strings) else ""
    if kind == "b":
        return "TRUE" if value.strip() == "1" else "FALSE"
    return _date(value) if dated and kind == "n" else value


def _date(value: str) -> str:
    """Days since the end of 1899 as a date; a number that is none stays."""
    try:
        moment = datetime(1899, 12, 30) + timedelta(days=float(value))
    except (ValueError, OverflowError):
        return value
    return moment.date().isoformat() if moment.time() == datetime.min.time() else moment.isoformat(" ", "seconds")
