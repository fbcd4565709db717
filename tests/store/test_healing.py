"""Bytes that are damaged do not count as stored: the same content stored again, or its file, makes them whole."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import Damaged, RolltopError
from rolltop.store import Library, Pattern
from rolltop.store.blobs import leaf_window, packs
from rolltop.store.documents import ingest
from rolltop.store.documents.ingest import Source
from rolltop.tools.store.grep import GrepDocuments, grep

Run = Callable[..., Any]
Harm = Callable[[Path], None]


def flip(place: Path) -> None:
    """More than one bit of every frame: nothing that a checksum could mend."""
    data = bytearray(place.read_bytes())
    for at in range(40, len(data), 500):
        data[at] ^= 0xFF
    place.write_bytes(data)


def shorten(place: Path) -> None:
    place.write_bytes(place.read_bytes()[:60])


HARMS = [flip, shorten, Path.unlink]


def pack_of(library: Library, number: int = 1) -> Path:
    return library.directory / "packs" / f"{number:08d}.pack"


def lines(seed: int, count: int) -> bytes:
    rng = random.Random(seed)
    return b"".join(b"%d line %x\n" % (number, rng.getrandbits(100)) for number in range(count))


SMALL, LARGE, OTHER = lines(1, 20), lines(2, 10_000), lines(3, 50)


@pytest.fixture(params=HARMS, ids=["flipped", "cut", "lost"])
def harmed(library: Library, request: pytest.FixtureRequest) -> Library:
    library.documents.add("small.txt", SMALL)
    library.documents.add("large.txt", LARGE)
    library.indexes.update()
    library.close()
    request.param(pack_of(library))
    return Library(library.directory)


def is_whole(library: Library) -> None:
    again = Library(library.directory)
    assert {d.path: again.documents.read(d) for d in again.documents.matching(pattern="*.txt")} == {
        "small.txt": SMALL,
        "large.txt": LARGE,
    }
    assert not again.care.verify().affected
    assert again.care.repair().problems in ([], [f"pack 1: {lost_bytes(again)} bytes are missing from the file"])
    (found,) = again.grep.files(Pattern(LARGE.splitlines()[7000].decode()))
    assert (found.document.path, list(found.selected)) == ("large.txt", [7000])
    again.close()


def lost_bytes(library: Library) -> int:
    return library.catalog.objects.packs().get(1, 0) - library.blobs.packs().get(1, 0)


def test_content_that_is_stored_again_is_whole(harmed: Library) -> None:
    for path, data in (("small.txt", SMALL), ("large.txt", LARGE)):
        with pytest.raises(RolltopError):
            harmed.documents.read(harmed.documents.get(path))
        added = harmed.documents.add(path, data)
        assert (added.outcome, added.bytes_stored > 0) == ("unchanged", True)
        assert harmed.documents.read(harmed.documents.get(path)) == data
        assert harmed.documents.add(path, data).bytes_stored == 0
    assert harmed.documents.get("large.txt").version == 1
    is_whole(harmed)
    harmed.close()


def test_a_collection_clears_away_what_was_damaged(harmed: Library) -> None:
    for path, data in (("small.txt", SMALL), ("large.txt", LARGE), ("other.txt", OTHER)):
        harmed.documents.add(path, data)
    harmed.documents.delete([harmed.documents.get("other.txt")])
    harmed.care.collect(everything=True)
    assert harmed.care.verify().ok
    assert 1 not in harmed.blobs.packs()
    is_whole(harmed)
    assert harmed.care.collect(everything=True).packs == 0
    harmed.close()


def test_many_contents_that_are_stored_again_are_whole(harmed: Library) -> None:
    tally = harmed.documents.add_many([Source("small.txt", SMALL, 1, 2), Source("large.txt", LARGE, 1, 2)])
    assert (tally.unchanged, tally.bytes_stored > len(SMALL)) == (2, True)
    is_whole(harmed)
    harmed.close()


def test_documents_of_any_size_come_back_from_their_files(harmed: Library) -> None:
    report = harmed.care.repair({"small.txt": SMALL, "large.txt": LARGE}.get)
    assert [m for m in report.mended if "its file" in m] == ["large.txt, from its file", "small.txt, from its file"]
    is_whole(harmed)
    harmed.close()


def test_a_file_that_has_changed_is_not_taken(harmed: Library) -> None:
    report = harmed.care.repair({"small.txt": SMALL + b"!", "large.txt": LARGE}.get)
    assert report.affected == ["small.txt"]
    harmed.close()


def test_writing_goes_on_beside_a_pack_that_lost_bytes(harmed: Library) -> None:
    for number in range(3):
        harmed.documents.add(f"{number}.new", lines(10 + number, 50))
    harmed.close()
    again = Library(harmed.directory)
    assert again.documents.read(again.documents.get("2.new")) == lines(12, 50)
    assert set(again.care.verify().affected) <= {"small.txt", "large.txt"}
    again.close()


def test_what_was_compressed_against_something_lost_is_whole_again(library: Library) -> None:
    """The current version needs the earlier one, which is stored again as the version after it."""
    first, second = lines(4, 200), lines(4, 200) + b"one more\n"
    library.documents.add("a.txt", first)
    length = pack_of(library).stat().st_size
    library.documents.add("a.txt", second)
    assert pack_of(library).stat().st_size - length < 200
    data = bytearray(pack_of(library).read_bytes())
    data[50:60] = b"0123456789"
    pack_of(library).write_bytes(data)
    library.reader.forget()
    with pytest.raises(RolltopError):
        library.documents.read(library.documents.get("a.txt"))
    library.documents.add("a.txt", first)
    history = [
        library.documents.read_object(version.object)
        for version in library.documents.versions(library.documents.get("a.txt"))
    ]
    assert history == [first, second, first]
    assert library.care.verify().ok


def test_a_damaged_version_is_no_reason_not_to_keep_the_next(library: Library) -> None:
    library.documents.add("a.txt", SMALL)
    flip(pack_of(library))
    library.reader.forget()
    library.documents.add("a.txt", SMALL + b"more\n")
    assert library.documents.read(library.documents.get("a.txt")) == SMALL + b"more\n"


def test_a_version_that_only_a_snapshot_keeps_is_whole_again(library: Library) -> None:
    library.documents.add("a.txt", LARGE)
    library.history.take_snapshot("s")
    library.documents.delete(library.documents.matching(pattern="*"))
    library.care.collect(everything=True)
    flip(pack_of(library))
    library.reader.forget()
    assert library.care.verify().affected == ["a.txt"]
    library.documents.add("b.txt", LARGE)
    assert library.care.verify().ok
    assert library.documents.read_object(library.history.restored("s")[0][1]) == LARGE


def test_a_stream_that_is_stored_again_is_whole(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "HELD_IN_MEMORY", 1 << 20)
    monkeypatch.setattr(leaf_window, "WINDOW", 1 << 19)
    monkeypatch.setattr(packs, "PACK_LIMIT", 1 << 19)
    data = lines(5, 60_000)
    library.documents.add("big.bin", io.BytesIO(data))
    flip(pack_of(library, 2))
    library.reader.forget()
    stored = library.documents.add("big.bin", io.BytesIO(data)).bytes_stored
    assert 0 < stored < len(data)
    assert library.documents.read(library.documents.get("big.bin")) == data
    flip(pack_of(library, 1))
    library.reader.forget()
    assert library.care.repair({"big.bin": data}.get).affected == []
    assert library.documents.read(library.documents.get("big.bin")) == data


def test_a_call_that_fails_takes_nothing_of_it_back(library: Library) -> None:
    library.documents.add("a.txt", LARGE)
    flip(pack_of(library))

    def failing(_: object) -> None:
        library.documents.add("a.txt", LARGE)
        raise ValueError

    with pytest.raises(ValueError):
        library.write(failing)
    library.reader.forget()
    with pytest.raises(RolltopError):
        library.documents.read(library.documents.get("a.txt"))
    library.documents.add("a.txt", LARGE)
    assert library.documents.read(library.documents.get("a.txt")) == LARGE


def test_a_flipped_bit_beside_what_was_stored_again_is_still_mended(library: Library) -> None:
    library.documents.add_many([Source("a.txt", SMALL, 1, 2), Source("b.txt", OTHER, 1, 2)])
    sound = pack_of(library).read_bytes()
    data = bytearray(sound)
    data[300] ^= 1
    pack_of(library).write_bytes(data)
    library.reader.forget()
    library.documents.add("a.txt", SMALL)
    assert library.care.repair().ok
    assert library.documents.read(library.documents.get("b.txt")) == OTHER
    assert pack_of(library).read_bytes()[: len(sound)] == sound


def test_the_commands_take_the_original_file(rolltop: Run, tmp_path: Path) -> None:
    place = tmp_path / "large.txt"
    place.write_bytes(LARGE)
    rolltop("store", "add", str(place))
    shorten(tmp_path / "workspace" / "store" / "packs" / "00000001.pack")
    assert rolltop("store", "repair").returncode == 1
    assert rolltop("store", "add", "-", "--name", "more.txt", stdin="more\n").returncode == 0
    assert f"{place}, from its file" in rolltop("store", "repair", "--from-files").stdout
    assert rolltop("store", "cat", "large.txt").stdout.encode() == LARGE


# grep --------------------------------------------------------------------------------------------


@pytest.fixture
def partly(library: Library) -> Library:
    """Two documents that can be read, and one between them that cannot."""
    for name in "abc":
        library.documents.add(f"{name}.txt", b"needle\n" + lines(ord(name), 50))
    frame = library.catalog.objects.frame(2)
    assert frame is not None
    library.blobs.overwrite(frame.place, bytes(frame.place.length))
    library.reader.forget()
    return library


def test_grep_answers_for_the_rest_and_names_what_is_damaged(partly: Library) -> None:
    found = []
    with pytest.raises(Damaged, match=r"1 documents are damaged and were not searched: b\.txt"):
        found.extend(file.document.path for file in partly.grep.files(Pattern("needle")))
    assert found == ["a.txt", "c.txt"]
    for asked in (Pattern("needle"), Pattern("needle", paths=("*.txt",)), Pattern("needle", invert=True)):
        missed: dict[str, str] = {}
        assert [file.document.path for file in partly.grep.files(asked, missed=missed)] == ["a.txt", "c.txt"]
        assert list(missed) == ["b.txt"]
        missed.clear()
        assert [document.path for document, _ in partly.grep.counts(asked, missed)] == ["a.txt", "c.txt"]
        assert list(missed) == ["b.txt"]
    missed = {}
    assert [document.path for document in partly.grep.without(Pattern("absent"), missed)] == ["a.txt", "c.txt"]
    assert list(missed) == ["b.txt"]


def test_indexes_are_built_beside_what_is_damaged(partly: Library) -> None:
    partly.indexes.update()
    assert [hit.document.path for hit in partly.search.keyword("needle").hits] == ["a.txt", "c.txt"]


def test_the_command_greps_what_can_be_read(rolltop: Run, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        rolltop("store", "add", "-", "--name", name, stdin=f"needle in {name}\n")
    pack = tmp_path / "workspace" / "store" / "packs" / "00000001.pack"
    pack.write_bytes(bytes(40) + pack.read_bytes()[40:])
    done = rolltop("store", "grep", "needle in b|needle")
    assert done.stdout == "b.md:needle in b.md\n"
    assert (done.returncode, "1 documents are damaged and were not searched: a.md" in done.stderr) == (1, True)


def test_the_tool_greps_what_can_be_read(partly: Library) -> None:
    answer = grep(partly, GrepDocuments(pattern="needle"), 10_000)
    assert [file.file for file in answer.results or ()] == ["a.txt", "c.txt"]
    assert (answer.complete, "not searched: b.txt" in (answer.note or "")) == (False, True)
    assert grep(partly, GrepDocuments(pattern="needle", count=True), 10_000).total_matches == 2
