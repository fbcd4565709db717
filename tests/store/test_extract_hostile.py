"""Files that were made to do harm: each ends with a note, within its limits, and the next file is read."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator

import made_files as made
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.store.extract import Extracted
from rolltop.store.extract.formats.limits import Limits
from rolltop.store.extract.formats.readers import read_document
from rolltop.store.extract.record import decode, encode
from rolltop.store.extract.worker_pool import Workers

_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12))
    + "]><w:document xmlns:w='w'><w:body><w:p><w:r><w:t>&m;</w:t></w:r></w:p></w:body></w:document>"
)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Real workers; little time, so that what never ends is ended soon."""
    limited = Workers(seconds=6, memory=512 << 20)
    yield limited
    limited.close()


def office(name: str, content: str | bytes) -> bytes:
    return made.made_zip({"[Content_Types].xml": "<Types/>", name: content})


def bomb() -> bytes:
    """A quarter of a gigabyte of zeros in a quarter of a megabyte."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(10):
            archive.writestr(f"{number}.txt", bytes(25 << 20))
    return file.getvalue()


def nested(depth: int) -> bytes:
    data = made.made_zip({"end.txt": "the innermost"})
    for _ in range(depth):
        data = made.made_zip({"inner.zip": data})
    return data


def overlapping() -> bytes:
    """A directory whose thousand entries all name the same packed bytes."""
    one = io.BytesIO()
    with zipfile.ZipFile(one, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(20 << 20))
    data = one.getvalue()
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry = data[start:end]
    count = 1000
    tail = bytearray(data[end:])
    tail[8:10] = tail[10:12] = count.to_bytes(2, "little")
    tail[12:16] = (len(entry) * count).to_bytes(4, "little")
    return data[:start] + entry * count + bytes(tail)


def endless_pdf() -> bytes:
    """The tree of pages contains itself."""
    return made.pdf_of(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 100000000 >>"]
    )


def pdf_form_in_itself() -> bytes:
    form = b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 4 0 R >> >> /Length 17 >>"
    stream = b" stream\n/F Do /F Do /F Do\nendstream"
    page = b"<< /Type /Page /Parent 2 0 R /Resources << /XObject << /F 4 0 R >> >> /Contents 5 0 R >>"
    return made.pdf_of([made.CATALOG, made.ONE_PAGE, page, form + stream, b"<< /Length 5 >> stream\n/F Do\nendstream"])


def pdf_bomb() -> bytes:
    page = b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>"
    packed = zlib.compress(bytes(100 << 20), 9)
    for _ in range(2):
        packed = zlib.compress(packed, 9)
    stream = b"<< /Length %d /Filter [/FlateDecode /FlateDecode /FlateDecode] >> stream\n%s\nendstream"
    return made.pdf_of([made.CATALOG, made.ONE_PAGE, page, stream % (len(packed), packed)])


def huge_sheet() -> bytes:
    rows = "".join(f"<row r='{n}'><c r='XFD{n}' t='str'><v>cell</v></c></row>" for n in range(1, 60_000))
    return made.made_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "xl/workbook.xml": "<workbook xmlns:r='r'><sheets><sheet name='Big' r:id='x'/></sheets></workbook>",
            "xl/_rels/workbook.xml.rels": "<R><Relationship Id='x' Type='worksheet' Target='s.xml'/></R>",
            "xl/s.xml": f"<worksheet><sheetData>{rows}</sheetData></worksheet>",
        }
    )


def endless_mail() -> bytes:
    part = b"Content-Type: multipart/mixed; boundary=x\n\n--x\n"
    return b"From: a@b\nSubject: s\nDate: d\n" + part * 3000 + b"\nend\n"


def deep_mail() -> bytes:
    parts = (b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number) for number in range(3000))
    return b"From: a@b\nSubject: s\nDate: d\n" + b"".join(parts) + b"\nend\n"


def encrypted() -> bytes:
    data = bytearray(made.made_zip({"a.txt": "secret"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    return bytes(data)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "bomb.zip": (bomb, "only the first 192 MB were unpacked"),
    "overlapping.zip": (overlapping, ""),
    "bomb.gz": (lambda: gzip.compress(gzip.compress(bytes(256 << 20), 9), 9), "only the first"),
    "nested.zip": (lambda: nested(40), "packed too deep inside other files"),
    "endless.pdf": (endless_pdf, ""),
    "recursive.pdf": (pdf_form_in_itself, ""),
    "bomb.pdf": (pdf_bomb, ""),
    "empty.pdf": (lambda: b"%PDF-1.7\n", "the PDF is damaged"),
    "laughs.docx": (lambda: office("word/document.xml", _LAUGHS), "declares entities"),
    "outside.docx": (
        lambda: office("word/document.xml", "<!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><d>&x;</d>"),
        "declares entities",
    ),
    "malformed.docx": (lambda: office("word/document.xml", "<w><p></w>"), "is not well-formed XML"),
    "deep.docx": (lambda: office("word/document.xml", "<a>" * 100_000), "nested more than 500 deep"),
    "cut.docx": (lambda: made.made_docx()[:2000], "the zip archive is damaged"),
    "cut.xlsx": (lambda: made.made_xlsx()[:-200], "the zip archive is damaged"),
    "cut.tar.gz": (lambda: made.made_tar({"a.txt": b"x" * 9000}, "gz")[:60], ""),
    "huge.xlsx": (huge_sheet, "only the first 50000 places were read"),
    "deep.html": (lambda: b"<html>" + b"<div>" * 300_000 + b"end", ""),
    "deep.ipynb": (lambda: b'{"nbformat":4,"cells":' + b"[" * 200_000, "not valid JSON"),
    "parts.eml": (endless_mail, ""),
    "deep.eml": (deep_mail, "its parts are nested too deeply"),
    "empty.zip": (lambda: made.made_zip({}), "it holds no text"),
    "old.doc": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5000), "old Office file"),
    "deep.rtf": (lambda: b"{\\rtf1 " + b"{" * 1_000_000 + b"end", "nested too deeply"),
    "long.rtf": (lambda: b"{\\rtf1 " + b"word " * 4_000_000, "only the first 8 million characters"),
    "binary.rtf": (lambda: b"{\\rtf1{\\pict\\bin999999999 " + bytes(9000), "it holds no text"),
    "encrypted.zip": (encrypted, "encrypted"),
    "directory.zip": (lambda: made.made_zip({f"{n}.txt": "" for n in range(5000)}), "only the first 2000 members"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_contained_and_the_next_one_is_read(workers: Workers, name: str) -> None:
    make, expected = HOSTILE[name]
    text = workers.read(name, make())
    assert expected in (text.note or "")
    assert len(text.body) <= 8 << 20
    assert "zebra" in workers.read("next.pdf", made.made_pdf("a zebra")).body


def test_a_reader_that_breaks_down_says_what_may_be_the_cause() -> None:
    small = Workers(seconds=300, memory=256 << 20)
    try:
        note = small.read("recursive.pdf", pdf_form_in_itself()).note or ""
        assert note.startswith("reading it failed: the worker that ran the job died (It probably ran out of memory")
    finally:
        small.close()


def test_a_reader_that_takes_too_long_is_ended() -> None:
    hasty = Workers(seconds=0.001)
    try:
        text = hasty.read("a.docx", made.made_docx())
        assert text.note is not None
        assert text.note.startswith("reading it took longer than 0.001 s")
    finally:
        hasty.close()


MUTATED = {
    "a.docx": made.made_docx(),
    "a.xlsx": made.made_xlsx(),
    "a.pptx": made.made_pptx(),
    "a.odt": made.made_odt(),
    "a.epub": made.made_epub(),
    "a.html": made.made_html(),
    "a.eml": made.made_mail(),
    "a.ipynb": made.made_notebook(),
    "a.rtf": made.made_rtf(),
    "a.tar.gz": made.made_tar({"a.txt": b"words"}, "gz"),
}


@given(st.sampled_from(sorted(MUTATED)), st.randoms(use_true_random=False), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_damage_gives_a_note_never_an_exception(name: str, chance: object, wounds: int) -> None:
    damaged_is_survived(name, chance, wounds)


@pytest.mark.soak
@given(st.sampled_from(sorted(MUTATED)), st.randoms(use_true_random=False), st.integers(1, 20))
@settings(max_examples=20_000, deadline=None)
def test_much_damage_gives_a_note_never_an_exception(name: str, chance: object, wounds: int) -> None:
    damaged_is_survived(name, chance, wounds)


def damaged_is_survived(name: str, chance: object, wounds: int) -> None:
    data = bytearray(MUTATED[name])
    for _ in range(wounds):
        data[chance.randrange(len(data))] = chance.randrange(256)  # type: ignore[attr-defined]
    text = read_document(bytes(data), name, Limits(characters=1 << 20, unpacked=16 << 20))
    assert isinstance(text, Extracted)
    assert decode(encode(text)) == text


@given(st.binary(max_size=600))
def test_an_answer_that_is_no_text_is_refused(answer: bytes) -> None:
    with pytest.raises(ValueError):
        decode(answer)
