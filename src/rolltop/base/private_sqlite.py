"""SQLite files that rolltop's processes share and other users cannot read."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from rolltop.base.locks import retry_within

__all__ = ["connect"]

_PATIENCE = 10.0


def connect(path: Path, seconds: float = _PATIENCE) -> sqlite3.Connection:
    """Open a database in WAL mode, readable by its owner alone, waiting `seconds` for others at most.

    Transactions are the caller's (autocommit).
    """
    with contextlib.suppress(FileExistsError):
        # SQLite would let others read it; what it makes beside the file has the file's permissions.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=seconds, isolation_level=None, check_same_thread=False)
    # SQLite itself does not wait for the lock that this needs.
    retry_within(seconds, lambda: connection.execute("PRAGMA journal_mode=WAL"), busy=_is_busy)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _is_busy(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
