"""The keyword index on disk: what counts as damage, what happens then, and who may write what."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import index_worker
import pytest
from conditions import wait_until

from rolltop.store import Library, Options, follower
from rolltop.store.blobs.commit import FileLock
from rolltop.store.search import index_follower
from rolltop.store.text import fields
from rolltop.store.text.disk_index import generation, overwrite_check


def generations(library: Library) -> list[tuple[str, int]]:
    """The directories of the index; one that was begun again has another name or another inode."""
    return sorted((path.name, path.stat().st_ino) for path in (library.directory / "text").iterdir() if path.is_dir())


def test_a_file_that_is_still_being_written_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overwrite_check, "EVERY", 0.0)
    with Library(tmp_path / "store", Options(background=True)) as library:
        library.documents.add_text("a.txt", "honey and tea")
        library.search.catch_up()
        before = generations(library)
        growing = library.directory / "text" / before[0][0] / "0123456789abcdef0123456789abcdef.idx"
        growing.write_bytes(b"half of a segm")
        library.search.words.index.close()  # opened again beside the half-written file
        assert library.search.keyword("honey").total == 1
        with growing.open("ab") as file:
            file.write(b"ent")
        found = library.search.keyword("honey")
        assert (found.total, found.note) == (1, None)
        assert generations(library) == before


def stored_and_searched(directory: Path, processes: int, seconds: float) -> None:
    with Library(directory) as library:
        library.documents.add_text("first.txt", "the first one")
        library.search.catch_up()
        before = generations(library)
    workers = [
        subprocess.Popen(
            [sys.executable, index_worker.__file__, str(directory), f"p{number}", str(seconds)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    outputs = [worker.communicate(timeout=seconds + 300)[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * processes
    searches, wrong, batches = (sum(each) for each in zip(*(map(int, out.split()) for out in outputs), strict=True))
    with Library(directory) as library:
        assert generations(library) == before  # nobody built it again
        assert library.search.words.index.damage() == []
        assert library.search.keyword("holds").total == 100 * batches
    assert wrong == 0
    assert searches


def test_storing_and_searching_from_several_processes_rebuilds_nothing(tmp_path: Path) -> None:
    stored_and_searched(tmp_path / "store", 2, 4)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_storing_and_searching_for_minutes_rebuilds_nothing(tmp_path: Path) -> None:
    stored_and_searched(tmp_path / "store", 4, 180)


def test_too_many_open_files_delete_nothing(tmp_path: Path) -> None:
    with Library(tmp_path / "store") as library:
        library.documents.add_text("a.txt", "honey and tea")
        library.search.catch_up()
        before = generations(library)
    program = (
        "import os, resource, sys\nfrom pathlib import Path\nfrom rolltop.store import Library\n"
        "import rolltop.store.text.index, rolltop.store.search.hybrid_search\n"
        "library = Library(Path(sys.argv[1]))\nlibrary.search.unindexed\nlibrary.catalog.documents.last_change()\n"
        "used = len(os.listdir('/proc/self/fd'))\nresource.setrlimit(resource.RLIMIT_NOFILE, (used + 3, used + 3))\n"
        "try:\n    library.search.keyword('honey')\nexcept BaseException as error:\n    print('failed')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "store")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "failed\n"
    with Library(tmp_path / "store") as library:
        assert generations(library) == before
        assert library.search.keyword("honey").total == 1


def test_two_releases_with_different_indexes_share_a_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library(tmp_path / "store") as ours:
        ours.documents.add_text("a.txt", "honey")
        ours.search.catch_up()
        monkeypatch.setattr(fields, "FORMAT", fields.FORMAT + 1)
        with Library(tmp_path / "store") as newer:
            newer.search.catch_up()
            newer.documents.add_text("b.txt", "honey and tea")
            newer.search.catch_up()
            assert newer.search.keyword("honey").total == 2
        ours.search.catch_up()
        assert ours.search.keyword("honey").total == 2
        assert len(generations(ours)) == 2
        ours.documents.delete([ours.documents.get("b.txt")])
        ours.care.collect(everything=True)  # no word of it may stay, in no index
        assert len(generations(ours)) == 1


def test_an_index_is_replaced_only_when_the_new_one_is_there(tmp_path: Path) -> None:
    with Library(tmp_path / "store") as library:
        for number in range(20):
            library.documents.add_text(f"{number}.txt", f"honey number {number}")
        library.search.catch_up()
        before = generations(library)
        totals = []
        library.search.rebuild_words(lambda *_: totals.append(library.search.keyword("honey").total))
        assert totals == [20]
        assert generations(library) != before
        assert library.search.keyword("honey").total == 20


def test_an_error_does_not_end_the_follower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_follower, "QUIET", 0.01)
    monkeypatch.setattr(follower, "PAUSE", 0.01)
    with Library(tmp_path / "store", Options(background=True)) as library:
        failed = threading.Event()
        changed = library.catalog.documents.changed

        def failing(*arguments: int) -> object:
            if threading.current_thread().name.startswith("store-") and not failed.is_set():
                failed.set()
                raise KeyError("a fault that nobody thought of")
            return changed(*arguments)

        monkeypatch.setattr(library.catalog.documents, "changed", failing)
        library.documents.add_text("a.txt", "honey")
        assert failed.wait(60)
        wait_until(lambda: library.search.unindexed() == 0)


def test_the_words_are_only_written_by_who_holds_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "PATIENCE", 0.05)
    with Library(tmp_path / "store") as library:
        library.documents.add_text("a.txt", "honeycombs and tea")
        library.search.catch_up()
    (listed,) = (tmp_path / "store" / "text").rglob("words.json")
    os.remove(listed)
    with Library(tmp_path / "store") as library, FileLock(tmp_path / "store" / "text" / "lock").held():
        assert library.search.keyword("honeycomb").total == 1
        assert not listed.exists()
    with Library(tmp_path / "store") as library:
        assert library.search.keyword("honeycomb").total == 1
        assert listed.exists()
