"""Files that several processes make or open at the same time: all of them wait for each other."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rolltop.journal import Entry, Journal
from rolltop.store.catalog import SqliteCatalog
from rolltop.store.meaning.spans import Spans
from rolltop.store.sidecar import Sidecar


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
