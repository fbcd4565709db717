"""Texts out of files that other programs made, and where in the file each word stands."""

from __future__ import annotations

import gzip
import lzma
import subprocess
import sys
from collections.abc import Iterator

import made_files as made
import pytest

from rolltop.base.zstd import zstd
from rolltop.store.extract import Extracted
from rolltop.store.extract.detect import format_of
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.worker_pool import Workers


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Real workers, as the store uses them."""
    with_limits = Workers()
    yield with_limits
    with_limits.close()


def where(text: Extracted, word: str) -> str:
    assert word in text.body, text
    return text.place(text.body.index(word))


def test_pdf(workers: Workers) -> None:
    text = workers.read("a.pdf", made.made_pdf("Hello zebra", "Another walrus"))
    assert (where(text, "zebra"), where(text, "walrus"), text.note) == ("page 1", "page 2", None)


def test_without_its_reader_a_pdf_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    text = read_document(made.made_pdf("Hello zebra"), "a.pdf")
    assert (text.body, text.needs) == ("", "pypdfium2")
    assert text.note == "reading PDF needs pypdfium2; `rolltop doctor` shows how to get it"
    packed = read_document(made.made_zip({"a.pdf": made.made_pdf("Hello zebra")}), "a.zip")
    assert packed.needs == "pypdfium2"


def test_a_pdf_says_its_title(workers: Workers) -> None:
    data = made.pdf_of(
        [made.CATALOG, made.ONE_PAGE, b"<< /Type /Page /Parent 2 0 R >>", b"<< /Title (Annual report) >>"],
        b"/Info 4 0 R",
    )
    text = workers.read("a.pdf", data)
    assert text.title == "Annual report"
    assert text.note == "its pages hold no text, perhaps only pictures of text"


def test_the_links_of_a_pdf_lead_out_of_it(workers: Workers) -> None:
    data = made.pdf_with_links(
        "<< /S /URI /URI (https://example.org/a) >>",
        "<< /S /GoToR /F (other.pdf) /D [0 /Fit] >>",
        "<< /S /GoTo /D [3 0 R /Fit] >>",
        "<< /S /JavaScript /JS (app.alert) >>",
    )
    assert workers.read("a.pdf", data).links == ("https://example.org/a", "other.pdf")


def test_rtf(workers: Workers) -> None:
    text = workers.read("a.rtf", made.made_rtf())
    assert (text.title, text.headings, text.links, text.note) == ("The plan", ("Beginnings",), ("other.rtf",), None)
    lines = ("Beginnings", "A gïraffe walks.", "кит 鯨 ☃ 😀", "the note", "elsewhere", "left\telephant\t", "{end}")
    assert tuple(line for line in text.body.split("\n") if line) == lines
    assert where(text, "elephant") == "line 6"


def test_rtf_says_what_another_program_meant(workers: Workers) -> None:
    source = "# Beginnings\n\nA *whale*: “鯨”, {𝄞}, 5 € and a [page](https://example.org/x).\n\nMore [](b.md)\n"
    command = ["pandoc", "--from", "markdown", "--to", "rtf", "--standalone"]
    data = subprocess.run(command, input=source.encode(), capture_output=True, check=True).stdout
    text = workers.read("a.rtf", data)
    assert text.body.split("\n")[:2] == ["Beginnings", "A whale: “鯨”, {𝄞}, 5 € and a page."]
    assert (text.headings, text.links) == (("Beginnings",), ("https://example.org/x", "b.md"))


def test_docx(workers: Workers) -> None:
    text = workers.read("a.docx", made.made_docx())
    assert (text.title, text.headings) == ("The plan", ("Beginnings",))
    assert (where(text, "giraffe"), "left \telephant" in text.body) == ("line 2", True)


def test_xlsx(workers: Workers) -> None:
    text = workers.read("a.xlsx", made.made_xlsx())
    places = {word: where(text, word) for word in ("lion", "tiger", "2024-05-01", "faraway", "puma")}
    assert places == {
        "lion": "Sheet1!A7",
        "tiger": "Sheet1!C9",
        "2024-05-01": "Sheet1!B10",
        "faraway": "Sheet1!ZZ11",
        "puma": "Second!B2",
    }
    assert text.headings == ("Sheet1", "Second")


def test_pptx(workers: Workers) -> None:
    text = workers.read("a.pptx", made.made_pptx())
    assert text.headings == ("Opening", "Closing")
    assert [where(text, word) for word in ("panda", "koala", "wombat")] == ["slide 1", "slide 2", "slide 2, notes"]


def test_odt(workers: Workers) -> None:
    text = workers.read("a.odt", made.made_odt())
    assert (text.headings, text.body) == (("Heron",), "Heron\nFirst   stork\tibis\nLast.\n")


def test_ods(workers: Workers) -> None:
    assert where(workers.read("a.ods", made.made_ods()), "otter") == "Data!C5"


def test_epub(workers: Workers) -> None:
    text = workers.read("a.epub", made.made_epub())
    assert (text.title, text.headings) == ("Sea tales", ("Calm", "Storm"))
    assert (where(text, "dolphin"), where(text, "whale")) == ("chapter 1", "chapter 2")


def test_html(workers: Workers) -> None:
    text = workers.read("a.html", made.made_html())
    assert (text.title, text.headings, text.links) == (
        "Birds & more",
        ("Owls", "Eagles"),
        ("https://example.org/eagle",),
    )
    assert text.body.splitlines() == ["Owls", "A snowy owl.", "Eagles", "golden eagle", "more"]
    assert where(text, "golden") == "section Eagles"


def test_mail(workers: Workers) -> None:
    text = workers.read("a.eml", made.made_mail())
    assert text.title == "Grüße vom See"
    places = [where(text, word) for word in ("ann@", "heron", "badger", "loose")]
    assert places == ["headers", "message", "report.pdf, page 1", "note.txt"]
    assert text.body.count("heron") == 1


def test_notebook(workers: Workers) -> None:
    text = workers.read("a.ipynb", made.made_notebook())
    assert (text.title, [symbol.name for symbol in text.symbols]) == ("Study", ["count"])
    assert (where(text, "foxes"), where(text, "lynx")) == ("cell 1", "cell 2")


MEMBERS = {"notes/a.txt": b"an ocelot", "b.pdf": made.made_pdf("packed jackal")}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", made.made_zip(MEMBERS)),
        ("a.tar", made.made_tar(MEMBERS)),
        ("a.tar.gz", made.made_tar(MEMBERS, "gz")),
        ("a.tar.bz2", made.made_tar(MEMBERS, "bz2")),
        ("a.tar.xz", lzma.compress(made.made_tar(MEMBERS))),
        ("a.tar.zst", zstd.compress(made.made_tar(MEMBERS))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_archives(workers: Workers, name: str, data: bytes) -> None:
    text = workers.read(name, data)
    assert (where(text, "ocelot"), where(text, "jackal")) == ("notes/a.txt", "b.pdf, page 1")


def test_one_compressed_file(workers: Workers) -> None:
    assert "a marmot" in workers.read("a.txt.gz", gzip.compress(b"a marmot")).body


def test_archives_in_archives(workers: Workers) -> None:
    inner = made.made_zip({"deep.txt": "a mole"})
    assert where(workers.read("a.zip", made.made_zip({"inner.zip": inner})), "mole") == "inner.zip, deep.txt"


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (made.made_pdf("x"), "pdf"),
        (made.made_docx(), "docx"),
        (made.made_xlsx(), "xlsx"),
        (made.made_pptx(), "pptx"),
        (made.made_odt(), "odf"),
        (made.made_epub(), "epub"),
        (made.made_html(), "html"),
        (made.made_mail(), "mail"),
        (made.made_notebook(), "notebook"),
        (made.made_zip({"a": "b"}), "zip"),
        (made.made_tar({"a": b"b"}), "tar"),
        (gzip.compress(b"x"), "packed"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "ole"),
        ("größer".encode("utf-16"), "text"),
        ("Überall größere Wörter stehen".encode("cp1252"), "text"),
        (b"plain words", "text"),
        (b"Dear Ann,\nFrom: here\nto there\n", "text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", ""),
        (bytes(range(256)), ""),
        (b"", "text"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_formats_are_told_by_content_whatever_the_name(data: bytes, form: str) -> None:
    assert [format_of(data, name) for name in ("a", "a.bin", "a.txt")] == [form] * 3
