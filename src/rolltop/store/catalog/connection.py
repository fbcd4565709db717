"""Connections to the catalogue's SQLite file: one per thread, with the pragmas that durability needs."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from rolltop.errors import Conflict, Damaged, InvalidInput, PartMissing, RolltopError
from rolltop.store.catalog.row_checksums import seal
from rolltop.store.catalog.schema import FORMAT, SCHEMA
from rolltop.store.globs import glob_matches
from rolltop.store.sqlite.connections import Connections, briefly, connected
from rolltop.store.sqlite.memory_copy import InMemory

__all__ = ["Database", "Row"]

Row = tuple[Any, ...]

_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError)
"""How SQLite and its binding show that bytes of the file are not what they wrote."""

_CLOSED = (apsw.ConnectionClosedError, apsw.CursorClosedError)
"""Another thread has closed what this one was using."""


class Database:
    """Runs statements on this thread's connection."""

    def __init__(self, path: Path, *, synchronous: str = "FULL") -> None:
        self.path = path
        self._synchronous = synchronous
        self._connections = Connections(self._open)
        self._closed = False
        self.damaged: set[int] = set()
        """Documents that answers have left out because their rows are not what was written."""
        self._prepare()

    def _prepare(self) -> None:
        with self._explained():
            if not self.all("SELECT 1 FROM sqlite_schema WHERE name = 'meta'"):
                self._create()
            found = self.value("SELECT value FROM meta WHERE key = 'format'")
        if found != FORMAT:
            raise PartMissing(
                f"the store has format {found}; this rolltop reads format {FORMAT}",
                hint="Open it with the version of rolltop that wrote it, or a newer one.",
            )

    def _create(self) -> None:
        with self.transaction():
            if self.all("SELECT 1 FROM sqlite_schema WHERE name = 'meta'"):
                return  # another process was faster
            for statement in SCHEMA.split(";\n"):
                if statement.strip():
                    self.run(statement)
            rows = [("format", FORMAT), ("store", uuid.uuid4().hex), ("change", 0), ("epoch", 0)]
            self.many("INSERT INTO meta VALUES(?, ?)", rows)
            self.run("INSERT INTO packs VALUES(1, 0)")

    @property
    def connection(self) -> apsw.Connection:
        return self._connections.mine

    def _open(self) -> apsw.Connection:
        if self._closed:
            raise _was_closed()
        pragmas = (
            f"synchronous = {self._synchronous}",
            "secure_delete = ON",
            "cache_size = -16000",
            "temp_store = MEMORY",
            "wal_autocheckpoint = 2000",
        )
        connection = connected(self.path, pragmas)
        connection.create_scalar_function("glob_matches", _glob, 2, deterministic=True)
        connection.create_scalar_function("seal", seal, -1, deterministic=True)
        return connection

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        try:
            self.connection.execute(sql, values)
        except _CLOSED:
            raise _was_closed() from None
        except UnicodeEncodeError:
            raise _not_unicode() from None

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self.connection.executemany(sql, rows)

    def all(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        try:
            return self.connection.execute(sql, values).fetchall()
        except _DAMAGE as error:
            raise _damaged(error) from error
        except _CLOSED:
            raise _was_closed() from None
        except UnicodeEncodeError:
            raise _not_unicode() from None

    def one(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        try:
            return self.connection.execute(sql, values).fetchone()
        except _DAMAGE as error:
            raise _damaged(error) from error
        except _CLOSED:
            raise _was_closed() from None
        except UnicodeEncodeError:
            raise _not_unicode() from None

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        row = self.one(sql, values)
        return None if row is None else row[0]

    @property
    def in_transaction(self) -> bool:
        return self.connection.in_transaction

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside, or nothing."""
        with self._explained():
            if isinstance(self.connection, InMemory):
                raise apsw.FullError("database or disk is full")
            self.run("BEGIN IMMEDIATE")
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                if self.in_transaction:
                    self.run("ROLLBACK")
                raise

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part of a transaction that can fail alone."""
        self.run("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.run("ROLLBACK TO part")
            self.run("RELEASE part")
            raise
        self.run("RELEASE part")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several reads that see one state."""
        if self.in_transaction:
            yield
            return
        self.run("BEGIN")
        try:
            yield
        finally:
            self.run("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except RolltopError:
            raise
        except _DAMAGE as error:
            raise _damaged(error) from error
        except apsw.BusyError as error:
            raise Conflict("another process has kept the catalogue locked for a minute", hint="Try again.") from error

    def damage(self, most: int) -> list[str]:
        """What SQLite finds wrong with the file."""
        if isinstance(connection := self.connection, InMemory):
            return connection.damage(most)
        return [row[0] for row in self.all(f"PRAGMA integrity_check({most})")]

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file, if nobody is in the way: somebody may be reading for long."""
        with briefly(self.connection), suppress(apsw.BusyError):
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def close(self) -> None:
        """For good: what is asked after that is refused."""
        self._closed = True
        self._connections.close()


def _was_closed() -> Conflict:
    return Conflict("the store has been closed", hint="Open it again, and close it when nobody uses it any more.")


def _damaged(error: Exception) -> Damaged:
    return Damaged(
        f"the catalogue is damaged: {error}",
        hint="Run `rolltop store verify`; restore the directory from a copy or an export.",
    )


def _not_unicode() -> InvalidInput:
    return InvalidInput(
        "a tag, a label, a value or a pattern holds bytes that are not UTF-8", hint="Write it in UTF-8."
    )


def _glob(*values: Any) -> bool:
    return glob_matches(str(values[0]), str(values[1]))
