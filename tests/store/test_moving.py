"""Documents leave the store as files and as archives, and come back."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import ConsentMissing, Damaged, InvalidInput
from rolltop.store import Library

Run = Callable[..., Any]


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path / "other")
    yield opened
    opened.close()


def archive_of(library: Library) -> io.BytesIO:
    out = io.BytesIO()
    library.history.export(out)
    return io.BytesIO(out.getvalue())


def history(library: Library, name: str) -> list[bytes]:
    return [
        library.documents.read_object(version.object)
        for version in library.documents.versions(library.documents.get(name))
    ]


def keep_anyway(library: Library, path: str, data: bytes) -> None:
    """As stores could once be filled: under any name."""
    library.write(
        lambda writer: library.documents.keep(writer, path, data, tags=(), metadata={}, mime=None, times=(1, 2))
    )


# files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../x.md", "../../x/e.md", "/a/../b.md", "a/.."])
def test_a_name_that_leads_upwards_is_refused(library: Library, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"\.\. as a part"):
        library.documents.add_text(name, "b\n")
    library.documents.add_text("a..b/..c.md", "fine\n")


def test_what_has_no_place_in_the_directory_is_named_and_the_rest_is_written(library: Library, tmp_path: Path) -> None:
    keep_anyway(library, "../../x/e.md", b"out\n")
    for name in ("a.md", "dir", "dir/sub.md", "/twice.md", "twice.md", "n" * 300):
        library.documents.add_text(name, f"{name}\n")
    library.history.take_snapshot("s")
    done = library.history.restore("s", tmp_path / "out")
    files = sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert files == ["a.md", "dir/sub.md", "twice.md"]
    assert (done.documents, done.bytes) == (3, 5 + 11 + 10)
    assert [path for path, _ in done.left] == ["../../x/e.md", "twice.md", "dir", "n" * 300]
    assert (tmp_path / "out" / "twice.md").read_text() == "/twice.md\n"
    assert not (tmp_path / "x").exists()


def test_nothing_is_written_where_a_file_would_be_replaced_without_being_asked_for(
    library: Library, tmp_path: Path
) -> None:
    library.documents.add_text("a.md", "a\n")
    library.documents.add_text("b.md", "b\n", modified=5_000_000_000)
    library.history.take_snapshot("s")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "b.md").write_text("mine")
    with pytest.raises(ConsentMissing):
        library.history.restore("s", tmp_path / "out")
    assert os.listdir(tmp_path / "out") == ["b.md"]
    assert library.history.restore("s", tmp_path / "out", overwrite=True).documents == 2
    assert (tmp_path / "out" / "b.md").read_text() == "b\n"
    assert (tmp_path / "out" / "b.md").stat().st_mtime == 5
    with pytest.raises(InvalidInput, match="not a directory"):
        library.history.restore("s", tmp_path / "out" / "b.md")


def test_a_link_in_the_directory_does_not_lead_out_of_it(library: Library, tmp_path: Path) -> None:
    library.documents.add_text("away/a.md", "a\n")
    library.history.take_snapshot("s")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "away").symlink_to(tmp_path)
    assert [path for path, _ in library.history.restore("s", tmp_path / "out").left] == ["away/a.md"]
    assert not (tmp_path / "a.md").exists()


def test_the_command_says_what_it_did_not_write(rolltop: Run, tmp_path: Path) -> None:
    for name in ("dir", "dir/sub.md"):
        rolltop("store", "add", "-", "--name", name, stdin="x\n")
    rolltop("store", "snapshot", "s")
    done = rolltop("store", "restore", "s", "--to", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "dir was not written: it is a file, and other documents lie below it"
    assert (tmp_path / "out" / "dir" / "sub.md").exists()
    assert rolltop("store", "add", "-", "--name", "../e.md", stdin="x\n").returncode == 2


# archives ----------------------------------------------------------------------------------------


def test_importing_twice_changes_nothing(library: Library, other: Library) -> None:
    for text in ("one\n", "two\n", "one\n"):
        library.documents.add_text("a.md", text, tags=["t"], metadata={"n": len(text), "text": text})
    library.documents.add_text("b.md", "other\n")
    assert other.history.import_(archive_of(library)).versions == 2
    change = other.catalog.documents.last_change()
    again = other.history.import_(archive_of(library))
    assert (again.new, again.versions, again.unchanged) == (0, 0, 4)
    assert other.catalog.documents.last_change() == change
    assert history(other, "a.md") == [b"one\n", b"two\n", b"one\n"]
    assert other.documents.get("a.md").metadata == library.documents.get("a.md").metadata


def test_an_archive_brings_only_the_versions_that_are_new(library: Library, other: Library) -> None:
    library.documents.add_text("a.md", "one\n")
    library.documents.add_text("a.md", "two\n")
    other.history.import_(archive_of(library))
    library.documents.add_text("a.md", "three\n", tags=["late"])
    assert other.history.import_(archive_of(library)).versions == 1
    assert history(other, "a.md") == [b"one\n", b"two\n", b"three\n"]
    assert other.documents.get("a.md").tags == ("late",)


def test_what_was_written_here_since_stays_current(library: Library, other: Library) -> None:
    library.documents.add_text("a.md", "one\n", metadata={"by": "archive"})
    other.history.import_(archive_of(library))
    other.documents.add_text("a.md", "mine\n", metadata={"by": "me"})
    assert other.history.import_(archive_of(library)).unchanged == 1
    assert history(other, "a.md") == [b"one\n", b"mine\n"]
    assert other.documents.get("a.md").metadata == {"by": "me"}


def test_the_current_version_of_an_archive_becomes_current(library: Library, other: Library) -> None:
    for text in ("one\n", "two\n"):
        library.documents.add_text("a.md", text)
    other.documents.add_text("a.md", "two\n")
    for _ in range(2):
        other.history.import_(archive_of(library))
        assert history(other, "a.md") == [b"two\n", b"one\n", b"two\n"]


def test_versions_of_one_document_may_lie_in_several_transactions(
    library: Library, other: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rolltop.store.history.archive.GROUP", 2)
    for number in range(5):
        library.documents.add_text("a.md", f"{number}\n")
    for _ in range(2):
        other.history.import_(archive_of(library))
        assert history(other, "a.md") == [f"{number}\n".encode() for number in range(5)]


def test_an_archive_of_any_store_can_be_imported(library: Library, other: Library) -> None:
    keep_anyway(library, "../e.md", b"once\n")
    keep_anyway(library, "latin.txt", "Das Café\n".encode("cp1252"))
    other.history.import_(archive_of(library))
    assert other.documents.read(other.documents.get("../e.md")) == b"once\n"
    assert other.documents.get("latin.txt").mime == library.documents.get("latin.txt").mime
    assert other.documents.add_text("../e.md", "again\n").document.version == 2


class Meanwhile(io.BytesIO):
    """A file; something happens when it is first written to."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens: Callable[[], object] | None = happens

    def write(self, data: Any) -> int:
        happens, self._happens = self._happens, None
        if happens:
            happens()
        return super().write(data)


def elsewhere(library: Library, work: Callable[[Library], object]) -> None:
    """What another process does."""

    def run() -> None:
        with Library(library.directory) as another:
            work(another)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def test_an_archive_is_of_one_moment(library: Library, other: Library) -> None:
    for number in range(3):
        library.documents.add("a.bin", os.urandom(20_000))
        library.documents.add_text(f"n{number}.md", "one\n")
    before = {path: history(library, path) for path in ("a.bin", "n0.md", "n1.md", "n2.md")}

    def work(another: Library) -> None:
        for text in ("two\n", "three\n"):
            another.documents.add_text("n1.md", text)
        another.documents.delete([another.documents.get("n2.md"), another.documents.get("a.bin")])
        assert another.care.collect(everything=True).packs

    out = Meanwhile(lambda: elsewhere(library, work))
    assert library.history.export(out) == 4
    other.history.import_(io.BytesIO(out.getvalue()))
    assert {path: history(other, path) for path in before} == before
    with Library(library.directory) as again:  # the packs that were kept for the export are gone
        assert again.blobs.packs() == {
            k: v for k, v in again.catalog.objects.packs().items() if k in again.blobs.packs()
        }
        assert len(again.blobs.packs()) == 1
        assert again.care.verify().ok


def test_what_is_damaged_is_named_and_the_rest_is_exported(library: Library, other: Library) -> None:
    for number in range(5):
        library.documents.add("a.bin", os.urandom(2000), tags=["t"])
        library.documents.add_text(f"{number}.md", "fine\n")
    for version in (library.documents.versions(library.documents.get("a.bin"))[at] for at in (2, 4)):
        entry = library.catalog.objects.get(version.object)
        assert entry is not None
        assert entry.frame is not None
        frame = library.catalog.objects.frame(entry.frame)
        assert frame is not None
        library.blobs.overwrite(frame.place, bytes(frame.place.length))
    library.reader.forget()
    with pytest.raises(Damaged):
        library.history.export(io.BytesIO())
    left: list[tuple[str, str]] = []
    out = io.BytesIO()
    assert library.history.export(out, left=left) == 6
    assert [what for what, _ in left] == ["version 3 of a.bin", "version 5 of a.bin"]
    other.history.import_(io.BytesIO(out.getvalue()))
    assert (other.documents.get("a.bin").version, other.documents.get("a.bin").tags) == (3, ("t",))


def test_the_command_exports_what_can_be_read(rolltop: Run, tmp_path: Path) -> None:
    rolltop("store", "add", "-", "--name", "bad.md", stdin="bad words\n")
    pack = tmp_path / "workspace" / "store" / "packs" / "00000001.pack"
    pack.write_bytes(bytes(pack.stat().st_size))
    rolltop("store", "add", "-", "--name", "good.md", stdin="good\n")
    done = rolltop("store", "export", str(tmp_path / "x.tar"))
    assert (done.returncode, "version 1 of bad.md was not written" in done.stderr) == (1, True)
    assert "1 document exported" in done.stderr
    assert (tmp_path / "x.tar").exists()


def test_one_impossible_name_does_not_keep_the_rest_from_being_restored(library: Library, tmp_path: Path) -> None:
    impossible = f"notes/{'x' * 300}.txt"
    library.documents.add_text("a.txt", "a")
    library.documents.add_text(impossible, "b")
    library.history.take_snapshot("one")
    done = library.history.restore("one", tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_text() == "a"
    assert done.left == [(impossible, "File name too long")]


def test_an_archive_keeps_the_history_of_metadata(library: Library, other: Library) -> None:
    document = library.documents.add_text("a.txt", "text", metadata={"state": "draft", "by": "Ada"}).document
    library.edits.set_metadata(document, {"state": "final"})
    out = io.BytesIO()
    library.history.export(out)
    for _ in range(2):
        other.history.import_(io.BytesIO(out.getvalue()))
        assert other.history.metadata_history(other.documents.get("a.txt")) == library.history.metadata_history(
            document
        )
    assert other.care.verify().ok
