"""What a document is, where it holds or mentions documents of other kinds."""

from __future__ import annotations

import io
import subprocess
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import made_files as made
import pytest

from rolltop.store import Library
from rolltop.store.extract.detect import HEAD, format_of
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.zip_names import MOST, zip_names

PDF = made.made_pdf("a zebra")
PACKED = b"x\x9c\xcb\x48\xcd\xc9\xc9\x57\x08\xcf\x2f\xca\x49\x01\x00\x00\xff"
"""A piece of a compressed stream: no text."""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store") as opened:
        yield opened


def found(library: Library, word: str) -> list[str]:
    return sorted(hit.document.path for hit in library.search.keyword(word).hits)


def test_an_archive_that_begins_with_a_pdf_is_an_archive(library: Library, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(PDF)
    (tmp_path / "notes.txt").write_text("notes about axolotl\n")
    tar = ["tar", "-C", str(tmp_path), "-cf", str(tmp_path / "gnu.tar"), "report.pdf", "notes.txt"]
    subprocess.run(tar, check=True, timeout=60)
    library.documents.add("gnu.tar", (tmp_path / "gnu.tar").read_bytes())
    library.documents.add("python.tar", made.made_tar({"report.pdf": PDF, "notes.txt": b"notes about axolotl"}))
    members = {"report.pdf": PDF, "notes.txt": "notes about axolotl"}
    library.documents.add("stored.zip", made.made_zip(members, zipfile.ZIP_STORED))
    library.indexes.update()
    assert found(library, "axolotl") == found(library, "zebra") == ["gnu.tar", "python.tar", "stored.zip"]
    assert library.search.keyword("zebra").hits[0].place == "report.pdf, page 1"


def test_a_text_that_mentions_the_mark_of_a_pdf_is_a_text(library: Library) -> None:
    library.documents.add_text("a.html", "<html><body><p>Begins with %PDF-1.7, says the newt</p></body></html>")
    library.documents.add_text(
        "b.eml", "From: a@b.c\nSubject: %PDF-1.4\nDate: Mon, 16 Nov 2026 01:00:00 +0000\n\nThe newt.\n"
    )
    library.documents.add("c.rtf", rb"{\rtf1\ansi About %PDF-1.4 and the newt.\par}")
    library.documents.add_text("Makefile", "all:\n\techo '%PDF-1.4' # newt\n")
    library.documents.add_text("script", "#!/bin/sh\ncat <<EOF\n%PDF-1.4\n1 0 obj\nnewt\nEOF\n")
    library.documents.add("western", "Die Größe steht hinter\n%PDF-1.4 newt\n".encode("cp1252"))
    library.indexes.update()
    assert found(library, "newt") == ["Makefile", "a.html", "b.eml", "c.rtf", "script", "western"]
    assert library.extracts.note(library.documents.get("a.html")) is None


@pytest.mark.parametrize(
    "before",
    [b"", b"\xef\xbb\xbf", b"\r\n\r\n \0", b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n", b"\x1b%-12345X@PJL\n@PJL JOB\n"],
    ids=("nothing", "a mark", "space", "a header", "printer commands"),
)
def test_what_stands_before_a_pdf_does_not_hide_it(library: Library, before: bytes) -> None:
    library.documents.add("a.pdf", before + PDF)
    with_stream = PDF.replace(b"\n", b"\n%\xe2\xe3\xcf\xd3\n", 1)
    assert format_of(before + with_stream, "a") == "pdf"
    library.indexes.update()
    assert found(library, "zebra") == ["a.pdf"]


def test_a_pdf_begins_in_the_first_kilobyte() -> None:
    junk = PACKED * 200
    within, beyond = junk[:1000] + b"\n" + PDF, junk[: HEAD // 2] + b"\n" + PDF
    assert (format_of(within, "a"), format_of(beyond, "a")) == ("pdf", "")


def test_a_zip_that_holds_an_office_file_is_a_zip(library: Library) -> None:
    office = {"b.docx": made.made_docx(), "b.xlsx": made.made_xlsx(), "b.pptx": made.made_pptx()}
    for name, content in office.items():
        archive = made.made_zip({name: content, "notes.txt": "an axolotl"}, zipfile.ZIP_STORED)
        library.documents.add(f"{name}.zip", archive)
    library.indexes.update()
    assert found(library, "axolotl") == ["b.docx.zip", "b.pptx.zip", "b.xlsx.zip"]
    assert (found(library, "giraffe"), found(library, "tiger")) == (["b.docx.zip"], ["b.xlsx.zip"])


def test_an_office_file_that_holds_others_stays_what_it_is() -> None:
    outer = io.BytesIO(made.made_docx())
    with zipfile.ZipFile(outer, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr("word/embeddings/sheet.xlsx", made.made_xlsx())
    assert format_of(outer.getvalue(), "a") == "docx"


@pytest.mark.parametrize(
    ("whole", "form"), [(made.made_odt(), "odf"), (made.made_ods(), "odf"), (made.made_epub(), "epub")]
)
def test_a_package_that_is_packed_in_another_order_is_what_it_is(whole: bytes, form: str) -> None:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in reversed(archive.namelist())}
    again = made.made_zip({"META-INF/manifest.xml": "<manifest/>"} | members)
    assert (format_of(whole, "a"), format_of(again, "a")) == (form, form)
    assert read_document(again, "a") == read_document(whole, "a")


@pytest.mark.parametrize(
    "before", [b"", b"\xef\xbb\xbf", b"<?xml version='1.0'?>\n<?xml-stylesheet href='x'?>\n", b"<!-- a -->\n<!-- > -->"]
)
def test_what_stands_before_a_page_does_not_hide_it(before: bytes) -> None:
    assert format_of(before + b"<!DOCTYPE html><p>x", "a") == "html"


@pytest.mark.parametrize("before", [b"<!---->", b"<!-- -->  ", b"<? ?>", b"<!--", b" "])
def test_telling_a_page_takes_no_time(before: bytes) -> None:
    start = time.process_time()
    assert format_of(before * HEAD, "a") == "text"
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize("remark", [b"", b"said by the writer"])
def test_the_names_in_an_archive_are_those_of_its_directory(remark: bytes) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.zip", made.made_zip({"inner.txt": "x"}, zipfile.ZIP_STORED))
        archive.writestr("größe/b.txt", "y")
        archive.comment = remark
    names = [b"a.zip", "größe/b.txt".encode()]
    assert list(zip_names(file.getvalue())) == names
    assert list(zip_names(b"#!/bin/sh\n" + file.getvalue())) == names


def test_names_of_archives_that_are_damaged_are_those_that_can_be_told() -> None:
    whole = made.made_zip({f"{number}.txt": "x" for number in range(20)})
    for end in range(0, len(whole), 7):
        assert list(zip_names(whole[:end])) == []
    for at in range(len(whole)):
        assert len(list(zip_names(whole[:at] + b"\xff" + whole[at + 1 :]))) <= 20
    assert MOST >= 2000


def test_an_archive_with_wide_numbers_says_its_names() -> None:
    whole = made.made_zip({"a.txt": "x", "b.txt": "y"})
    end = whole.rindex(b"PK\x05\x06")
    start = whole.index(b"PK\x01\x02")
    count = (2).to_bytes(8, "little")
    wide = b"PK\x06\x06" + (44).to_bytes(8, "little") + b"-\0-\0" + bytes(8) + count + count
    wide += (end - start).to_bytes(8, "little") + start.to_bytes(8, "little")
    locator = b"PK\x06\x07" + bytes(4) + end.to_bytes(8, "little") + (1).to_bytes(4, "little")
    narrow = b"PK\x05\x06" + bytes(4) + b"\xff" * 12 + bytes(2)
    data = whole[:end] + wide + locator + narrow
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == ["a.txt", "b.txt"]
    assert list(zip_names(data)) == [b"a.txt", b"b.txt"]
