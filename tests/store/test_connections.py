"""SQLite files that several processes and many threads use: they wait for each other, and nothing is left open."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rolltop.journal import Entry, Journal
from rolltop.store import Library
from rolltop.store.catalog import SqliteCatalog
from rolltop.store.grep import Pattern
from rolltop.store.meaning.spans import Spans
from rolltop.store.sqlite.sidecar import Sidecar


@contextmanager
def half_made(path: Path, seconds: float) -> Iterator[None]:
    """Another process is making the file and has not gone over to WAL yet."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE IF NOT EXISTS begun(x)")
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(seconds, lambda: other.execute("COMMIT"))
        timer.start()
        yield
        timer.join()


def catalogue(path: Path) -> None:
    SqliteCatalog(path).close()


def sidecar(path: Path) -> None:
    Sidecar(path, ("CREATE TABLE things(name TEXT)",), "store", "things").close()


def spans(path: Path) -> None:
    Spans(path, "store").close()


def journal(path: Path) -> None:
    made = Journal(path)
    made.add(Entry(0.0, "search", "store", "client", "stdio", "ok", None, 0.1, 1, 1, "digest"))
    assert len(made.recent()) == 1
    made.close()


@pytest.mark.parametrize("open_it", [catalogue, sidecar, spans, journal])
def test_a_file_that_another_process_is_making_is_waited_for(tmp_path: Path, open_it: Callable[[Path], None]) -> None:
    path = tmp_path / "made.db"
    began = time.monotonic()
    with half_made(path, 0.4):
        open_it(path)
    assert time.monotonic() - began >= 0.4


def test_threads_that_have_ended_leave_no_connection_open(tmp_path: Path) -> None:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    side = Sidecar(tmp_path / "side.db", ("CREATE TABLE things(name TEXT)",), "store", "things")
    for _ in range(50):
        thread = threading.Thread(target=lambda: (catalog.identity(), side.set_state("last", 1)))
        thread.start()
        thread.join()
    assert side.state("last") == 1
    assert _open_files(tmp_path) <= 2 * 2 * 2 + 2  # two threads at one time, a file and its log, what they share
    side.close()
    catalog.close()
    assert _open_files(tmp_path) == 0


def test_a_connection_that_a_thread_left_in_a_transaction_is_not_used_again(tmp_path: Path) -> None:
    side = Sidecar(tmp_path / "side.db", ("CREATE TABLE things(name TEXT)",), "store", "things")
    thread = threading.Thread(target=lambda: side.db.execute("BEGIN IMMEDIATE"))
    thread.start()
    thread.join()
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(side.db.in_transaction))
    thread.start()
    thread.join()
    assert found == [False]
    side.set_state("written", 1)
    side.close()


def test_storing_and_searching_in_turn_keeps_the_number_of_open_files(tmp_path: Path) -> None:
    library = Library(tmp_path / "store")
    counts = []
    for number in range(60):
        library.documents.add_text(f"{number % 20}.md", f"hello {number} world")
        assert library.search.keyword("hello").total >= 1
        list(library.grep.files(Pattern("hello")))
        if number % 20 == 19:
            counts.append(_open_files(tmp_path))
    assert counts[-1] <= counts[0] + 10
    library.close()


def _open_files(directory: Path) -> int:
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(os.readlink(entry))
    return sum(name.startswith(str(directory)) for name in found)
