"""Whenever the writer dies, by kill or by power loss: nothing acknowledged is lost, nothing is left behind."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import crash_workload
import pytest
from crash_disk import Call, Disk, lay_out, record

from rolltop.store import Library, Listing, Options

SAMPLE = 60


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Call]]:
    place = tmp_path_factory.mktemp("crash")
    store = place / "store"
    return str(store), record(Path(crash_workload.__file__), store, place / "calls.log")


def held(library: Library) -> crash_workload.State:
    documents = library.catalog.listings.fill(library.documents.select(Listing()))
    return {document.path: (library.documents.read(document), document.tags) for document in documents}


def check(files: dict[str, bytes], store: str, acknowledged: int, place: Path) -> None:
    lay_out(files, store, place)
    library = Library(place)
    try:
        allowed = [crash_workload.expected(max(0, acknowledged))]
        if acknowledged < len(crash_workload.STEPS):
            allowed.append(crash_workload.expected(acknowledged + 1))
        assert held(library) in allowed
        assert library.blobs.packs().keys() <= library.catalog.objects.packs().keys()
        on_disk = library.blobs.packs()
        assert all(on_disk.get(pack, 0) == length for pack, length in library.catalog.objects.packs().items())
        report = library.care.verify()
        assert report.ok, report.problems
        library.documents.add_text("after.txt", "life goes on\n")
    finally:
        library.close()
        shutil.rmtree(place)


def crash_at(point: int, calls: tuple[str, list[Call]], place: Path, losses: int) -> None:
    store, log = calls
    disk = Disk(store)
    for call in log[:point]:
        disk.apply(call)
    if disk.acknowledged < 0:
        return  # the store was not even open
    check(disk.after_kill(), store, disk.acknowledged, place / "kill")
    for number in range(losses):
        rng = random.Random(point * 100 + number)
        check(disk.after_power_loss(rng), store, disk.acknowledged, place / "loss")


def test_the_record_is_of_a_real_run(calls: tuple[str, list[Call]]) -> None:
    kinds = [call.kind for call in calls[1]]
    assert kinds.count("acknowledge") == len(crash_workload.STEPS) + 1
    assert {"create", "write", "sync", "cut", "unlink"} <= set(kinds)
    assert sum(call.kind == "create" and call.path.endswith(".pack") for call in calls[1]) > 3


def test_a_call_and_a_collection_of_the_run_fill_more_than_two_packs(calls: tuple[str, list[Call]]) -> None:
    packs, most = 0, list[int]()
    for call in calls[1]:
        packs += call.kind == "create" and call.path.endswith(".pack")
        if call.kind == "acknowledge":
            most, packs = [*most, packs], 0
    assert sorted(most)[-2] > 2


def test_a_crash_at_some_moment_loses_nothing(calls: tuple[str, list[Call]], tmp_path: Path) -> None:
    for point in random.Random(4).sample(range(len(calls[1]) + 1), SAMPLE):
        crash_at(point, calls, tmp_path, losses=1)


@pytest.mark.parametrize("then", ["search", "collect", "repair", "index", "verify"])
def test_indexes_forget_what_was_collected_although_the_collector_died(tmp_path: Path, then: str) -> None:
    library = Library(tmp_path / "store")
    for number in range(30):
        library.documents.add_text(f"n{number}.md", f"secretword{number} common text\n")
    library.indexes.update()
    library.search.find("common", "semantic")
    library.documents.delete(library.documents.matching(pattern="n1*.md"))
    pid = os.fork()
    if pid == 0:
        child = Library(tmp_path / "store")
        child.indexes.purge_collected = lambda: os._exit(9)  # type: ignore[method-assign]
        child.care.collect(everything=True)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    library.close()
    with Library(tmp_path / "store", Options(read_only=True)) as only_read:
        assert any("interrupted" in line for line in only_read.care.verify().problems)
    again = Library(tmp_path / "store")
    if then == "verify":
        assert again.care.verify().ok
    elif then == "collect":
        again.care.collect(everything=True)
    elif then == "repair":
        again.care.repair()
    elif then == "index":
        again.indexes.update()
    for kind in ("keyword", "semantic", "hybrid"):
        found = again.search.find("common", kind, limit=100)
        assert (found.total, len(found.hits)) == (19, 19), kind
    assert again.search.find("secretword11", "keyword").total == 0
    assert again.care.verify().ok
    again.close()
    left = [path for path in (tmp_path / "store").rglob("*") if path.is_file() and b"secretword11" in path.read_bytes()]
    assert left == []


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_a_crash_at_any_moment_loses_nothing(calls: tuple[str, list[Call]], tmp_path: Path) -> None:
    for point in range(len(calls[1]) + 1):
        crash_at(point, calls, tmp_path, losses=8)
