"""The journal's table: its columns, how it is opened and migrated, what it keeps, and how it is asked."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rolltop.base.private_sqlite import connect
from rolltop.base.secrets import mask_json, mask_text
from rolltop.errors import Damaged

__all__ = ["GROUPS", "LARGEST_ARGUMENTS", "Entry", "Retention", "insert", "is_damage", "open_database", "select"]

logger = logging.getLogger("rolltop.journal")

_BUSY = 5.0
"""Seconds that a transaction waits for other processes."""
_CHECK_EVERY = 1000
"""Rows after which the limits are enforced."""
LARGEST_ARGUMENTS = 1 << 16
"""Bytes of arguments that are looked at; more cannot be kept."""

_COLUMNS = {
    "time": "REAL NOT NULL",
    "tool": "TEXT NOT NULL",
    "toolset": "TEXT NOT NULL",
    "client": "TEXT NOT NULL",
    "transport": "TEXT NOT NULL",
    "outcome": "TEXT NOT NULL",
    "error_type": "TEXT",
    "seconds": "REAL NOT NULL",
    "size_in": "INTEGER NOT NULL",
    "size_out": "INTEGER NOT NULL",
    "digest": "TEXT NOT NULL",
    "arguments": "TEXT",
    "consents": "TEXT",
    # Added by version 2; a journal of version 1 gets them by ALTER TABLE, so they have defaults.
    "principal": "TEXT",
    "client_version": "TEXT NOT NULL DEFAULT ''",
    "session": "TEXT NOT NULL DEFAULT ''",
    "tokens_in": "INTEGER NOT NULL DEFAULT 0",
    "tokens_out": "INTEGER NOT NULL DEFAULT 0",
    "answer": "TEXT",
}
_TABLE = f"CREATE TABLE IF NOT EXISTS calls (id INTEGER PRIMARY KEY, {', '.join(map(' '.join, _COLUMNS.items()))})"
_INDEXES = [
    f"CREATE INDEX IF NOT EXISTS calls_by_{name} ON calls ({name})" for name in ("time", "tool", "client", "outcome")
]
_INSERT = f"INSERT INTO calls ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608
_VERSION = 2
GROUPS = ("tool", "toolset", "client", "principal", "session", "transport", "outcome", "error_type")
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Entry(NamedTuple):
    """One call: when, what, by whom, how it ended, how long, how large. `arguments` is JSON text, unmasked."""

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
    principal: str | None = None
    client_version: str = ""
    session: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Retention:
    """What the journal keeps. 0 days or megabytes: no such limit. `text`: characters of arguments and of answers."""

    rows: int = 200_000
    days: int = 90
    megabytes: int = 512
    text: int = 4_000


def open_database(path: Path) -> sqlite3.Connection:
    """Open the file, which is made if it is not there, with the table of this version."""
    connection = connect(path, _BUSY)
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] < _VERSION:
            _make_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def insert(connection: sqlite3.Connection, entries: Sequence[Entry], keep: Retention) -> None:
    """Write rows in one transaction, and enforce the limits now and then."""
    rows = [row for entry in entries if (row := _row(entry, keep.text)) is not None]
    if not rows:
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(_INSERT, rows)
    newest = connection.execute("SELECT max(id) FROM calls").fetchone()[0]
    if newest % _CHECK_EVERY < len(rows):
        _enforce_limits(connection, newest, keep)
    connection.execute("COMMIT")


def _row(entry: Entry, limit: int) -> tuple[Any, ...] | None:
    values = entry._asdict()
    try:
        values["consents"] = json.dumps(list(entry.consents)) if entry.consents else None
        values["arguments"] = None if entry.arguments is None else mask_json(entry.arguments)[:limit]
        values["answer"] = None if entry.answer is None else mask_text(entry.answer)[:limit]
        return tuple(_storable(value) for value in values.values())
    except Exception as error:  # a row that cannot be made must not hold up the others
        logger.warning("a call of %s is not in the journal: %s", entry.tool, error)
        return None


def _enforce_limits(connection: sqlite3.Connection, newest: int, keep: Retention) -> None:
    """Delete the oldest rows. The newest one always stays, so that ids never begin anew."""
    connection.execute("DELETE FROM calls WHERE id <= ? AND id < ?", [newest - keep.rows, newest])
    if keep.days:
        oldest = time.time() - keep.days * 86_400
        connection.execute("DELETE FROM calls WHERE time < ? AND id < ?", [oldest, newest])
    if keep.megabytes:
        first, used = connection.execute("SELECT min(id) FROM calls").fetchone()[0], _used(connection)
        if used > keep.megabytes << 20:
            # Rows are about as large as each other over time: this goes to nine tenths of the limit.
            part = 1 - 0.9 * (keep.megabytes << 20) / used
            connection.execute(
                "DELETE FROM calls WHERE id < ? AND id < ?", [first + int((newest - first + 1) * part) + 1, newest]
            )


def select(
    path: Path, tests: Mapping[str, Any], rest: str, values: Sequence[Any] = (), columns: str = "*"
) -> list[dict[str, Any]]:
    """Rows that pass the tests; a test whose value is None is left out. Nothing of a user's text is in the query."""
    if not path.exists():
        return []
    given = {test: value for test, value in tests.items() if value is not None}
    where = f"WHERE {' AND '.join(given)}" if given else ""
    try:
        with contextlib.closing(open_database(path)) as connection:
            connection.row_factory = sqlite3.Row
            query = f"SELECT {columns} FROM calls {where} {rest}"  # noqa: S608
            return [dict(row) for row in connection.execute(query, [*given.values(), *values])]
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        raise Damaged(f"the journal {path} is damaged", hint="Move it away; the next call begins a new one.") from None


def _make_tables(connection: sqlite3.Connection) -> None:
    """Make the table and its indexes, or bring one of an earlier version to this one."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_TABLE)
    there = {row[1] for row in connection.execute("PRAGMA table_info(calls)")}
    for name, kind in _COLUMNS.items():
        if name not in there:
            connection.execute(f"ALTER TABLE calls ADD COLUMN {name} {kind}")
    for index in _INDEXES:
        connection.execute(index)
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


def _used(connection: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _storable(value: Any) -> Any:
    """`value` as SQLite takes it: texts without surrogates, numbers of at most 64 bits, no NaN (it would be NULL)."""
    if value is None or (isinstance(value, float) and not math.isnan(value)):
        return value
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return value
    return str(value).encode("utf-8", "replace").decode("utf-8")


def is_damage(error: Exception) -> bool:
    """True if the file is no database, or not a whole one."""
    return isinstance(error, sqlite3.DatabaseError) and _code(error) in _DAMAGE


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
