"""Which vectors belong to which document: a small SQLite file beside the vectors of one model."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import apsw

from rolltop.base.os_errors import is_write_error
from rolltop.store.sqlite.connections import Connections, connected

__all__ = ["Held", "Span", "Spans"]

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS state(key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS spans(document INTEGER PRIMARY KEY, content TEXT NOT NULL, first INTEGER NOT NULL, "
    "starts BLOB NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS spans_first ON spans(first)",
    "CREATE INDEX IF NOT EXISTS spans_content ON spans(content)",
)


@dataclass(frozen=True, slots=True)
class Span:
    """The passages of a document: their keys from `first` on, and where each begins in the text."""

    document: int
    content: str
    first: int
    starts: tuple[int, ...]

    @property
    def keys(self) -> range:
        return range(self.first, self.first + len(self.starts))


class Held(NamedTuple):
    """A passage by its key: of which document, with which content, from which character on."""

    key: int
    document: int
    content: str
    start: int


_START = array("i").itemsize


def _prepare(connection: apsw.Connection) -> None:
    connection.transaction_mode = "IMMEDIATE"
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'spans_content'").fetchone():
        with connection:
            for statement in _SCHEMA:
                connection.execute(statement)


class Spans:
    """Spans by document, by content and by key.

    `owner` says whose they are: those of another one are forgotten. None takes them as they are.
    """

    def __init__(self, path: Path, owner: str | None) -> None:
        self._path = path
        self._owner = owner
        self._connections = Connections(self._open)
        try:
            whole = owner is None or self._state("owner") == owner
        except (apsw.CorruptError, apsw.NotADBError):
            self._remove_files()
            whole = False
        if not whole:
            self.clear()

    @property
    def connection(self) -> apsw.Connection:
        return self._connections.mine

    def _open(self) -> apsw.Connection:
        return connected(self._path, ("synchronous = NORMAL", "secure_delete = ON"), _prepare)

    def _state(self, key: str) -> object:
        row = self.connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    @property
    def mark(self) -> int:
        """How far the catalogue's changes were followed."""
        found = self._state("mark")
        return found if isinstance(found, int) else 0

    def next_key(self) -> int:
        """A key that no vector ever had."""
        found = self._state("next")
        return found if isinstance(found, int) else 1

    def update(self, spans: Sequence[Span], removed: Iterable[int], *, mark: int, next_key: int) -> list[int]:
        """Replace and remove spans, all or nothing; the keys that belong to no document any more."""
        db = self.connection
        gone = [*removed, *(span.document for span in spans)]
        with db:
            old = [self.of(document) for document in gone]
            db.executemany("DELETE FROM spans WHERE document = ?", [(document,) for document in gone])
            rows = [(s.document, s.content, s.first, array("i", s.starts).tobytes()) for s in spans]
            db.executemany("INSERT INTO spans VALUES(?, ?, ?, ?)", rows)
            db.execute("INSERT OR REPLACE INTO state VALUES('mark', ?), ('next', ?)", (mark, next_key))
            orphans = [span for span in old if span is not None and not self._shared(span)]
        return [key for span in orphans for key in span.keys]

    def _shared(self, span: Span) -> bool:
        return bool(self.connection.execute("SELECT 1 FROM spans WHERE first = ? LIMIT 1", (span.first,)).fetchone())

    def of(self, document: int) -> Span | None:
        return self._one("document = ?", document)

    def of_each(self, documents: Sequence[int]) -> list[Span]:
        """The spans of those of some documents that have one, with text."""
        marks = ", ".join("?" * len(documents))
        return self._every(f"document IN ({marks}) AND first > 0", *documents)

    def with_content(self, content: str) -> Span | None:
        return self._one("content = ?", content)

    def _one(self, where: str, given: int | str) -> Span | None:
        found = self._every(where, given)
        return found[0] if found else None

    def _every(self, where: str, *given: int | str) -> list[Span]:
        rows = self.connection.execute(f"SELECT document, content, first, starts FROM spans WHERE {where}", given)  # noqa: S608
        return [Span(document, content, first, tuple(array("i", starts))) for document, content, first, starts in rows]

    def holding(self, keys: Sequence[int]) -> list[Held]:
        """The documents that have these passages, in the order of the keys; several, where content is the same."""
        rows = self.connection.execute(
            f"SELECT k.value, s.document, s.content, substr(s.starts, {_START} * (k.value - s.first) + 1, {_START}) "  # noqa: S608
            "FROM json_each(?) k CROSS JOIN spans s ON s.first = (SELECT max(first) FROM spans WHERE first <= k.value) "
            f"WHERE {_START} * (k.value - s.first) < length(s.starts) ORDER BY k.key",
            (json.dumps(keys),),
        )
        return [Held(key, document, content, array("i", start)[0]) for key, document, content, start in rows]

    def documents(self) -> int:
        """How many documents there are."""
        row = self.connection.execute("SELECT count(*) FROM spans").fetchone()
        return int(row[0]) if row else 0

    def with_text(self, among: Iterable[int] | None = None) -> int:
        """How many documents, or how many of some, have at least one vector."""
        which: str = ""
        given: tuple[str, ...] = ()
        if among is not None:
            which, given = " AND document IN (SELECT value FROM json_each(?))", (json.dumps(list(among)),)
        row = self.connection.execute(f"SELECT count(*) FROM spans WHERE first > 0{which}", given).fetchone()  # noqa: S608
        return int(row[0]) if row else 0

    def vectors(self) -> int:
        """How many vectors they have together."""
        counts = "SELECT DISTINCT first, length(starts) / 4 AS count FROM spans"
        row = self.connection.execute(f"SELECT coalesce(sum(count), 0) FROM ({counts})").fetchone()  # noqa: S608
        return int(row[0]) if row else 0

    def keys(self) -> set[int]:
        """Every key that belongs to a document."""
        rows = self.connection.execute("SELECT DISTINCT first, length(starts) / 4 FROM spans")
        return {key for first, count in rows for key in range(first, first + count)}

    def clear(self) -> None:
        """Forget everything, and follow the catalogue from its beginning."""
        with self.connection as db:
            db.execute("DELETE FROM spans")
            db.execute("INSERT OR REPLACE INTO state VALUES('mark', 0)")
            if self._owner is not None:
                db.execute("INSERT OR REPLACE INTO state VALUES('owner', ?)", (self._owner,))

    def purge(self) -> None:
        """Leave no trace of what was deleted."""
        self.connection.execute("VACUUM")
        self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def damage(self) -> list[str]:
        try:
            found = [row[0] for row in self.connection.execute("PRAGMA integrity_check(10)") if row[0] != "ok"]
        except apsw.Error as error:
            if is_write_error(error):
                raise
            found = [str(error)]
        return [f"index of meanings: {line}" for line in found]

    def _remove_files(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        self._connections.close()
