"""PDF: every letter of a page, what was filled in, and what was remarked."""

from __future__ import annotations

from collections.abc import Iterator

import made_files as made
import pytest

from rolltop.store.extract import Extracted
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.worker_pool import Workers

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Real workers, as the store uses them."""
    with_limits = Workers()
    yield with_limits
    with_limits.close()


def stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<< %s /Length %d >> stream\n%s\nendstream" % (more, len(content), content)


def page_with(*beside: bytes, fields: bytes = b"") -> bytes:
    """A page with one line, and what was put on it; `fields` are others, from object 7 on."""
    numbers = b" ".join(b"%d 0 R" % (7 + number) for number in range(len(beside)))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> "
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm 6 0 R >>",
        made.ONE_PAGE,
        page + b"/Contents 5 0 R /Annots [%s] >>" % numbers,
        _FONT,
        stream(b"BT /F1 12 Tf 72 720 Td (printed lines) Tj ET"),
        b"<< /Fields [%s] /DR << /Font << /F1 4 0 R >> >> /DA (/F1 12 Tf) >>" % (fields or numbers),
        *beside,
    ]
    return made.pdf_of(objects)


def places(text: Extracted) -> list[tuple[str, str]]:
    lines = text.body.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    return [(text.place(start), line.strip()) for start, line in zip(starts, lines, strict=True)]


def field(kind: str, value: str, more: str = "") -> bytes:
    rest = f"/FT /{kind} /T (name{value}) /V {value} {more}"
    return f"<< /Type /Annot /Subtype /Widget /Rect [72 600 272 620] /F 4 /P 3 0 R {rest} >>".encode()


def remark(kind: str, words: str, more: str = "") -> bytes:
    return f"<< /Type /Annot /Subtype /{kind} /Rect [300 600 320 620] /Contents {words} {more} >>".encode()


def test_what_was_filled_in_is_read(workers: Workers) -> None:
    data = page_with(
        field("Tx", "(typed ocelot)"),
        field("Tx", "<FEFF9BE8000D0077006F0072006B>"),
        field("Ch", "(de)", "/Ff 131072 /Opt [[(fr) (France)] [(de) (Germany)]]"),
        field("Ch", "(written in)", "/Ff 393216 /Opt [(one) (two)]"),
        field("Btn", "/Yes", "/AS /Yes"),
        field("Tx", "(not shown)", "/F 2").replace(b"/F 4", b""),
        field("Tx", "()"),
    )
    text = workers.read("a.pdf", data)
    filled = ["typed ocelot", "鯨", "work", "Germany", "written in"]
    assert places(text) == [("page 1", "printed lines"), *(("page 1, form", each) for each in filled)]
    assert text.note is None


def test_a_field_has_its_value_from_what_it_belongs_to(workers: Workers) -> None:
    widget = b"<< /Type /Annot /Subtype /Widget /Rect [72 600 272 620] /F 4 /P 3 0 R /Parent 8 0 R >>"
    parent = b"<< /FT /Tx /T (name) /V (shared tapir) /Kids [7 0 R] >>"
    data = page_with(widget, parent, fields=b"8 0 R").replace(b"/Annots [7 0 R 8 0 R]", b"/Annots [7 0 R]      ")
    assert places(workers.read("a.pdf", data))[1:] == [("page 1, form", "shared tapir")]


def test_what_was_remarked_is_read(workers: Workers) -> None:
    data = page_with(
        remark("Text", "(a sticky note)", "/T (Ann)"),
        remark("FreeText", "(free text)"),
        remark("Highlight", "(why this matters)", "/QuadPoints [0 0 9 0 0 9 9 9]"),
        remark("Popup", "(a sticky note)"),
        remark("Text", "(Accepted set by Ann)", "/StateModel (Review) /State (Accepted)"),
        remark("Text", "(hidden)", "/F 2"),
        remark("Link", "(a link)"),
    )
    text = workers.read("a.pdf", data)
    remarks = ["a sticky note", "free text", "why this matters"]
    assert places(text) == [("page 1", "printed lines"), *(("page 1, comments", each) for each in remarks)]


@pytest.mark.parametrize("halves", [False, True], ids=["by their names", "as two halves"])
def test_letters_of_every_plane_are_read(workers: Workers, halves: bool) -> None:
    pairs = "".join(f"<{code:02X}> <{letter.encode('utf-16-be').hex()}>\n" for code, letter in ((65, "𝄞"), (67, "😀")))
    table = f"begincmap 1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar {pairs} endbfchar endcmap"
    named = b"/Encoding << /Type /Encoding /Differences [65 /u1D11E /x /u1F600 /two] >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> "
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica %s %s >>"
    data = made.pdf_of(
        [
            made.CATALOG,
            made.ONE_PAGE,
            page + b"/Contents 5 0 R >>",
            font % (named, b"/ToUnicode 6 0 R" if halves else b""),
            stream(b"BT /F1 12 Tf 72 720 Td (ABCD) Tj ET"),
            stream(table.encode()),
        ]
    )
    assert workers.read("a.pdf", data).body == "𝄞x😀2\n"


def test_a_page_with_very_many_remarks_says_that_not_all_were_read() -> None:
    many = b" ".join(remark("Text", f"(r{number})") for number in range(10_001))
    data = made.pdf_of([made.CATALOG, made.ONE_PAGE, b"<< /Type /Page /Parent 2 0 R /Annots [%s] >>" % many])
    text = read_document(data, "a.pdf")
    assert (text.body.count("\n"), "r9999\n" in text.body, "r10000\n" in text.body) == (10_001, True, False)
    assert text.note == "only the first 10000 fields and comments of each page were read"


def page_of(lines: bytes) -> bytes:
    """A page with these lines, in letters of Windows-1252."""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> "
    font = _FONT.replace(b">>", b"/Encoding /WinAnsiEncoding >>")
    text = b"BT /F1 12 Tf 72 720 Td " + lines + b" ET"
    return made.pdf_of([made.CATALOG, made.ONE_PAGE, page + b"/Contents 5 0 R >>", font, stream(text)])


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (rb"[(Poincar) -111 (\264) 444 (e)] TJ", "Poincaré"),  # an accent, the way back, and its letter
        (rb"[(G) -111 (\250) 444 (odel)] TJ", "Gödel"),
        (rb"[(fa) -111 (\270) 444 (c) (ade)] TJ", "façade"),
        (rb"(Etude now) Tj 2.2 3 Td (\264) Tj", "Étude now"),  # over a capital, after the line
        (rb"(a \264 b \250) Tj", "a ´ b ¨"),  # by themselves  # noqa: RUF001
        (rb"(`ls` and caf\351) Tj", "`ls` and café"),
    ],
)
def test_an_accent_that_is_drawn_over_a_letter_is_a_part_of_it(workers: Workers, drawn: bytes, read: str) -> None:
    assert workers.read("a.pdf", page_of(drawn)).body.strip() == read


def glyphs(*texts: str) -> bytes:
    """Signs one behind the other, each with the text that it stands for; a space has no such text."""
    named = "/Span<</ActualText <FEFF{}>>> BDC (m) Tj EMC"
    return " ".join(
        named.format(text.encode("utf-16-be").hex()) if text != " " else "( ) Tj" for text in texts
    ).encode()


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (glyphs(*reversed("عربي")), "عربي"),
        (glyphs(*reversed("هنا عربي")), "هنا عربي"),
        (glyphs("\u064f"), "\u064f"),  # a mark without a letter
        (glyphs(*"abc"), "abc"),
    ],
)
def test_letters_that_are_drawn_from_left_to_right_are_read_from_right_to_left(
    workers: Workers, drawn: bytes, read: str
) -> None:
    assert workers.read("a.pdf", page_of(drawn)).body.strip() == read


def test_a_page_that_nobody_could_read_is_told_as_it_is() -> None:
    accents = rb"[(o) 445 (\250) -200] TJ " * 2100
    body = read_document(page_of(accents), "a.pdf").body
    assert body.count("¨") == 2100


def with_attached(*files: tuple[str, bytes]) -> bytes:
    """A page, and files that are attached to the document."""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> "
    objects = [b"", made.ONE_PAGE, page + b"/Contents 5 0 R >>", _FONT, stream(b"BT /F1 12 Tf 72 720 Td (cover) Tj ET")]
    named = []
    for name, content in files:
        number = len(objects) + 1
        named.append(f"({name}) {number} 0 R")
        objects.append(f"<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F {number + 1} 0 R >> >>".encode())
        objects.append(stream(content, b"/Type /EmbeddedFile"))
    tree = f"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [{' '.join(named)}] >> >> >>"
    return made.pdf_of([tree.encode(), *objects[1:]])


def test_what_is_attached_is_read(workers: Workers) -> None:
    data = with_attached(("a.txt", b"an attached ibis"), ("b.pdf", made.made_pdf("a badger")), ("c.txt", b""))
    text = workers.read("a.pdf", data)
    found = {word: text.place(text.body.index(word)) for word in ("cover", "an attached ibis", "a badger")}
    assert found == {"cover": "page 1", "an attached ibis": "a.txt", "a badger": "b.pdf, page 1"}
    assert text.note is not None
    assert text.note.startswith("c.txt: it cannot be read")


def test_what_is_attached_to_what_is_attached_ends_somewhere(workers: Workers) -> None:
    data = with_attached(("end.txt", b"the innermost"))
    for _ in range(6):
        data = with_attached(("inner.pdf", data))
    assert "packed too deep inside other files" in (workers.read("a.pdf", data).note or "")
