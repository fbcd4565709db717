"""Office documents: parts by their relations, margins of sheets, what is embedded; and text that is gone in RTF."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import made_files as made
import openpyxl
import pptx
import pytest
from pptx.enum.shapes import PROG_ID

from rolltop.store.extract import Extracted
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.formats.sheetmargins import margin_words


def changed(
    data: bytes, change: Callable[[str, bytes], tuple[str, bytes]], more: dict[str, bytes] | None = None
) -> bytes:
    """The same package with other members."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = dict(change(name, archive.read(name)) for name in archive.namelist())
    return made.made_zip(members | (more or {}))


def where(text: Extracted, word: str) -> str:
    assert word in text.body, text
    return text.place(text.body.index(word))


@pytest.mark.parametrize(
    ("whole", "main"),
    [(made.made_docx(), "document"), (made.made_xlsx(), "workbook"), (made.made_pptx(), "presentation")],
    ids=["docx", "xlsx", "pptx"],
)
def test_the_main_part_is_the_one_that_the_package_names(whole: bytes, main: str) -> None:
    old, new = f"/{main}.xml", f"/{main}2.xml"

    def renamed(name: str, content: bytes) -> tuple[str, bytes]:
        if name in ("_rels/.rels", "[Content_Types].xml"):
            content = content.replace(old.encode(), new.encode())
        return name.replace(old, new), content

    assert read_document(changed(whole, renamed), "a") == read_document(whole, "a")


def with_cells(cells: str) -> bytes:
    """A sheet with these cells in its first row."""
    book = openpyxl.Workbook()
    row = f'<sheetData><row r="1">{cells}</row></sheetData>'.encode()

    def filled(name: str, content: bytes) -> tuple[str, bytes]:
        return name, content.replace(b"<sheetData />", row).replace(b"<sheetData/>", row).replace(
            b"<sheetData></sheetData>", row
        )

    return changed(made.saved(book), filled)


def test_dates_that_are_written_out_are_as_others() -> None:
    values = ("2024-03-05T00:00:00.000", "2024-03-05T13:45:00", "2024-03-05", "13:45")
    cells = "".join(f'<c t="d"><v>{value}</v></c>' for value in values)
    assert read_document(with_cells(cells), "a.xlsx").body == "2024-03-05\t2024-03-05 13:45:00\t2024-03-05\t13:45\n"


def test_the_sound_of_a_text_in_a_cell_is_left_out() -> None:
    inline = '<is><r><t>東京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is>'
    cells = f'<c t="inlineStr">{inline}</c><c t="inlineStr"><is><t>next</t></is></c>'
    assert read_document(with_cells(cells), "a.xlsx").body == "東京\tnext\n"


def test_headers_and_footers_of_sheets_are_read() -> None:
    book = openpyxl.Workbook()
    first, second = book.active, book.create_sheet("Second")
    assert first is not None
    first["A1"], second["A1"] = "cell", "other"
    first.oddHeader.center.text, first.oddFooter.left.text = "Whales & co", "Page &P of &N"
    first.evenHeader.center.text = "Whales & co"
    second.oddHeader.right.text = "&D &T"
    text = read_document(made.saved(book), "a.xlsx")
    assert text.body == "cell\nWhales & co\nPage of\nother\n"
    assert [where(text, word) for word in ("Whales", "Page", "other")] == [
        "Sheet, header",
        "Sheet, footer",
        "Second!A1",
    ]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("&LLeft&CMiddle&RRight", "Left Middle Right"),
        ('&C&"Arial,Bold"&14&KFF0000Report 2024', "Report 2024"),
        ("&K01+049Whales && dolphins", "Whales & dolphins"),
        ("&L&F&C&A&R&P/&N", ""),
        ("&C&P", ""),
        ("- &P -", ""),
        ("ends with &", "ends with &"),
        ("", ""),
    ],
)
def test_codes_in_margins_are_no_words(code: str, words: str) -> None:
    assert margin_words(code) == words


def test_empty_rows_between_others_take_no_place() -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Long")
    for number in range(60_000):
        sheet.append([number, f"word{number}"])
        sheet.append([])
    book.create_sheet("Last").append(["the end"])
    text = read_document(made.saved(book), "a.xlsx")
    assert (where(text, "word59999"), where(text, "the end"), text.note) == ("Long!B119999", "Last!A1", None)


def related(data: bytes, part: str, kind: str, target: str, content: bytes) -> bytes:
    """The package with one more part that another one is related to."""
    folder, _, name = part.rpartition("/")
    space = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relation = f'<Relationship Id="more" Type="{space}/{kind}" Target="embeddings/{target}"/></Relationships>'.encode()

    def added(name: str, content: bytes) -> tuple[str, bytes]:
        return name, content.replace(b"</Relationships>", relation) if name == place else content

    place = f"{folder}/_rels/{name}.rels"
    return changed(data, added, {f"{folder}/embeddings/{target}": content})


def test_a_document_in_a_document_is_read() -> None:
    data = related(made.made_docx(), "word/document.xml", "package", "t.xlsx", made.made_xlsx())
    text = read_document(data, "a.docx")
    assert (where(text, "giraffe"), where(text, "lion"), text.note) == ("line 2", "t.xlsx, Sheet1!A7", None)


def test_a_document_on_a_slide_is_read() -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    slide.shapes.add_ole_object(io.BytesIO(made.made_xlsx()), PROG_ID.XLSX, 0, 0, 9, 9)
    text = read_document(made.saved(show), "a.pptx")
    assert where(text, "lion").endswith(".xlsx, Sheet1!A7")


def test_an_object_in_the_old_form_is_said_not_to_be_read() -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    text = read_document(related(made.made_docx(), "word/document.xml", "oleObject", "o.bin", old), "a.docx")
    assert text.note == "objects that are embedded in the form from before 2007 were not read"
    body = '<text:p>x<draw:frame><draw:object-ole xlink:href="./Object 1"/></draw:frame></text:p>'
    assert (
        read_document(made.made_odf("text", f"<office:text>{body}</office:text>", {"Object 1": old}), "a.odt").note
        == text.note
    )


def test_documents_in_documents_end_somewhere() -> None:
    data = made.made_docx()
    for _ in range(6):
        data = related(made.made_docx(), "word/document.xml", "package", "t.docx", data)
    text = read_document(data, "a.docx")
    assert (text.body.count("giraffe"), text.note) == (
        4,
        "t.docx: t.docx: t.docx: t.docx: packed too deep inside other files",
    )


@pytest.mark.parametrize(
    ("source", "body"),
    [
        (rb"Kept {\deleted gone} and {\revised put in}.\par", "Kept  and put in."),
        (rb"Kept \deleted gone\deleted0  and more.\par", "Kept  and more."),
        (rb"Kept \deleted gone\plain  and more.\par", "Kept  and more."),
        (rb"From {\mvf here}to {\mvt there}.\par", "From to there."),
        (rb"{\deleted gone \u9731? {\b too} {\footnote and its note}}left\par", "left"),
    ],
)
def test_what_was_deleted_or_moved_away_in_rtf_is_left_out(source: bytes, body: str) -> None:
    assert read_document(rb"{\rtf1\ansi\pard " + source + b"}", "a.rtf").body.strip("\n") == body
