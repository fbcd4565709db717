"""The journal: a row for every tool call, in one SQLite file that all server processes share.

Rows are handed to a background thread, so a call never waits for the disk; rows about consent are
written before the call is answered, because they are an audit trail. Argument values are kept only when
the settings say so, a digest always.
"""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rolltop.base.private_sqlite import connect
from rolltop.errors import RolltopError

__all__ = ["Entry", "Journal"]

logger = logging.getLogger("rolltop.journal")

KEEP_ROWS = 200_000
_COLUMNS = (
    "time",
    "tool",
    "toolset",
    "client",
    "transport",
    "outcome",
    "error_type",
    "seconds",
    "size_in",
    "size_out",
    "digest",
    "arguments",
    "consents",
)
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY, {_COLUMNS[0]} REAL NOT NULL, tool TEXT NOT NULL, toolset TEXT NOT NULL,
    client TEXT NOT NULL, transport TEXT NOT NULL, outcome TEXT NOT NULL, error_type TEXT,
    seconds REAL NOT NULL, size_in INTEGER NOT NULL, size_out INTEGER NOT NULL,
    digest TEXT NOT NULL, arguments TEXT, consents TEXT
);
CREATE INDEX IF NOT EXISTS calls_by_time ON calls (time);
"""
_INSERT = f"INSERT INTO calls ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Entry:
    """One call: when, what, by whom, how it ended, how long, how large."""

    time: float
    tool: str
    toolset: str
    client: str
    transport: str
    outcome: str
    error_type: str | None
    seconds: float
    size_in: int
    size_out: int
    digest: str
    arguments: str | None = None
    consents: tuple[Mapping[str, Any], ...] = ()

    def row(self) -> tuple[Any, ...]:
        values = asdict(self)
        values["consents"] = json.dumps(list(self.consents)) if self.consents else None
        return tuple(values[column] for column in _COLUMNS)


class Journal:
    """Opened lazily; a journal that cannot be written is reported once and stops nothing."""

    def __init__(self, path: Path, prepare: Callable[[], object] | None = None) -> None:
        """`prepare` makes the directory; without it, it is just made."""
        self.path = path
        self._prepare = prepare or (lambda: path.parent.mkdir(parents=True, exist_ok=True))
        self._queue: queue.SimpleQueue[Entry | threading.Event | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._broken = False

    def add(self, entry: Entry) -> None:
        if not self._ensure_writer():
            return
        self._queue.put(entry)
        if entry.consents:
            self.flush()

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until everything handed over so far is written."""
        if self._thread is None:
            return True
        written = threading.Event()
        self._queue.put(written)
        return written.wait(timeout)

    def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join(5.0)

    def recent(self, limit: int = 100, *, outcome: str | None = None) -> list[dict[str, Any]]:
        """The newest rows first."""
        self.flush()
        if not self.path.exists():
            return []
        where, values = ("WHERE outcome = ?", [outcome]) if outcome else ("", [])
        with contextlib.closing(self._connect()) as connection:
            connection.row_factory = sqlite3.Row
            query = f"SELECT * FROM calls {where} ORDER BY id DESC LIMIT ?"  # noqa: S608 - no user text in it
            return [dict(row) for row in connection.execute(query, [*values, limit])]

    def _ensure_writer(self) -> bool:
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    thread = threading.Thread(target=self._write_loop, name="journal", daemon=True)
                    try:
                        thread.start()
                    except RuntimeError as error:
                        self._report(error)
                        return False
                    self._thread = thread
        return True

    def _connect(self) -> sqlite3.Connection:
        self._prepare()
        return connect(self.path)

    def _write_loop(self) -> None:
        connection: sqlite3.Connection | None = None
        for batch, waiting, last in self._batches():
            try:
                if connection is None:
                    connection = self._connect()
                    connection.executescript(_SCHEMA)
                self._write(connection, batch)
            except (sqlite3.Error, OSError, RolltopError) as error:
                self._report(error)
            for event in waiting:
                event.set()
            if last:
                break
        if connection is not None:
            connection.close()

    def _batches(self) -> Iterator[tuple[list[Entry], list[threading.Event], bool]]:
        while True:
            items = [self._queue.get()]
            if isinstance(items[0], Entry):
                time.sleep(0.02)  # let a burst gather: one transaction for many rows
            with contextlib.suppress(queue.Empty):
                while len(items) < 1000:
                    items.append(self._queue.get_nowait())
            entries = [item for item in items if isinstance(item, Entry)]
            events = [item for item in items if isinstance(item, threading.Event)]
            yield entries, events, any(item is None for item in items)

    def _write(self, connection: sqlite3.Connection, batch: Iterable[Entry]) -> None:
        rows = [entry.row() for entry in batch]
        if not rows:
            return
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(_INSERT, rows)
        newest = connection.execute("SELECT max(id) FROM calls").fetchone()[0]
        if newest % 1000 < len(rows):
            connection.execute("DELETE FROM calls WHERE id <= ?", [newest - KEEP_ROWS])
        connection.execute("COMMIT")

    def _report(self, error: Exception) -> None:
        if not self._broken:
            self._broken = True
            logger.warning("the journal %s cannot be written: %s", self.path.name, error)
