"""Grep over documents whose bytes are not text: their text is searched, and says on which page a line stands."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import made_files as made
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolltop.store import Library, Listing, Pattern, Source
from rolltop.store.blobs.writer import Writer
from rolltop.store.catalog import NewDocument
from rolltop.store.grep.printer import Printed, print_matches

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shelf(library: Library) -> Library:
    """A PDF, a DOCX, an RTF and a page of HTML, all read, and a note."""
    files = {"a.pdf": made.made_pdf("Hello zebra", "Another walrus"), "b.docx": made.made_docx()}
    files |= {"c.rtf": made.made_rtf(), "d.html": made.made_html(), "e.bin": b"\0\1zebra\0"}
    library.documents.add_many(Source(path, data, 1, 2) for path, data in files.items())
    library.documents.add_text("note.md", "a zebra, a walrus\nand nothing\n")
    library.texts.read_all()
    return library


def counts(library: Library, pattern: str, **asked: object) -> dict[str, int]:
    return {document.path: count for document, count in library.grep.counts(Pattern(pattern, **asked))}  # type: ignore[arg-type]


def test_lines_are_found_with_their_pages(shelf: Library) -> None:
    found = {file.document.path: list(file.matches()) for file in shelf.grep.files(Pattern("walrus"))}
    assert sorted(found) == ["a.pdf", "note.md"]
    assert [(m.line, m.place, m.column_start) for m in found["a.pdf"]] == [("Another walrus", "page 2", 9)]
    assert found["note.md"][0].place == ""


def test_the_bytes_of_a_document_with_text_do_not_count(shelf: Library) -> None:
    assert counts(shelf, "endobj|fcharset") == {}
    assert counts(shelf, "zebra") == {"a.pdf": 1, "e.bin": 1, "note.md": 1}
    assert list(counts(shelf, "<h1>|<p>")) == ["d.html"]


OTHERWISE_WRITTEN = {
    "le.txt": "first\r\nThe Café is open\n".encode("utf-16"),
    "be.md": b"\xfe\xff" + "first\nThe Café is open\n".encode("utf-16-be"),
    "wide.txt": "first\nThe Café is open\n".encode("utf-32"),
    "western.txt": "first\nThe Café is open\n".encode("cp1252"),
    "page.html": "<html>first\nThe Café is open\n</html>".encode("cp1252"),
}


def test_text_in_another_encoding_is_searched_line_by_line(library: Library) -> None:
    library.documents.add_many(Source(path, data, 1, 2) for path, data in OTHERWISE_WRITTEN.items())
    assert f"yet: {len(OTHERWISE_WRITTEN)}." in (library.texts.unread() or "")
    library.texts.read_all()
    assert library.texts.unread() is None
    found = {file.document.path: list(file.matches(before=1)) for file in library.grep.files(Pattern("Café"))}
    assert sorted(found) == sorted(OTHERWISE_WRITTEN)
    lines = {(m.line_number, m.line, m.column_start, m.column_end, m.place) for each in found.values() for m in each}
    assert lines == {(2, "The Café is open", 5, 9, "")}
    assert all(file.is_text for file in library.grep.files(Pattern("^first")))
    assert counts(library, "\\x00|\xff") == {}
    assert counts(library, "CAFÉ", ignore_case=True, word=True, max_count=1) == dict.fromkeys(OTHERWISE_WRITTEN, 1)


def test_text_in_another_encoding_is_listed_as_text(library: Library) -> None:
    library.documents.add_many(Source(path, data, 1, 2) for path, data in OTHERWISE_WRITTEN.items())
    library.documents.add("music.bin", b"\xff\xfe\0\0\0\xd8\0\0")
    library.documents.add("script.sh", b"#!/bin/sh\n" + b"echo\n" * 2000 + b"\xff\xfe\0\x90")
    assert {d.path: d.mime for d in library.documents.select(Listing(type="text"))} == {
        "le.txt": "text/plain; charset=utf-16",
        "be.md": "text/markdown; charset=utf-16",
        "wide.txt": "text/plain; charset=utf-32",
        "western.txt": "text/plain; charset=windows-1252",
        "page.html": "text/html; charset=windows-1252",
    }
    plain = [document.path for document in library.documents.select(Listing(mime="text/plain"))]
    assert plain == ["le.txt", "western.txt", "wide.txt"]


def test_a_broken_character_does_not_hide_the_others(library: Library) -> None:
    document = library.documents.add("long.log", "Größe\n".encode() * 2000 + b"and \xff\n").document
    assert (document.kind, document.mime) == ("text", "text/plain")
    assert library.texts.unread() is None
    assert counts(library, "Größe|^and") == {"long.log": 2001}
    assert library.texts.of(document).body.endswith("Größe\nand \ufffd\n")


def test_what_was_stored_as_binary_before_is_read_too(library: Library) -> None:
    def work(writer: Writer) -> None:
        kept = writer.keep("Das Café\n".encode("cp1252"))
        writer.flush()
        old = NewDocument("old.txt", "old.txt", ".txt", "application/octet-stream", "binary", kept.object, 9, 1, 2)
        library.catalog.documents.insert(old, 3)

    library.write(work)
    library.texts.read_all()
    assert counts(library, "Café") == {"old.txt": 1}


def test_an_answer_says_that_documents_are_still_being_read(library: Library) -> None:
    library.documents.add_text("note.md", "a zebra\n")
    assert library.texts.unread() is None
    library.documents.add_many([Source("a.pdf", made.made_pdf("Hello zebra"), 1, 2), Source("b.bin", b"\0\1", 1, 2)])
    note = library.search.keyword("zebra").note or ""
    assert note == library.texts.unread()
    assert "yet: 1." in note
    library.texts.read_all()
    assert library.texts.unread() is None
    assert library.search.keyword("zebra").note is None


def test_every_sense_of_a_pattern_holds_for_texts(shelf: Library) -> None:
    assert counts(shelf, "ANOTHER|giraffe", ignore_case=True) == {"a.pdf": 1, "b.docx": 1}
    assert counts(shelf, "walr", word=True) == {}
    assert counts(shelf, "giraffe", paths=("a.pdf", "c.rtf")) == {}
    assert counts(shelf, "e", paths=("c.rtf",), max_count=2) == {"c.rtf": 2}
    assert counts(shelf, "zebra", invert=True, paths=("a.pdf",)) == {"a.pdf": 1}
    without = [document.path for document in shelf.grep.without(Pattern("zebra"))]
    assert without == ["b.docx", "c.rtf", "d.html"]


def test_printed_lines_say_their_page(shelf: Library) -> None:
    printed = list(print_matches(shelf.grep.files(Pattern("zebra|walrus")), Printed(with_filename=True)))
    assert printed[:2] == [b"a.pdf:page 1: Hello zebra\n", b"a.pdf:page 2: Another walrus\n"]
    assert printed[2] == b"Binary file e.bin matches\n"


def test_the_trigram_index_covers_texts(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.grep.index_pending()
    assert shelf.grep.uncovered() == 0
    looked_at = []
    get = shelf.extracts.kept.numbered
    monkeypatch.setattr(shelf.extracts.kept, "numbered", lambda number: looked_at.append(number) or get(number))
    assert counts(shelf, "giraffe") == {"b.docx": 1}
    assert len(looked_at) == 1


def test_a_text_that_is_read_again_is_not_missed(shelf: Library) -> None:
    shelf.grep.index_pending()
    document = shelf.documents.get("c.rtf")
    text = shelf.extracts.of(document)
    shelf.extracts.kept.put(document.hash, type(text)(body="quokka\n"), told=True)
    assert counts(shelf, "quokka") == {"c.rtf": 1}
    assert counts(shelf, "elephant") == {"b.docx": 1}


def test_damaged_segments_of_texts_are_found_and_built_again(shelf: Library) -> None:
    shelf.indexes.update()
    (segment,) = (shelf.directory / "grep" / "texts").glob("*.tri")
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.write_bytes(data)
    assert any("grep index" in line for line in shelf.indexes.damage())
    shelf.indexes.mend(anew=False)
    assert shelf.indexes.damage() == []
    assert counts(shelf, "giraffe") == {"b.docx": 1}


WORDS = st.lists(
    st.sampled_from(["Kelvin", "\u212a", "straße", "x.y", "zebra", "", "鯨", "tab\tend", "\r"]), max_size=4
)
TEXTS = st.lists(st.lists(WORDS.map(" ".join), max_size=5), min_size=1, max_size=6)
PATTERNS = st.sampled_from(["zebra", "(?i)k", "ße$", "^$", "x.y", "鯨|tab", "[a-z]+ [a-z]+", "e.*a", "."])


@given(TEXTS, PATTERNS, st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_texts_match_as_the_same_lines_in_a_file_do(
    library: Library, texts: list[list[str]], pattern: str, indexed: bool
) -> None:
    for number, lines in enumerate(texts):
        body = "\n".join(lines) + "\n"
        library.documents.add_text(f"plain/{number}.txt", body)
        packed = library.documents.add_many(
            [Source(f"packed/{number}.bin", b"\0" + body.encode() + b"%d" % number, 1, 2)]
        )
        assert packed
        document = library.documents.get(f"packed/{number}.bin")
        library.extracts.kept.put(document.hash, library.texts.of(document).__class__(body=body), told=True)
    if indexed:
        library.grep.index_pending()
    found = counts(library, pattern)
    own = {path.rpartition("/")[2][:-4]: n for path, n in found.items() if path.startswith("plain/")}
    packed_counts = {path.rpartition("/")[2][:-4]: n for path, n in found.items() if path.startswith("packed/")}
    numbers = {str(number) for number in range(len(texts))}
    assert {n: c for n, c in packed_counts.items() if n in numbers} == {n: c for n, c in own.items() if n in numbers}


def test_on_the_command_line(rolltop: Run, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(made.made_pdf("First", "Revenue rose"))
    rolltop("store", "add", str(tmp_path / "report.pdf"))
    line = rolltop("store", "grep", "Rev[a-z]+", "-n").stdout
    assert re.fullmatch(r".*report\.pdf:2:page 2: Revenue rose\n", line), line
    match = json.loads(rolltop("store", "grep", "rose", "--json").stdout)["matches"][0]
    assert (match["place"], match["line"]) == ("page 2", "Revenue rose")
