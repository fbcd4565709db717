"""A flipped bit or a cut file anywhere: found, and never a wrong byte handed out."""

from __future__ import annotations

import errno
import os
import random
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from rolltop.base.os_errors import explain_machine_error
from rolltop.errors import Damaged, NotFound, RolltopError
from rolltop.store import Library, Listing, Options, Pattern
from rolltop.store.blobs import frames
from rolltop.store.search import index_follower
from rolltop.store.text.disk_index import overwrite_check

SAMPLE = 60


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("damage") / "store"
    library = Library(place)
    rng = random.Random(1)
    for number in range(40):
        lines = [f"{number} line {i} {rng.getrandbits(30):x}\n" for i in range(rng.randint(1, 60))]
        library.documents.add_text(f"d/{number}.txt", "".join(lines), tags=[f"t{number % 3}"], metadata={"n": number})
    library.documents.add_text("d/1.txt", "another version of it\n" * 20)
    library.documents.add("big.bin", rng.randbytes(50_000))
    library.history.take_snapshot("s")
    library.indexes.update()
    library.close()
    return place


def told(library: Library) -> Any:
    """Everything that a library tells about its documents."""
    documents = library.catalog.listings.fill(library.documents.select(Listing()))
    return (
        [(document, library.documents.read(document), library.documents.versions(document)) for document in documents],
        [
            [library.documents.read_object(v.object) for v in library.documents.versions(document)]
            for document in documents
        ],
        library.history.restored("s"),
        [(f.document.path, f.selected) for f in library.grep.files(Pattern("line 1"))],
        [(document.path, count) for document, count in library.grep.counts(Pattern("[0-9a-f]{6}"))],
    )


def check(sound: Path, place: Path, truth: Any, name: str, harm: Any) -> None:
    """After the harm the library errs, and verify says why; or it tells the truth."""
    shutil.copytree(sound, place)
    try:
        target = place / name
        target.write_bytes(harm(target.read_bytes()))
        try:
            library = Library(place)
        except RolltopError:
            return
        try:
            found = told(library)
            right = {document.path: data for document, data, _ in truth[0]}
            assert all(right[document.path] == data for document, data, _ in found[0]), f"{name}: wrong bytes"
            # Names of tags have no seal of their own: the catalogue's index over them gives the damage away.
            assert found == truth or not library.care.verify().ok
        except (RolltopError, apsw.Error):
            assert not library.care.verify().ok
        finally:
            library.close()
    finally:
        shutil.rmtree(place)


def truth_of(sound: Path, place: Path) -> Any:
    shutil.copytree(sound, place)
    library = Library(place)
    truth = told(library)
    library.close()
    shutil.rmtree(place)
    return truth


def flipped(bit: int) -> Any:
    def harm(data: bytes) -> bytes:
        changed = bytearray(data)
        changed[bit // 8 % len(data)] ^= 1 << bit % 8
        return bytes(changed)

    return harm


def files_of(sound: Path) -> list[str]:
    return sorted(
        str(path.relative_to(sound)) for path in sound.rglob("*") if path.is_file() and path.stat().st_size > 0
    )


def harms(sound: Path, count: int, seed: int) -> list[tuple[str, Any]]:
    rng = random.Random(seed)
    chosen = []
    for _ in range(count):
        name = rng.choice(files_of(sound))
        size = (sound / name).stat().st_size
        if rng.random() < 0.85:
            chosen.append((name, flipped(rng.randrange(size * 8))))
        else:
            end = rng.randrange(size)
            chosen.append((name, lambda data, end=end: data[:end]))
    return chosen


def test_some_damage_anywhere_is_found(sound: Path, tmp_path: Path) -> None:
    truth = truth_of(sound, tmp_path / "truth")
    for name, harm in harms(sound, SAMPLE, 1):
        check(sound, tmp_path / "harmed", truth, name, harm)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_much_damage_anywhere_is_found(sound: Path, tmp_path: Path) -> None:
    truth = truth_of(sound, tmp_path / "truth")
    for name, harm in harms(sound, 5000, 2):
        check(sound, tmp_path / "harmed", truth, name, harm)


def test_every_flipped_bit_of_a_frame_is_mended() -> None:
    raw = b"some lines\nthat are compressed\n" * 5
    sound = frames.encode(7, raw, 3)
    for bit in range(len(sound) * 8):
        bad = bytearray(sound)
        bad[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Damaged):
            frames.decode(bytes(bad), 7)
        assert frames.mend(bytes(bad), 7, 3, len(raw)) == sound


def test_repair_mends_a_flipped_bit(library: Library) -> None:
    library.documents.add_text("a.txt", "precious words\n" * 100)
    library.documents.add_text("b.txt", "others\n" * 100)
    pack = library.directory / "packs" / "00000001.pack"
    data = bytearray(pack.read_bytes())
    data[45] ^= 0x10
    pack.write_bytes(data)
    found = library.care.verify()
    assert not found.ok
    assert found.affected == ["a.txt"]
    with pytest.raises(Damaged):
        library.documents.read(library.documents.get("a.txt"))
    assert library.documents.read(library.documents.get("b.txt")) == b"others\n" * 100
    report = library.care.repair()
    assert report.ok
    assert report.mended[0].startswith("frame 1 ")
    assert library.documents.read(library.documents.get("a.txt")) == b"precious words\n" * 100


def test_what_cannot_be_mended_is_named_and_comes_back_from_its_file(library: Library) -> None:
    content = b"words that a file still has\n" * 50
    library.documents.add("/somewhere/a.txt", content)
    pack = library.directory / "packs" / "00000001.pack"
    pack.write_bytes(pack.read_bytes()[:40] + b"!!!!" + pack.read_bytes()[44:])
    named = library.care.repair()
    assert named.affected == ["/somewhere/a.txt"]
    report = library.care.repair(lambda path: content if path == "/somewhere/a.txt" else None)
    assert report.ok
    assert library.documents.read(library.documents.get("a.txt")) == content


def test_a_lost_pack_is_an_error_and_not_an_empty_document(library: Library) -> None:
    library.documents.add_text("a.txt", "x\n" * 100)
    library.close()
    (library.directory / "packs" / "00000001.pack").unlink()
    again = Library(library.directory)
    with pytest.raises((NotFound, Damaged)):
        again.documents.read(again.documents.get("a.txt"))
    assert not again.care.verify().ok
    again.close()


def test_damaged_indexes_are_built_again(library: Library) -> None:
    for number in range(40):
        library.documents.add_text(f"{number}.txt", f"needle{number}\n" * 40)
    library.indexes.update()
    library.close()
    for path in (*(library.directory / "text").rglob("*.*"), *(library.directory / "grep").glob("*.tri")):
        data = bytearray(path.read_bytes())
        for place in range(100, len(data), 97):
            data[place] ^= 0xFF
        path.write_bytes(data)
    again = Library(library.directory)
    report = again.care.repair()
    assert report.ok, report.problems
    assert [hit.document.path for hit in again.search.keyword("needle7").hits] == ["7.txt"]
    assert [file.document.path for file in again.grep.files(Pattern("needle7$"))] == ["7.txt"]
    again.close()


def overwrite(library: Library, pattern: str) -> None:
    """Harm files of the keyword index while they are in use."""
    for path in (library.directory / "text").rglob(pattern):
        with path.open("r+b") as file:
            file.write(b"\xff" * (path.stat().st_size - 200))


@pytest.mark.parametrize("pattern", ["*.idx", "*.pos", "*.term", "*.fast", "*.fieldnorm"])
def test_a_process_that_stays_builds_a_damaged_keyword_index_again(
    tmp_path: Path, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overwrite_check, "EVERY", 0.0)
    library = Library(tmp_path / "store", Options(background=True))
    for number in range(200):
        library.documents.add_text(f"{number}.txt", f"honey and tea number {number} " * 20)
    library.search.catch_up()
    assert library.search.keyword("honey number 7").total == 1
    overwrite(library, pattern)
    found = library.search.keyword("honey number 7")
    assert ([hit.document.path for hit in found.hits], found.total) == (["7.txt"], 1)
    assert found.note == "The keyword index was damaged and has to be built again."
    assert library.search.keyword('"honey and tea"').note is None
    assert library.search.words.index.damage() == []
    library.close()


def test_a_file_with_another_time_is_no_damage(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overwrite_check, "EVERY", 0.0)
    library.documents.add_text("a.txt", "honey and tea")
    library.search.catch_up()
    assert library.search.keyword("honey").total == 1
    for path in (library.directory / "text").rglob("*.term"):
        path.touch()
    assert library.search.keyword("honey").total == 1


def test_a_single_command_names_a_damaged_keyword_index(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(200):
        library.documents.add_text(f"{number}.txt", f"honey and tea number {number} " * 20)
    library.search.catch_up()
    library.search.keyword("honey")
    overwrite(library, "*.idx")
    monkeypatch.setattr(index_follower, "WAITED_FOR", 1000)  # too much to be learned while somebody waits
    with pytest.raises(Damaged, match="keyword index is damaged") as raised:
        library.search.keyword("honey number 7")
    assert raised.value.hint == "Run `rolltop store repair`."
    assert library.care.repair().ok
    assert library.search.keyword("honey number 7").total == 1


def test_a_hit_is_shown_although_what_was_kept_for_it_is_damaged(library: Library) -> None:
    for number in range(50):
        library.documents.add_text(f"{number}.txt", f"honey and tea number {number} " * 200)
    library.search.catch_up()
    library.search.keyword("honey")
    overwrite(library, "*.heads")
    (hit,) = library.search.keyword("number 7").hits
    assert (hit.document.path, hit.title, hit.place) == ("7.txt", "7.txt", "line 1")
    assert "number 7" in hit.snippet


@pytest.mark.parametrize("pattern", ["*.term", "*.idx", "*.pos", "*.fieldnorm", "meta.json", "words.json"])
def test_a_keyword_index_that_cannot_be_opened_is_begun_again(library: Library, pattern: str) -> None:
    library.documents.add_text("a.txt", "honey and tea\n")
    library.search.catch_up()
    library.close()
    for path in (library.directory / "text").rglob(pattern):
        path.write_bytes(b"\xff" * path.stat().st_size)
    again = Library(library.directory)
    assert [hit.document.path for hit in again.search.keyword("honey tea").hits] == ["a.txt"]
    assert [hit.document.path for hit in again.search.keyword("hony", similarity=0.7).hits] == ["a.txt"]
    again.close()


def test_an_input_output_error_is_told_as_such() -> None:
    told = explain_machine_error(OSError(errno.EIO, os.strerror(errno.EIO), "/disk/packs/00000001.pack"))
    assert told is not None
    assert (told.specific_code, told.message) == ("io_error", "/disk/packs/00000001.pack: Input/output error")
