"""OpenDocument: values of cells as they are kept, charts, and documents that are encrypted."""

from __future__ import annotations

import made_files as made
import pytest

from rolltop.store.extract import Extracted
from rolltop.store.extract.formats.moments import iso_duration, iso_moment
from rolltop.store.extract.formats.readers import read_document


def cell(said: str, shown: str = "", more: str = "") -> str:
    inside = f"<text:p>{shown}</text:p>" if shown else ""
    return f"<table:table-cell {said}>{inside}{more}</table:table-cell>"


def row(*cells: str, repeated: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{repeated}">{"".join(cells)}</table:table-row>'


def read_sheet(*rows: str, more: dict[str, str | bytes] | None = None) -> Extracted:
    table = f'<table:table table:name="Data">{"".join(rows)}</table:table>'
    return read_document(
        made.made_odf("spreadsheet", f"<office:spreadsheet>{table}</office:spreadsheet>", more), "a.ods"
    )


def of(kind: str, value: str, name: str = "value") -> str:
    return f'office:value-type="{kind}" office:{name}="{value}"'


@pytest.mark.parametrize("shown", ["", "as it is formatted"])
def test_values_are_as_they_are_kept(shown: str) -> None:
    values = {
        "2024-03-05": of("date", "2024-03-05", "date-value"),
        "2024-02-29 23:59:59": of("date", "2024-02-29T23:59:59.000000000", "date-value"),
        "13:45:00": of("time", "PT13H45M00S", "time-value"),
        "50:00:00": of("time", "PT50H00M00S", "time-value"),
        "1234567.891": of("float", "1234567.891"),
        "0.25": of("percentage", "0.25"),
        "19.9": of("currency", "19.9") + ' office:currency="EUR"',
        "TRUE": of("boolean", "true", "boolean-value"),
    }
    text = read_sheet(row(*(cell(said, shown) for said in values.values())))
    assert (text.body.strip().split("\t"), text.note) == ([*values], None)


def test_texts_are_as_they_are_written() -> None:
    kept = 'office:value-type="string" office:string-value="kept"'
    error = 'office:value-type="string" office:string-value="" calcext:value-type="error" xmlns:calcext="c"'
    cells = (cell(kept), cell(kept, "written"), cell(error, "#DIV/0!"), cell("", "bare"))
    assert read_sheet(row(*cells)).body == "kept\twritten\t#DIV/0!\tbare\n"


def test_a_box_in_a_cell_or_on_the_sheet_is_read() -> None:
    box = "<draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
    shapes = f"<table:shapes>{box.format('on the sheet')}</table:shapes>"
    text = read_sheet(shapes, row(cell(of("float", "12"), "12,00", box.format("in the cell"))))
    assert text.body == "12 in the cell\non the sheet\n"
    assert text.place(text.body.index("on the")) == "Data, drawing"


def test_repeated_rows_and_cells_are_there_as_often() -> None:
    cells = cell(of("float", "7") + ' table:number-columns-repeated="2"', "7"), cell("", "x")
    text = read_sheet(row(*cells, repeated=3), row(repeated=1_000_000), row(cell("", "last")))
    assert (text.body, text.note) == ("7\t7\tx\n" * 3 + "last\n", None)
    assert text.place(text.body.index("last")) == "Data!A1000004"


@pytest.mark.parametrize("across", [False, True])
def test_what_is_repeated_very_often_says_so(across: bool) -> None:
    often = 'table:number-columns-repeated="5000"' if across else ""
    text = read_sheet(row(cell(often, "x"), repeated=1 if across else 5000), row(cell("", "last")))
    assert (text.body.count("x"), text.body.endswith("\nlast\n")) == (1000, True)
    assert text.note == "cells and rows that are repeated were read at most 1000 times"


def test_spaces_that_are_repeated_are_nothing() -> None:
    spaces = cell('table:number-columns-repeated="16384"', " <text:s/>")
    text = read_sheet(*[row(spaces, repeated=1_000_000)] * 99, row(cell("", "last")))
    assert (text.body, text.note) == ("last\n", None)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("2024-03-05T00:00:00.000", "2024-03-05"),
        ("2024-03-05T13:44:59.7", "2024-03-05 13:45:00"),
        ("2024-12-31T23:59:59.999999999", "2025-01-01"),
        ("-0044-03-15", "-0044-03-15"),
        ("9999-12-31T23:59:59.9", "9999-12-31T23:59:59.9"),
        ("soon", "soon"),
        ("", ""),
    ],
)
def test_moments(value: str, shown: str) -> None:
    assert iso_moment(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("PT13H45M00S", "13:45:00"),
        ("-PT12H30M0S", "-12:30:00"),
        ("P1DT2H", "26:00:00"),
        ("PT0.6S", "00:00:01"),
        ("PT90M", "01:30:00"),
        ("P", "P"),
        ("PT", "PT"),
        ("P1M", "P1M"),
        ("", ""),
    ],
)
def test_durations(value: str, shown: str) -> None:
    assert iso_duration(value) == shown


CHART = made.odf_content(
    "<office:chart><chart:chart><chart:title><text:p>Whales counted</text:p></chart:title>"
    '<table:table table:name="local-table"><table:table-row><table:table-cell office:value-type="string">'
    '<text:p>Humpback</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="17">'
    "<text:p>17</text:p></table:table-cell></table:table-row></table:table></chart:chart></office:chart>"
)
OBJECT = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'


@pytest.mark.parametrize(
    ("kind", "body", "place"),
    [
        ("text", f"<office:text><text:p>Before {OBJECT}after</text:p></office:text>", "drawing"),
        ("spreadsheet", f'<office:spreadsheet><table:table table:name="A"><table:shapes>{OBJECT}</table:shapes>'
        "</table:table></office:spreadsheet>", "A, drawing"),
        ("presentation", f"<office:presentation><draw:page/><draw:page>{OBJECT}</draw:page></office:presentation>",
        "slide 2, drawing"),
    ],
)  # fmt: skip
def test_the_words_in_a_chart_are_read(kind: str, body: str, place: str) -> None:
    text = read_document(made.made_odf(kind, body, {"Object 1/content.xml": CHART}), "a")
    assert text.body.endswith("Whales counted\nHumpback\n")
    assert text.place(text.body.index("Humpback")) == place


def test_an_object_that_cannot_be_read_says_why() -> None:
    body = f"<office:text><text:p>Before {OBJECT}after</text:p></office:text>"
    text = read_document(made.made_odf("text", body, {"Object 1/content.xml": "<broken"}), "a.odt")
    assert text.body == "Before after\n"
    assert text.note is not None
    assert text.note.startswith("drawing: Object 1/content.xml is not well-formed XML")


def manifest(encrypted: str) -> str:
    space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    entry = f'<m:file-entry m:full-path="{encrypted}"><m:encryption-data m:checksum="x"/></m:file-entry>'
    return f'<m:manifest xmlns:m="{space}"><m:file-entry m:full-path="/"/>{entry}</m:manifest>'


@pytest.mark.parametrize("part", ["content.xml", "encrypted-package"])
def test_an_encrypted_document_says_so(part: str) -> None:
    mime = "application/vnd.oasis.opendocument.text"
    data = made.made_zip({"mimetype": mime, part: b"\x07\xff" * 99, "META-INF/manifest.xml": manifest(part)}, 0)
    assert read_document(data, "a.odt").note == "it is encrypted"


def test_a_document_with_an_encrypted_picture_is_read() -> None:
    body = "<office:text><text:p>words</text:p></office:text>"
    text = read_document(made.made_odf("text", body, {"META-INF/manifest.xml": manifest("Pictures/a.png")}), "a.odt")
    assert (text.body, text.note) == ("words\n", None)
