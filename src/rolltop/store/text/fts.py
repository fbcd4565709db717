"""A `TextIndex` on SQLite's FTS5, in its own file: it can be deleted and is then built again."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw

from rolltop.store.seams import TextHit, TextUnit
from rolltop.store.text.words import expression

__all__ = ["FtsIndex"]

_WEIGHTS = "4.0, 2.0, 3.0, 1.0"  # name, path, tags, body

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS state(key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID",
    "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(name, path, tags, body, content='', contentless_delete=1, "
    "tokenize='unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5vocab(words, row)",
    "INSERT INTO words(words, rank) VALUES('secure-delete', 1)",
)


class FtsIndex:
    """Keyword index. `store` ties it to one catalogue: an index of another one is emptied."""

    def __init__(self, path: Path, store: str) -> None:
        self._path = path
        self._store = store
        self._local = threading.local()
        self._all: list[apsw.Connection] = []
        try:
            self._belongs()
        except (apsw.CorruptError, apsw.NotADBError):
            self._start_again()

    def _belongs(self) -> None:
        row = self._db.execute("SELECT value FROM state WHERE key = 'store'").fetchone()
        if row != (self._store,):
            self.clear()

    @property
    def _db(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = apsw.Connection(str(self._path))
            self._all.append(connection)
            connection.set_busy_timeout(60_000)
            # A deferred transaction that turns into a writer while another one writes fails at once; this one waits.
            connection.transaction_mode = "IMMEDIATE"
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
            if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'terms'").fetchone():
                with connection:
                    for statement in _SCHEMA:
                        connection.execute(statement)
        return connection

    @property
    def mark(self) -> int:
        """How far the index has followed the catalogue's changes."""
        row = self._db.execute("SELECT value FROM state WHERE key = 'mark'").fetchone()
        return int(row[0]) if row else 0

    def update(self, units: Iterable[TextUnit], removed: Iterable[int], mark: int) -> None:
        """Replace some documents, forget others, and note how far this goes: all or nothing."""
        db = self._db
        with db:
            db.executemany("DELETE FROM words WHERE rowid = ?", [(number,) for number in removed])
            rows = [(u.document, u.name, u.path, " ".join(u.tags), u.body) for u in units]
            db.executemany("DELETE FROM words WHERE rowid = ?", [(row[0],) for row in rows])
            db.executemany("INSERT INTO words(rowid, name, path, tags, body) VALUES(?, ?, ?, ?, ?)", rows)
            db.execute("INSERT OR REPLACE INTO state VALUES('mark', ?)", (mark,))

    def search(self, query: str, *, limit: int, offset: int = 0) -> tuple[list[TextHit], int]:
        """Documents with all the words; where none has all, those with any. Better ones first, and how many."""
        return self._first_that_answers([expression(query, "AND"), expression(query, "OR")], limit, offset)

    def search_groups(
        self, groups: Sequence[Sequence[str]], *, limit: int, offset: int = 0
    ) -> tuple[list[TextHit], int]:
        """Documents with a word of each group; where there is none, those with a word of any group."""
        each = ["(" + " OR ".join(f'"{word}"' for word in group) + ")" for group in groups if group]
        asked = [" AND ".join(each)] if len(each) == len(groups) else []
        return self._first_that_answers([*asked, " OR ".join(each)], limit, offset)

    def _first_that_answers(self, asked: Sequence[str], limit: int, offset: int) -> tuple[list[TextHit], int]:
        for query in filter(None, asked):
            total = self._db.execute("SELECT count(*) FROM words WHERE words MATCH ?", (query,)).fetchone()
            if total and total[0]:
                rows = self._db.execute(
                    f"SELECT rowid, -bm25(words, {_WEIGHTS}) AS score FROM words WHERE words MATCH ? "  # noqa: S608
                    "ORDER BY score DESC, rowid LIMIT ? OFFSET ?",
                    (query, limit, offset),
                )
                return [TextHit(number, score) for number, score in rows], int(total[0])
        return [], 0

    def vocabulary(self) -> Iterable[str]:
        return (row[0] for row in self._db.execute("SELECT term FROM terms"))

    def clear(self) -> None:
        """Forget everything; the next catching-up builds it again."""
        with self._db as db:
            db.execute("INSERT INTO words(words) VALUES('delete-all')")
            db.execute("INSERT OR REPLACE INTO state VALUES('mark', 0), ('store', ?)", (self._store,))

    def purge(self) -> None:
        """Leave no trace of deleted words on disk."""
        db = self._db
        db.execute("INSERT INTO words(words) VALUES('optimize')")
        db.execute("VACUUM")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def damage(self) -> list[str]:
        try:
            found = [row[0] for row in self._db.execute("PRAGMA integrity_check(10)") if row[0] != "ok"]
            if not found:
                self._db.execute("INSERT INTO words(words, rank) VALUES('integrity-check', 0)")
        except apsw.Error as error:
            found = [str(error)]
        return [f"keyword index: {line}" for line in found]

    def rebuild(self) -> None:
        """Start from an empty file."""
        self._start_again()

    def _start_again(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._belongs()

    def close(self) -> None:
        connections, self._all = self._all, []
        for connection in connections:
            connection.close()
        self._local = threading.local()
