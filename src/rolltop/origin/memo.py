"""`Memo`: answers of pure work by the hash of everything that decides them."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rolltop.base.private_sqlite import connect

__all__ = ["Memo"]

logger = logging.getLogger("rolltop.origin")
T = TypeVar("T")

_PATIENCE = 0.2
"""Seconds to wait for another process; an answer that is not kept costs only the time to make it again."""
_PRUNE_EVERY = 64
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer BLOB NOT NULL, kept REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (kept);
"""


class Memo:
    """A bounded cache in one SQLite file. What goes wrong with it is the same as an empty one."""

    def __init__(self, path: Path, *, largest: int = 4 << 20, limit: int = 256 << 20) -> None:
        self.path = path
        self.largest, self.limit = largest, limit
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._puts = 0

    def get(self, key: str) -> bytes | None:
        def find(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute("SELECT answer FROM answers WHERE key = ?", [key]).fetchone()
            return bytes(row[0]) if row is not None else None

        return self._try(find)

    def put(self, key: str, answer: bytes) -> None:
        if len(answer) > self.largest:
            return

        def keep(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", [key, answer, time.time()])
            self._puts += 1
            if self._puts % _PRUNE_EVERY == 1:
                self._prune(connection)

        self._try(keep)

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _prune(self, connection: sqlite3.Connection) -> None:
        """Drop the oldest until nine tenths of the limit are left."""
        held = connection.execute("SELECT coalesce(sum(length(answer)), 0) FROM answers").fetchone()[0]
        while held > self.limit * 0.9:
            rows = connection.execute("SELECT key, length(answer) FROM answers ORDER BY kept LIMIT 100").fetchall()
            connection.executemany("DELETE FROM answers WHERE key = ?", [[key] for key, _ in rows])
            held -= sum(size for _, size in rows)

    def _try(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = connect(self.path, _PATIENCE)
                    self._connection.executescript(_SCHEMA)
                return work(self._connection)
            except (sqlite3.Error, OSError) as error:
                logger.debug("the memory of answers is left out: %s", error)
                self._drop()
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                    self._begin_anew()
                return None

    def _begin_anew(self) -> None:
        for end in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                os.unlink(f"{self.path}{end}")

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
