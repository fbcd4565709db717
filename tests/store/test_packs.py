"""Packs: a transaction may fill any number of them, and what the catalogue cannot explain is not thrown away."""

from __future__ import annotations

import asyncio
import io
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from mcp_core import ClientInfo
from rolltop.errors import Damaged
from rolltop.server.application import Application
from rolltop.settings import load
from rolltop.store import Library, Listing, Options, Writer
from rolltop.store.blobs import packs
from rolltop.store.documents.ingest import Source

Run = Callable[..., Any]
SMALL = 100_000


@pytest.fixture
def small_packs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "PACK_LIMIT", SMALL)


def noise(seed: int, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


def reopened(library: Library) -> Library:
    library.close()
    return Library(library.directory)


def contents(library: Library) -> dict[str, bytes]:
    return {document.path: library.documents.read(document) for document in library.documents.matching(pattern="**")}


def check(library: Library, expected: dict[str, bytes]) -> None:
    """Another process finds everything, and nothing else on disk than the catalogue says."""
    again = reopened(library)
    try:
        assert contents(again) == expected
        report = again.care.verify()
        assert report.ok, report.problems
        assert again.blobs.packs() == {
            pack: length
            for pack, length in again.catalog.objects.packs().items()
            if length or pack in again.blobs.packs()
        }
        again.documents.add_text("after.txt", "life goes on\n")
    finally:
        again.close()


# many packs in one transaction -------------------------------------------------------------------


@pytest.mark.usefixtures("small_packs")
def test_one_document_may_fill_many_packs(library: Library) -> None:
    data = noise(1, 12 * SMALL)
    library.documents.add("big.bin", data)
    assert len(library.catalog.objects.packs()) > 8
    check(library, {"big.bin": data})


@pytest.mark.usefixtures("small_packs")
def test_many_documents_may_fill_many_packs(library: Library) -> None:
    files = {f"{number}.bin": noise(number, SMALL) for number in range(12)}
    library.documents.add_many(Source(path, data, 1, 2) for path, data in files.items())
    assert len(library.catalog.objects.packs()) > 8
    check(library, files)


@pytest.mark.usefixtures("small_packs")
def test_a_collection_may_fill_many_packs(library: Library) -> None:
    files = {f"{number}.bin": noise(number, 3 * SMALL) for number in range(6)}
    for path, data in files.items():
        library.documents.add_many(
            [Source(path, data, 1, 2), Source(f"small-{path}", noise(len(data) + int(path[0]), 1000), 1, 2)]
        )
    library.documents.delete(library.documents.matching(pattern="small-*"))
    assert library.care.collect(everything=True).documents == 6
    check(library, files)


@pytest.mark.usefixtures("small_packs")
def test_an_import_may_fill_many_packs(library: Library, tmp_path: Path) -> None:
    files = {f"{number}.bin": noise(number, SMALL) for number in range(12)}
    library.documents.add_many(Source(path, data, 1, 2) for path, data in files.items())
    out = io.BytesIO()
    library.history.export(out)
    other = Library(tmp_path / "other")
    assert other.history.import_(io.BytesIO(out.getvalue())).new == 12
    check(other, files)


@pytest.mark.usefixtures("small_packs")
def test_a_call_may_fill_many_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = noise(2, 12 * SMALL)
    (tmp_path / "big.bin").write_bytes(data)
    desk = Application(load(env={"ROLLTOP_WORKSPACE": str(tmp_path / "workspace"), "XDG_CONFIG_HOME": str(tmp_path)}))
    arguments = {"path": str(tmp_path / "big.bin")}
    answer = asyncio.run(desk.dispatcher.call("store_document", arguments, desk.context(ClientInfo())))
    assert answer.structured["bytes_stored"] == len(data)
    desk.close()
    check(Library(tmp_path / "workspace" / "store"), {str(tmp_path / "big.bin"): data})


@pytest.mark.usefixtures("small_packs")
def test_what_one_call_of_a_group_gave_back_is_no_loss_for_the_others(library: Library) -> None:
    data, dropped = noise(3, 5 * SMALL), noise(4, 5 * SMALL)

    def failing(_: object) -> None:
        library.documents.add("dropped.bin", dropped)
        raise ValueError

    with library.committer.exclusive() as writer:
        library.documents.add("first.bin", data)
        mark = writer.mark()
        with pytest.raises(ValueError), library.catalog.savepoint():
            failing(writer)
        writer.rewind(mark)
        library.documents.add("last.bin", data[::-1])
    check(library, {"first.bin": data, "last.bin": data[::-1]})


def test_packs_of_the_usual_size(library: Library) -> None:
    data = noise(5, 4 * packs.PACK_LIMIT + (1 << 20))
    library.documents.add("big.bin", io.BytesIO(data))
    assert len(library.catalog.objects.packs()) == 5
    again = reopened(library)
    assert again.documents.read(again.documents.get("big.bin")) == data
    assert again.blobs.packs() == again.catalog.objects.packs()
    again.close()


# stores in which packs were not entered ----------------------------------------------------------


@pytest.fixture
def unentered(library: Library, small_packs: None) -> tuple[Path, bytes]:
    """A store as it was written once: of many packs in a transaction only the first and the last were entered."""
    data = noise(6, 6 * SMALL)
    library.documents.add("big.bin", data)
    library.close()
    database = apsw.Connection(str(library.directory / "catalog.db"))
    database.execute("DELETE FROM packs WHERE id NOT IN (SELECT min(id) FROM packs UNION SELECT max(id) FROM packs)")
    database.close()
    (library.directory / "acknowledged").unlink(missing_ok=True)
    return library.directory, data


def test_packs_that_documents_lie_in_are_entered(unentered: tuple[Path, bytes]) -> None:
    check(Library(unentered[0]), {"big.bin": unentered[1]})


def test_verify_names_packs_that_were_not_entered(library: Library) -> None:
    library.documents.add_text("a.txt", "words\n")
    with library.catalog.transaction():
        library.catalog.objects.remove_pack(1)
        library.catalog.objects.set_pack(2, 0)
    assert [line for line in library.care.verify().problems if "does not know it" in line]
    assert library.care.repair().ok


# a catalogue that is not the packs' own -----------------------------------------------------------


@pytest.fixture
def kept(library: Library) -> Path:
    library.documents.add_text("a.md", "precious words\n" * 50)
    library.documents.add("b.bin", noise(7, 50_000))
    library.close()
    return library.directory


def bytes_in(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (directory / "packs").glob("*.pack")}


@pytest.mark.parametrize("make_empty", [False, True])
@pytest.mark.parametrize("options", [Options(), Options(read_only=True), Options(mending=True)])
@pytest.mark.parametrize("noted", [False, True])
def test_packs_without_a_catalogue_are_no_new_store(
    kept: Path, make_empty: bool, options: Options, noted: bool
) -> None:
    before = bytes_in(kept)
    for path in kept.glob("catalog.db*"):
        path.unlink()
    if make_empty:
        (kept / "catalog.db").touch()
    if not noted:
        (kept / "acknowledged").unlink()
    for _ in range(2):
        with pytest.raises(Damaged, match="the catalogue is lost"):
            Library(kept, options)
    assert bytes_in(kept) == before


@pytest.mark.parametrize("noted", [False, True])
def test_a_catalogue_without_tables_beside_packs_is_refused(kept: Path, noted: bool) -> None:
    before = bytes_in(kept)
    (kept / "catalog.db").unlink()
    database = apsw.Connection(str(kept / "catalog.db"))
    database.execute("PRAGMA journal_mode = WAL; CREATE TABLE another(x); DROP TABLE another")
    database.close()
    if not noted:
        (kept / "acknowledged").unlink()
    for _ in range(2):
        with pytest.raises(Damaged, match="does not belong to the packs"):
            Library(kept)
    assert bytes_in(kept) == before


def older(kept: Path) -> dict[str, bytes]:
    """Put an older catalogue in place; what the packs hold."""
    copy = (kept / "catalog.db").read_bytes()
    library = Library(kept)
    library.documents.add_text("late.md", "these words were acknowledged\n")
    library.close()
    (kept / "catalog.db").write_bytes(copy)
    return bytes_in(kept)


def test_an_older_catalogue_is_refused_and_nothing_is_touched(kept: Path) -> None:
    before = older(kept)
    with pytest.raises(Damaged, match="the catalogue is older than the packs") as refused:
        Library(kept)
    assert "rolltop store repair" in (refused.value.hint or "")
    assert bytes_in(kept) == before
    with Library(kept, Options(read_only=True)) as library:
        assert [document.path for document in library.documents.matching(pattern="**")] == ["a.md", "b.bin"]
    with Library(kept, Options(mending=True)) as library:
        assert any("older than the packs" in line for line in library.care.verify().problems)
        with pytest.raises(Damaged):
            library.documents.add_text("c.md", "no\n")
    assert bytes_in(kept) == before


def test_a_catalogue_without_its_log_is_refused(kept: Path, tmp_path: Path) -> None:
    library = Library(kept)
    library.documents.add_text("late.md", "these words are in the log\n")
    copy = tmp_path / "copy"
    shutil.copytree(kept, copy, ignore=shutil.ignore_patterns("catalog.db-*"))
    library.close()
    with pytest.raises(Damaged, match="the catalogue is older than the packs"):
        Library(copy)


def test_a_change_that_wrote_no_bytes_is_missed_too(kept: Path) -> None:
    copy = (kept / "catalog.db").read_bytes()
    library = Library(kept)
    library.edits.tag(library.documents.get("a.md"), add=["late"])
    library.close()
    (kept / "catalog.db").write_bytes(copy)
    with pytest.raises(Damaged, match="the catalogue is older"):
        Library(kept)


def test_repair_goes_on_with_an_older_catalogue_and_keeps_the_bytes(kept: Path) -> None:
    before = older(kept)
    with Library(kept, Options(mending=True)) as library:
        report = library.care.repair()
        assert report.ok, report.problems
        assert any("to aside/" in line for line in report.mended)
    (aside,) = (kept / "aside").iterdir()
    assert (kept / "packs" / "00000001.pack").read_bytes() + aside.read_bytes() == before["00000001.pack"]
    check(Library(kept), {"a.md": b"precious words\n" * 50, "b.bin": noise(7, 50_000)})


def test_a_catalogue_of_another_store_is_refused(kept: Path, tmp_path: Path) -> None:
    with Library(tmp_path / "other") as other:
        for number in range(9):
            other.documents.add("x.bin", noise(number, 60_000))
    shutil.copy(tmp_path / "other" / "catalog.db", kept / "catalog.db")
    with pytest.raises(Damaged, match="does not belong to the packs"):
        Library(kept)


def test_what_a_crash_left_goes_and_a_store_without_a_note_keeps_it_aside(kept: Path) -> None:
    pack = kept / "packs" / "00000001.pack"
    sound = pack.read_bytes()
    pack.write_bytes(sound + b"never acknowledged")
    (kept / "packs" / "00000002.pack").write_bytes(b"neither")
    Library(kept).close()
    assert bytes_in(kept) == {"00000001.pack": sound}
    assert not (kept / "aside").exists()
    pack.write_bytes(sound + b"perhaps acknowledged")
    (kept / "acknowledged").unlink()
    Library(kept).close()
    assert bytes_in(kept) == {"00000001.pack": sound}
    assert [path.read_bytes() for path in (kept / "aside").iterdir()] == [b"perhaps acknowledged"]


def test_the_commands_say_what_is_wrong_and_what_to_do(rolltop: Run, tmp_path: Path) -> None:
    rolltop("store", "add", "-", "--name", "a.md", stdin="precious\n")
    store = tmp_path / "workspace" / "store"
    shutil.copytree(store, tmp_path / "copy")
    rolltop("store", "add", "-", "--name", "b.md", stdin="late\n")
    shutil.copy(tmp_path / "copy" / "catalog.db", store / "catalog.db")
    refused = rolltop("store", "list")
    assert (refused.returncode, "older than the packs" in refused.stderr) == (1, True)
    assert rolltop("store", "list", ROLLTOP_READ_ONLY="true").returncode == 0
    assert "older than the packs" in rolltop("store", "verify").stdout
    assert rolltop("store", "repair").returncode == 0
    assert rolltop("store", "verify").returncode == 0
    (store / "catalog.db").unlink()
    lost = rolltop("store", "list")
    assert (lost.returncode, "the catalogue is lost" in lost.stderr) == (1, True)


def test_files_that_are_not_ours_are_left_alone(kept: Path) -> None:
    copy = kept / "packs" / "00000001 (copy).pack"
    shutil.copy(kept / "packs" / "00000001.pack", copy)
    with Library(kept) as library:
        assert library.care.verify().ok
    assert copy.exists()


def test_small_documents_of_one_transaction_lie_together(tmp_path: Path) -> None:
    with Library(tmp_path / "store") as library:

        def many(_: Writer) -> None:
            for number in range(100):
                library.documents.add_text(f"{number}.md", f"note {number}\n")
            library.documents.add_text("7.md", "note 7\n" + "that grew\n" * 99)
            library.documents.add_text("7.md", "note 7\n" + "that grew\n" * 99 + "again\n")  # against the one before

        library.write(many)
        assert len(library.catalog.objects.frames()) <= 3
        assert library.documents.read(library.documents.get("99.md")) == b"note 99\n"
        versions = library.documents.versions(library.documents.get("7.md"))
        ends = [library.documents.read_object(version.object)[-6:] for version in versions]
        assert ends == [b"ote 7\n", b" grew\n", b"again\n"]
        assert library.care.verify().ok


def test_a_step_that_is_undone_leaves_nothing_among_small_documents(tmp_path: Path) -> None:
    with Library(tmp_path / "store") as library:

        def undone(writer: Writer) -> None:
            library.documents.add_text("first.md", "first\n")
            for number in range(20):
                mark = writer.mark()
                try:
                    with library.catalog.savepoint():
                        library.documents.add_text(f"{number}.md", f"note {number}\n")
                        if number % 2:
                            raise ValueError
                except ValueError:
                    writer.rewind(mark)

        library.write(undone)
        kept = [document.path for document in library.documents.select(Listing())]
        assert kept == sorted([*(f"{number}.md" for number in range(0, 20, 2)), "first.md"])
        assert {library.documents.read(library.documents.get(path)) for path in kept} >= {b"first\n", b"note 18\n"}
        assert library.care.verify().ok
