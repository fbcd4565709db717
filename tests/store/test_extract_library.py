"""Texts of foreign files in the library: read in the background, once, and found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import made_files as made
import pytest
from conditions import wait_until

from rolltop.store import Library, Options
from rolltop.store.extract.record import Extracted


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path / "store")
    yield opened
    opened.close()


def found(library: Library, word: str) -> list[str]:
    return [hit.document.path for hit in library.search.keyword(word).hits]


def test_a_stored_pdf_is_found_by_its_words(tmp_path: Path) -> None:
    library = Library(tmp_path, Options(background=True))
    library.documents.add("a.pdf", made.made_pdf("a zebra"))
    for _ in range(20):  # the first search waits a moment for the readers to start, not more
        if paths := found(library, "zebra"):
            break
    assert paths == ["a.pdf"]
    library.close()


def test_a_wrong_extension_hides_nothing(library: Library) -> None:
    library.documents.add("minutes.txt", made.made_docx())
    library.documents.add("picture.png", made.made_xlsx())
    library.indexes.update()
    assert (found(library, "giraffe"), found(library, "tiger")) == (["minutes.txt"], ["picture.png"])


def test_text_that_is_not_utf8_is_found(library: Library) -> None:
    library.documents.add("a.txt", "Eine größere Giraffe".encode("utf-16"))
    library.documents.add("b.txt", "Eine größere Giraffe steht dort".encode("cp1252"))
    assert sorted(found(library, "größere")) == ["a.txt", "b.txt"]


def test_new_readers_read_everything_again_and_keep_the_names_in_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library(tmp_path / "store") as library:
        page = library.documents.add("a.pdf", made.made_pdf("giraffe")).document
        code = library.documents.add_text("a.c", "int count_zebras(void) { return 1; }\n").document
        library.texts.read_all()
        library.extracts.kept.put_names(code.hash, {"count_zebras": 1})
    monkeypatch.setattr("rolltop.store.extract.text_cache.READERS", 999)
    with Library(tmp_path / "store") as library:
        assert not library.extracts.kept.has(page.hash)
        assert library.extracts.kept.names(code.hash) == {"count_zebras": 1}
        assert library.texts.read_all() == 1


def test_a_file_that_cannot_be_read_is_stored_and_says_why(library: Library) -> None:
    document = library.documents.add("broken.pdf", b"%PDF-1.7 and then nothing").document
    assert library.texts.of(document).note == "its text has not been read yet"
    library.indexes.update()
    assert library.texts.of(document).note == "the PDF is damaged"
    assert library.documents.read(document) == b"%PDF-1.7 and then nothing"


def test_an_answer_says_how_many_texts_are_not_read_yet(library: Library) -> None:
    def told() -> int:
        note = library.search.keyword("zebra").note or "yet: 0."
        return int(note.split("yet: ")[1].split(".")[0])

    library.documents.add_text("a.txt", "a zebra")
    assert told() == 0
    library.documents.add("b.pdf", made.made_pdf("a zebra"))
    assert told() == 1
    library.documents.add_text("c.txt", "another zebra")
    library.documents.add("d.pdf", made.made_pdf("a giraffe"))
    assert (told(), told()) == (2, 2)
    library.documents.delete([library.documents.get("b.pdf")])
    assert told() == 1
    library.indexes.update()
    assert told() == 0


def test_a_page_that_cannot_be_read_keeps_its_source_as_text(library: Library) -> None:
    document = library.documents.add("a.ipynb", b'{"nbformat": 4, "cells": walrus').document
    library.indexes.update()
    text = library.texts.of(document)
    assert "walrus" in text.body
    assert text.note is not None
    assert found(library, "walrus") == ["a.ipynb"]


def test_equal_content_is_read_once(library: Library) -> None:
    library.documents.add("a.pdf", made.made_pdf("a zebra"))
    library.documents.add("b.pdf", made.made_pdf("a zebra"))
    assert library.texts.read_all() == 1
    assert library.texts.read_all() == 0
    library.documents.add("c.pdf", made.made_pdf("a zebra"))
    assert library.texts.read_all() == 0
    assert sorted(found(library, "zebra")) == ["a.pdf", "b.pdf", "c.pdf"]


def test_the_name_of_a_document_is_its_title_where_it_has_none(library: Library) -> None:
    one = library.documents.add("a.pdf", made.made_pdf("a zebra")).document
    two = library.documents.add("b.pdf", made.made_pdf("a zebra")).document
    library.texts.read_all()
    assert (library.texts.of(one).title, library.texts.of(two).title) == ("a.pdf", "b.pdf")


def test_a_new_version_has_a_new_text(library: Library) -> None:
    library.documents.add("a.pdf", made.made_pdf("a zebra"))
    library.indexes.update()
    library.documents.add("a.pdf", made.made_pdf("a walrus"))
    library.indexes.update()
    assert (found(library, "zebra"), found(library, "walrus")) == ([], ["a.pdf"])


def test_what_was_collected_leaves_no_text(library: Library) -> None:
    document = library.documents.add("a.pdf", made.made_pdf("a zebra")).document
    library.indexes.update()
    library.documents.delete([document])
    library.care.collect(everything=True)
    assert library.extracts.kept.hashes() == []
    assert b"zebra" not in (library.directory / "extracts.db").read_bytes()


def test_a_deleted_file_of_texts_is_filled_again(tmp_path: Path) -> None:
    first = Library(tmp_path)
    document = first.documents.add("a.pdf", made.made_pdf("a zebra")).document
    first.indexes.update()
    first.close()
    (tmp_path / "extracts.db").write_bytes(b"no database " * 1000)
    second = Library(tmp_path)
    assert second.texts.read_all() == 1
    assert "zebra" in second.texts.of(document).body
    second.close()


def test_what_needed_a_missing_part_is_read_when_it_is_there(library: Library) -> None:
    document = library.documents.add("a.pdf", made.made_pdf("a zebra")).document
    library.extracts.kept.put(document.hash, Extracted(note="needs pypdfium2", needs="pypdfium2"), told=True)
    library.extracts.kept.follow_to(library.catalog.documents.last_change())
    assert library.texts.read_all() == 1
    assert "zebra" in library.texts.of(document).body


def test_a_text_that_the_indexes_have_not_heard_of_is_told_after_a_crash(library: Library) -> None:
    document = library.documents.add("a.pdf", made.made_pdf("a zebra")).document
    assert found(library, "zebra") == []  # the index has been there
    library.extracts.kept.put(document.hash, Extracted(body="a zebra"), told=False)  # and here it died
    library.extracts.kept.follow_to(library.catalog.documents.last_change())
    library.texts.read_all()
    assert found(library, "zebra") == ["a.pdf"]


def test_closing_does_not_wait_for_a_long_reading(tmp_path: Path) -> None:
    archives = [made.made_zip({"big.txt": bytes(20 << 20), "n": str(number)}) for number in range(9)]
    library = Library(tmp_path, Options(background=True))
    for number, archive in enumerate(archives):  # storing one takes far less time than reading it
        library.documents.add(f"{number}.zip", archive)
    library.close()
    again = Library(tmp_path)
    assert again.texts.following.behind > 0
    again.close()


_READER = """
import sys
from pathlib import Path
from rolltop.store import Library
library = Library(Path(sys.argv[1]))
print(library.texts.read_all())
library.close()
"""


def test_several_processes_read_each_text_once(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    for number in range(30):
        library.documents.add(f"{number}.pdf", made.made_pdf(f"zebra {number}"))
    command = [sys.executable, "-c", _READER, str(tmp_path / "store")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    counts = [int(process.communicate(timeout=120)[0]) for process in processes]
    assert sum(counts) + library.texts.read_all() == 30
    assert len(library.search.keyword("zebra", limit=50).hits) == 30
    library.close()


def test_a_killed_reader_harms_nobody(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    for number in range(40):
        library.documents.add(f"{number}.pdf", made.made_pdf(f"zebra {number}"))
    process = subprocess.Popen([sys.executable, "-c", _READER, str(tmp_path / "store")], stdout=subprocess.PIPE)
    wait_until(lambda: library.extracts.kept.hashes() or process.poll() is not None)
    process.kill()
    process.communicate()
    library.indexes.update()
    assert len(library.search.keyword("zebra", limit=50).hits) == 40
    library.close()


def test_a_hit_says_where_it_stands(library: Library) -> None:
    library.documents.add("a.pdf", made.made_pdf("a zebra", "a walrus"))
    library.documents.add("b.xlsx", made.made_xlsx())
    library.indexes.update()
    places = [library.search.keyword(word).hits[0].place for word in ("walrus", "tiger")]
    assert places == ["page 2", "Sheet1!C9"]


def test_a_server_reads_what_others_stored_before_it_started(tmp_path: Path) -> None:
    first = Library(tmp_path)
    first.documents.add("a.docx", made.made_docx())
    first.close()
    second = Library(tmp_path, Options(background=True))
    for _ in range(20):
        if paths := found(second, "giraffe"):
            break
    assert paths == ["a.docx"]
    second.close()


def test_a_library_for_reading_only_reads_no_texts(tmp_path: Path) -> None:
    first = Library(tmp_path)
    document = first.documents.add("a.docx", made.made_docx()).document
    first.close()
    second = Library(tmp_path, Options(background=True, read_only=True))
    assert found(second, "giraffe") == []
    assert second.texts.of(document).note == "its text has not been read yet"
    second.close()
