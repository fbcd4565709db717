"""Small real files of every format that texts are read from, with known words at known places."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from datetime import datetime
from email.message import EmailMessage

import docx
import openpyxl
import pptx

CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
ONE_PAGE = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"


def made_pdf(*pages: str, extra: bytes = b"") -> bytes:
    """A PDF written by hand: one line of Helvetica on each page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >> stream\n%s\nendstream" % (len(stream), stream))
    return pdf_of(objects, extra)


def pdf_of(objects: list[bytes], extra: bytes = b"") -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, extra, start)
    return bytes(out)


def pdf_with_links(*actions: str) -> bytes:
    """A PDF of one page that has a link for each action."""
    links = " ".join(f"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A {action} >>" for action in actions)
    return pdf_of([CATALOG, ONE_PAGE, f"<< /Type /Page /Parent 2 0 R /Annots [{links}] >>".encode()])


def made_rtf() -> bytes:
    """As Word writes it: fonts with their alphabets, styles, a field, a note, a table, a picture."""
    return (
        rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}"
        rb"{\f2\fcharset128 Mincho;}}"
        rb"{\stylesheet{\s0 Normal;}{\s1\b heading 1;}}{\info{\title The plan}{\author Nobody}}"
        rb"{\*\generator Word;}{\pict\pngblip 89504e47}\pard\s1 Beginnings\par\pard\s0 A g\'efraffe walks.\par "
        rb"{\f1 \'ea\'e8\'f2} {\f2 \'8c\'7e} \u9731? \uc2\u-10179 ??\u-8704 ??{\*\footnote the note}\par"
        rb'{\field{\*\fldinst HYPERLINK "other.rtf"}{\fldrslt elsewhere}}\par'
        rb"\trowd\pard\intbl left\cell elephant\cell\row\pard {\object{\*\objdata 00}{\result shown}}\{end\}\par}"
    )


def made_docx() -> bytes:
    document = docx.Document()
    document.core_properties.title = "The plan"
    document.add_heading("Beginnings", 1)
    document.add_paragraph("A giraffe walks.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "elephant"
    return saved(document)


def made_xlsx() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Sheet1"
    sheet["A7"], sheet["C9"], sheet["B10"], sheet["ZZ11"] = "lion", "tiger", datetime(2024, 5, 1), "faraway"
    book.create_sheet("Second")["B2"] = "puma"
    return saved(book)


def made_pptx() -> bytes:
    show = pptx.Presentation()
    for title, text in (("Opening", "panda"), ("Closing", "koala")):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    show.slides[1].notes_slide.notes_text_frame.text = "whispered wombat"
    return saved(show)


def made_odt() -> bytes:
    body = (
        '<office:text><text:h text:outline-level="1">Heron</text:h><text:p>First<text:s text:c="3"/>stork'
        "<text:tab/>ibis</text:p><text:tracked-changes><text:p>deleted words</text:p></text:tracked-changes>"
        "<text:p>Last.</text:p></office:text>"
    )
    return made_odf("text", body)


def made_ods() -> bytes:
    body = (
        '<office:spreadsheet><table:table table:name="Data"><table:table-row table:number-rows-repeated="4">'
        '<table:table-cell/></table:table-row><table:table-row><table:table-cell table:number-columns-repeated="2"/>'
        "<table:table-cell><text:p>otter</text:p></table:table-cell></table:table-row></table:table>"
        "</office:spreadsheet>"
    )
    return made_odf("spreadsheet", body)


def made_odf(kind: str, body: str, more: dict[str, str | bytes] | None = None) -> bytes:
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return made_zip({"mimetype": mime, "content.xml": odf_content(body), **(more or {})}, zipfile.ZIP_STORED)


def odf_content(body: str) -> str:
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table", "draw", "chart", "xlink")
    )
    return f"<office:document-content {spaces}><office:body>{body}</office:body></office:document-content>"


def made_epub() -> bytes:
    chapter = "<html xmlns='http://www.w3.org/1999/xhtml'><body><h1>{}</h1><p>{}</p></body></html>"
    return made_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container><rootfile full-path='book/b.opf'/></container>",
            "book/b.opf": "<package xmlns:dc='d'><metadata><dc:title>Sea tales</dc:title></metadata><manifest>"
            "<item id='two' href='2.xhtml'/><item id='one' href='1.xhtml'/></manifest>"
            "<spine><itemref idref='one'/><itemref idref='two'/></spine></package>",
            "book/1.xhtml": chapter.format("Calm", "A dolphin."),
            "book/2.xhtml": chapter.format("Storm", "A whale."),
        },
        zipfile.ZIP_STORED,
    )


def made_html() -> bytes:
    return (
        b"<!doctype html><html><head><title>Birds &amp; more</title><style>p {}</style></head><body><h1>Owls</h1>"
        b"<p>A <b>snowy</b> owl.<script>var hidden = 1</script></p><h2>Eagles</h2><ul><li>golden eagle</ul>"
        b'<a href="https://example.org/eagle">more</a></body></html>'
    )


def made_mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ann@example.org", "bob@example.org", "Grüße vom See"
    message["Date"] = "Mon, 16 Nov 2026 01:00:00 +0000"
    message.set_content("The heron came back.\n")
    message.add_alternative("<p>The heron came back.</p>", subtype="html")
    message.add_attachment(made_pdf("attached badger"), maintype="application", subtype="pdf", filename="report.pdf")
    message.add_attachment("a loose note\n", filename="note.txt")
    return message.as_bytes()


def made_notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Study\n", "of foxes"]},
        {"cell_type": "code", "source": "def count():\n    return 3", "outputs": [{"text": ["printed lynx\n"]}]},
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def made_zip(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def made_tar(members: Mapping[str, bytes], mode: str = "") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=f"w:{mode}") as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return file.getvalue()


def saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]
    return file.getvalue()
