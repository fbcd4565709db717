"""Packs: a transaction may fill any number of them, and what the catalogue cannot explain is not thrown away."""

from __future__ import annotations

import asyncio
import io
import random
from pathlib import Path

import apsw
import pytest

from mcp_core import ClientInfo
from rolltop.server.desk import Desk
from rolltop.settings import load
from rolltop.store import Library, packs
from rolltop.store.keeping import Source

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
    return {document.path: library.read(document) for document in library.matching(pattern="**")}


def check(library: Library, expected: dict[str, bytes]) -> None:
    """Another process finds everything, and nothing else on disk than the catalogue says."""
    again = reopened(library)
    try:
        assert contents(again) == expected
        report = again.verify()
        assert report.ok, report.problems
        assert again.blobs.packs() == {
            pack: length
            for pack, length in again.catalog.objects.packs().items()
            if length or pack in again.blobs.packs()
        }
        again.add_text("after.txt", "life goes on\n")
    finally:
        again.close()


# many packs in one transaction -------------------------------------------------------------------


@pytest.mark.usefixtures("small_packs")
def test_one_document_may_fill_many_packs(library: Library) -> None:
    data = noise(1, 12 * SMALL)
    library.add("big.bin", data)
    assert len(library.catalog.objects.packs()) > 8
    check(library, {"big.bin": data})


@pytest.mark.usefixtures("small_packs")
def test_many_documents_may_fill_many_packs(library: Library) -> None:
    files = {f"{number}.bin": noise(number, SMALL) for number in range(12)}
    library.add_many(Source(path, data, 1, 2) for path, data in files.items())
    assert len(library.catalog.objects.packs()) > 8
    check(library, files)


@pytest.mark.usefixtures("small_packs")
def test_a_collection_may_fill_many_packs(library: Library) -> None:
    files = {f"{number}.bin": noise(number, 3 * SMALL) for number in range(6)}
    for path, data in files.items():
        library.add_many(
            [Source(path, data, 1, 2), Source(f"small-{path}", noise(len(data) + int(path[0]), 1000), 1, 2)]
        )
    library.delete(library.matching(pattern="small-*"))
    assert library.collect(everything=True).documents == 6
    check(library, files)


@pytest.mark.usefixtures("small_packs")
def test_an_import_may_fill_many_packs(library: Library, tmp_path: Path) -> None:
    files = {f"{number}.bin": noise(number, SMALL) for number in range(12)}
    library.add_many(Source(path, data, 1, 2) for path, data in files.items())
    out = io.BytesIO()
    library.export(out)
    other = Library(tmp_path / "other")
    assert other.import_(io.BytesIO(out.getvalue())).new == 12
    check(other, files)


@pytest.mark.usefixtures("small_packs")
def test_a_call_may_fill_many_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = noise(2, 12 * SMALL)
    (tmp_path / "big.bin").write_bytes(data)
    desk = Desk(load(env={"ROLLTOP_WORKSPACE": str(tmp_path / "workspace"), "XDG_CONFIG_HOME": str(tmp_path)}))
    arguments = {"path": str(tmp_path / "big.bin")}
    answer = asyncio.run(desk.dispatcher.call("store_document", arguments, desk.context(ClientInfo())))
    assert answer.structured["bytes_stored"] == len(data)
    desk.close()
    check(Library(tmp_path / "workspace" / "store"), {str(tmp_path / "big.bin"): data})


@pytest.mark.usefixtures("small_packs")
def test_what_one_call_of_a_group_gave_back_is_no_loss_for_the_others(library: Library) -> None:
    data, dropped = noise(3, 5 * SMALL), noise(4, 5 * SMALL)

    def failing(_: object) -> None:
        library.add("dropped.bin", dropped)
        raise ValueError

    with library.committer.exclusive() as writer:
        library.add("first.bin", data)
        mark = writer.mark()
        with pytest.raises(ValueError), library.catalog.savepoint():
            failing(writer)
        writer.rewind(mark)
        library.add("last.bin", data[::-1])
    check(library, {"first.bin": data, "last.bin": data[::-1]})


def test_packs_of_the_usual_size(library: Library) -> None:
    data = noise(5, 4 * packs.PACK_LIMIT + (1 << 20))
    library.add("big.bin", io.BytesIO(data))
    assert len(library.catalog.objects.packs()) == 5
    again = reopened(library)
    assert again.read(again.document("big.bin")) == data
    assert again.blobs.packs() == again.catalog.objects.packs()
    again.close()


# stores in which packs were not entered ----------------------------------------------------------


@pytest.fixture
def unentered(library: Library, small_packs: None) -> tuple[Path, bytes]:
    """A store as it was written once: of many packs in a transaction only the first and the last were entered."""
    data = noise(6, 6 * SMALL)
    library.add("big.bin", data)
    library.close()
    database = apsw.Connection(str(library.directory / "catalog.db"))
    database.execute("DELETE FROM packs WHERE id NOT IN (SELECT min(id) FROM packs UNION SELECT max(id) FROM packs)")
    database.close()
    (library.directory / "packs" / "acknowledged").unlink(missing_ok=True)
    return library.directory, data


def test_packs_that_documents_lie_in_are_entered(unentered: tuple[Path, bytes]) -> None:
    check(Library(unentered[0]), {"big.bin": unentered[1]})


def test_verify_names_packs_that_were_not_entered(library: Library) -> None:
    library.add_text("a.txt", "words\n")
    with library.catalog.transaction():
        library.catalog.objects.remove_pack(1)
        library.catalog.objects.set_pack(2, 0)
    assert [line for line in library.verify().problems if "does not know it" in line]
    assert library.repair().ok
