"""What an Office document says beside its text: what pictures show, where fields lead, signs that XML cannot write."""

from __future__ import annotations

import datetime
import io
import zipfile

import docx
import made_files as made
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from openpyxl.chart import PieChart, Reference
from openpyxl.chart.series import SeriesLabel
from openpyxl.comments import Comment

from rolltop.store.extract import Extracted
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.formats.xlsx import unescaped

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c6360000000020001"
    "48afa4710000000049454e44ae426082"
)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def lines(text: Extracted) -> list[str]:
    return [line for line in text.body.splitlines() if line]


def test_what_a_picture_in_a_text_shows_comes_after_its_paragraph() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("A heron")
    paragraph.add_run().add_picture(io.BytesIO(PICTURE))
    paragraph.add_run(" stands.")
    for shown in document.element.body.iter("{*}docPr"):
        shown.set("title", "Bird")
        shown.set("descr", "a grey bird in a river")
    document.add_paragraph("The end.")
    text = read_document(made.saved(document), "a.docx")
    assert lines(text) == ["A heron stands.", "Bird", "a grey bird in a river", "The end."]


def test_what_a_picture_in_a_table_shows_stays_in_its_row() -> None:
    document = docx.Document()
    row = document.add_table(1, 2).rows[0]
    row.cells[0].paragraphs[0].add_run().add_picture(io.BytesIO(PICTURE))
    row.cells[1].text = "beside"
    for shown in document.element.body.iter("{*}docPr"):
        shown.set("descr", "a grey bird")
    assert "a grey bird \tbeside" in read_document(made.saved(document), "a.docx").body


def test_letters_that_are_drawn_are_read() -> None:
    document = docx.Document()
    drawn = (
        f'<w:r xmlns:w="{WORD}" xmlns:v="urn:schemas-microsoft-com:vml"><w:pict>'
        '<v:shape alt="across the page"><v:textpath string="CONFIDENTIAL"/></v:shape></w:pict></w:r>'
    )
    document.sections[0].header.paragraphs[0]._p.append(parse_xml(drawn))
    text = read_document(made.saved(document), "a.docx")
    assert text.place(text.body.index("CONFIDENTIAL")).startswith("header")
    assert "across the page" in text.body


def test_what_pictures_on_slides_and_sheets_show_is_read() -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    picture = slide.shapes.add_picture(io.BytesIO(PICTURE), 0, 0)
    picture._element.nvPicPr.cNvPr.set("descr", "a map of the delta")
    text = read_document(made.saved(show), "a.pptx")
    assert text.place(text.body.index("a map of the delta")) == "slide 1"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.add_chart(PieChart(), "B2")
    with zipfile.ZipFile(io.BytesIO(made.saved(book))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, content in members.items():
        if name.startswith("xl/drawings/drawing"):
            members[name] = content.replace(b'name="Chart 1"', b'name="Chart 1" descr="sales by quarter"')
    text = read_document(made.made_zip(members), "a.xlsx")
    assert text.place(text.body.index("sales by quarter")) == "Sheet, drawing"


def test_a_series_of_a_chart_may_have_its_name_written_in_it() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append([1, 2])
    chart = PieChart()
    chart.add_data(Reference(sheet, min_col=1, max_col=2, min_row=1), from_rows=True)
    chart.series[0].tx = SeriesLabel(v="Herons counted")
    sheet.add_chart(chart, "B2")
    assert "Herons counted" in read_document(made.saved(book), "a.xlsx").body


def test_links_are_those_of_fields_and_notes_too() -> None:
    document = docx.Document()
    run = document.add_paragraph().add_run()._r
    for piece in (
        '<w:fldChar xmlns:w="{0}" w:fldCharType="begin"/>',
        '<w:instrText xmlns:w="{0}"> HYPERLINK "https://field.</w:instrText>',
        '<w:instrText xmlns:w="{0}">example/x" </w:instrText>',
        '<w:fldChar xmlns:w="{0}" w:fldCharType="separate"/>',
        '<w:t xmlns:w="{0}">shown</w:t>',
        '<w:fldChar xmlns:w="{0}" w:fldCharType="end"/>',
    ):
        run.append(parse_xml(piece.format(WORD)))
    instruction = 'w:instr="HYPERLINK &quot;other.docx&quot;"'
    simple = f'<w:fldSimple xmlns:w="{WORD}" {instruction}><w:r><w:t>too</w:t></w:r></w:fldSimple>'
    document.add_paragraph()._p.append(parse_xml(simple))
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    document.sections[0].footer.part.relate_to("https://footer.example/", kind, is_external=True)
    text = read_document(made.saved(document), "a.docx")
    assert text.links == ("https://field.example/x", "other.docx", "https://footer.example/")
    assert lines(text)[:2] == ["shown", "too"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("first_x000D_\nsecond", "first\r\nsecond"),
        ("_x005F_x000D_", "_x000D_"),
        ("_xD83D__xDE00_", "😀"),
        ("max_x_value", "max_x_value"),
        ("_x00ZZ_", "_x00ZZ_"),
    ],
)
def test_a_cell_says_some_signs_by_their_number(written: str, read: str) -> None:
    assert unescaped(written) == read


@pytest.mark.parametrize("place", ["A1", "B1", "C1", "D1"])
def test_lines_in_cells_and_comments_have_no_signs_between(place: str) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"] = "ibis_x000D_\nheron"
    sheet["D1"].comment = Comment("ibis_x000D_\nheron", "me")
    sheet["E1"] = datetime.date(2024, 3, 5)
    cells = (
        b'<c r="B1" t="str"><f>x</f><v>ibis_x000D_\nheron</v></c>'
        b'<c r="C1" t="inlineStr"><is><t>ibis_x000D_\nheron</t></is></c>'
    )
    with zipfile.ZipFile(io.BytesIO(made.saved(book))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet_part = "xl/worksheets/sheet1.xml"
    begin, cell, end = members[sheet_part].partition(b'<c r="E1"')
    text = read_document(made.made_zip(members | {sheet_part: begin + cells + cell + end}), "a.xlsx")
    starts = [at for at in range(len(text.body)) if text.body.startswith("ibis heron", at)]
    assert f"Sheet!{place}" in [text.place(start).removesuffix(", comment") for start in starts]
    assert "_x000D_" not in text.body


def test_a_formula_in_a_text_is_read() -> None:
    formula = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msup><mi>a</mi><mn>2</mn></msup>\n<mo>=</mo>'
        '<mi>lift</mi></mrow><annotation encoding="StarMath 5.0">a^2 = lift</annotation></semantics></math>'
    )
    body = (
        '<office:text><text:p>So <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p></office:text>'
    )
    text = read_document(made.made_odf("text", body, {"Object 1/content.xml": formula}), "a.odt")
    assert lines(text) == ["So ", "a2=lift"]
    assert text.place(text.body.index("lift")) == "drawing"
