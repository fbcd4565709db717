"""The directory of documents: safe, atomic, live."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rolltop.errors import Conflict, InvalidInput, NotFound, SizeLimit
from rolltop.reports import Reports
from rolltop.reports.files.atomic_files import disk_troubles, read_plain
from rolltop.reports.files.directory_lock import turn
from rolltop.reports.files.documents import SIDE_FILES, Attached, Documents
from rolltop.reports.files.outputs import Outputs
from rolltop.reports.listing import Listing


def test_a_document_is_created_once(reports: Reports) -> None:
    assert reports.documents.create("example", "Example", "Hi") == "example.Rmd"
    with pytest.raises(Conflict, match="exists already"):
        reports.documents.create("example", "Other", "Bye")
    assert "Hi" in reports.documents.text("example")
    reports.documents.create("example", "Other", "Bye", overwrite=True)
    assert "Bye" in reports.documents.text("example.Rmd")


def test_of_many_that_create_at_once_one_wins(reports: Reports) -> None:
    def create(number: int) -> bool:
        try:
            reports.documents.create("race", "Race", f"number {number}")
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(create, range(16))) == 1
    assert [path.name for path in reports.root.iterdir()] == ["race.Rmd"]


def test_writers_take_turns_and_no_change_is_lost(reports: Reports) -> None:
    reports.documents.create("race", "Race", "\n".join(f"TODO {n}." for n in range(24)))
    script = (
        "import sys; from pathlib import Path; from rolltop.reports.files.documents import Documents\n"
        "documents = Documents(Path(sys.argv[1]), side_limit=0)\n"
        "for n in sys.argv[2:]: documents.edit('race', lambda text: text.replace(f'TODO {n}.', 'DONE'))"
    )
    others = [
        subprocess.Popen([sys.executable, "-c", script, str(reports.root), *map(str, range(start, 24, 3))])
        for start in (1, 2)
    ]
    with ThreadPoolExecutor(8) as pool:
        ours = [
            pool.submit(reports.documents.edit, "race", lambda text, n=n: text.replace(f"TODO {n}.", "DONE"))
            for n in range(0, 24, 3)
        ]
    assert [each.result() for each in ours] == ["race.Rmd"] * 8
    assert [other.wait(60) for other in others] == [0, 0]
    assert reports.documents.text("race").count("DONE") == 24


def test_a_writer_does_not_wait_forever(tmp_path: Path) -> None:
    with turn(tmp_path), pytest.raises(Conflict, match=r"ha(?:s|ve) been changing"), turn(tmp_path, patience=0.05):
        raise AssertionError("two writers at once")


def test_names_that_differ_in_the_case_of_the_ending_are_one_document(reports: Reports) -> None:
    reports.documents.create("twin.Rmd", "Twin", "x")
    with pytest.raises(Conflict, match=r"twin\.Rmd exists already"):
        reports.documents.create("twin.rmd", "Twin", "y")
    assert reports.documents.update("twin.rmd", "z") == "twin.Rmd"


def test_a_full_disk_is_no_defect() -> None:
    with pytest.raises(SizeLimit, match="x could not be written: No space left"), disk_troubles("x"):
        Path("/dev/full").write_bytes(b"x")


def test_links_are_neither_read_written_nor_listed(reports: Reports, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    reports.documents.create("real", "Real", "x")
    (reports.root / "link.Rmd").symlink_to(secret)
    (reports.root / "real").symlink_to(tmp_path)
    with pytest.raises(NotFound):
        reports.documents.read("link")
    with pytest.raises(InvalidInput, match="symbolic link"):
        reports.documents.create("link", "Link", "x", overwrite=True)
    with pytest.raises(InvalidInput, match="symbolic link"):
        reports.documents.attach("real", "secret", b"x")
    assert [document.name for document in reports.documents.all()] == ["real.Rmd"]
    assert list(reports.documents.gather("real.Rmd")) == ["real.Rmd"]
    reports.documents.delete("real")
    assert secret.read_text() == "secret"


def test_pipes_and_devices_do_not_hang_a_reader(reports: Reports) -> None:
    reports.root.mkdir(parents=True)
    os.mkfifo(reports.root / "pipe.Rmd")
    assert reports.documents.all() == []
    with pytest.raises(NotFound):
        reports.documents.read("pipe")


def test_side_files_are_capped(reports: Reports) -> None:
    reports.documents.create("big", "Big", "x")
    reports.documents.side_limit = 1000
    reports.documents.attach("big", "a/b.csv", b"x" * 600)
    with pytest.raises(SizeLimit):
        reports.documents.attach("big", "c.csv", b"x" * 600)
    (reports.root / "big" / "sneaked.csv").write_bytes(b"x" * 600)
    with pytest.raises(SizeLimit):
        reports.documents.gather("big.Rmd")
    assert [file.name for file in reports.documents.side_files("big")] == ["sneaked.csv", "a/b.csv"]


def test_a_side_file_too_many_is_refused_before_it_is_kept(reports: Reports) -> None:
    reports.documents.create("many", "Many", "x")
    (reports.root / "many").mkdir()
    for number in range(SIDE_FILES):
        (reports.root / "many" / f"{number}.txt").touch()
    with pytest.raises(SizeLimit, match="at most 500 side files"):
        reports.documents.attach("many", "more.txt", b"x")
    assert reports.documents.attach("many", "7.txt", b"x") == Attached("many/7.txt", replaced=True)
    (reports.root / "many" / "sneaked.txt").touch()
    assert len(reports.documents.side_files("many")) == SIDE_FILES + 1
    with pytest.raises(SizeLimit, match="at most 500 side files"):
        reports.documents.gather("many.Rmd")


def test_the_listing_is_what_the_directories_are_now(reports: Reports) -> None:
    reports.documents.create("example", "Example R Markdown", "Hi")
    (reports.root / "untitled.Rmd").write_text("no front matter")
    (reports.root / "output").mkdir()
    (reports.root / "output" / "example.pdf").write_bytes(b"%PDF-\xff")
    (reports.root / "output" / "notes.txt").write_text("not ours")
    listed = [(item.uri, item.name, item.description, item.mime_type) for item in reports.listing.all()]
    assert listed == [
        ("rmd:///example.Rmd", "Example R Markdown", "R Markdown file: Example R Markdown", "text/markdown"),
        ("rmd:///untitled.Rmd", "untitled.Rmd", "R Markdown file: untitled.Rmd", "text/markdown"),
        ("rmd-output:///example.pdf", "Rendered: example.pdf", "Rendered output: example.pdf", "application/pdf"),
    ]
    assert reports.listing.read("rmd-output:///example.pdf") == ("application/pdf", b"%PDF-\xff")
    with pytest.raises(NotFound):
        reports.listing.read("rmd-output:///missing.html")


def test_a_deleted_document_is_gone_with_its_side_files(reports: Reports) -> None:
    reports.documents.create("gone", "Gone", "x")
    reports.documents.attach("gone", "data.csv", b"x")
    reports.documents.delete("gone")
    assert not (reports.root / "gone").exists()
    with pytest.raises(NotFound, match=r"R Markdown file not found: gone\.Rmd"):
        reports.documents.delete("gone")


def test_only_changed_documents_are_read_for_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def counted(path: Path, limit: int) -> bytes:
        reads.append(path.name)
        return read_plain(path, limit)

    monkeypatch.setattr("rolltop.reports.files.documents.read_plain", counted)
    documents = Documents(tmp_path, side_limit=1 << 20)
    listing = Listing(documents, Outputs(tmp_path / "output"))
    for name in ("a", "b", "c"):
        documents.create(name, f"Title {name}", "words\n")
    assert len(listing.state()) == 3
    assert reads == []
    assert [item.name for item in listing.all()] == ["Title a", "Title b", "Title c"]
    assert reads == ["a.Rmd", "b.Rmd", "c.Rmd"]
    documents.create("b", "Another", "words\n", overwrite=True)
    documents.delete("c")
    assert [item.name for item in listing.all()] == ["Title a", "Another"]
    assert reads == ["a.Rmd", "b.Rmd", "c.Rmd", "b.Rmd"]
