"""SQLite files beside the catalogue that can be deleted and are then filled again."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw

from rolltop.base.atomic_files import is_read_only
from rolltop.base.os_errors import ignoring_write_errors, is_write_error
from rolltop.store.sqlite.connections import Connections, connected

__all__ = ["Sidecar", "alone", "copy_database"]

_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)


@contextmanager
def alone(lock: Path) -> Iterator[bool]:
    """Whether this process is the only one in the block now; never waits. A process that dies lets go."""
    try:
        file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if not is_write_error(error):
            raise
        yield True  # nobody else can write there either
        return
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            only = True
        except BlockingIOError:
            only = False
        yield only
    finally:
        os.close(file)


def copy_database(source: apsw.Connection, path: Path) -> None:
    """Copy one state of a database into a new file."""
    with closing(apsw.Connection(str(path))) as target:
        _copy(source, target)


def _copy(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as copying:
        while not copying.done:
            copying.step(-1)


class Sidecar:
    """One file, a connection per thread. `owner` ties it to one store and one way of filling it: a file of another
    one is started again, and so is a damaged one. `what` is what people call its contents."""

    def __init__(self, path: Path, schema: Sequence[str], owner: str, what: str) -> None:
        self.what = what
        self._path = path
        self._schema = schema
        self._owner = owner
        self._connections = Connections(self._open)
        with ignoring_write_errors() as refused:
            self._take_over()
        if refused:
            if not is_read_only(path.parent):
                raise refused[0]
            # What cannot be renewed is left alone: under a name that no file has, it is kept in memory.
            self.close()
            self._path = path.with_name(f"{path.name}.anew")

    def _take_over(self) -> None:
        try:
            if self.state("owner") != self._owner:
                self.renew()
        except _DAMAGE:
            self._from_nothing()

    @property
    def db(self) -> apsw.Connection:
        return self._connections.mine

    def _open(self) -> apsw.Connection:
        return connected(self._path, ("synchronous = NORMAL", "secure_delete = ON"), self._prepare, disposable=True)

    def _prepare(self, connection: apsw.Connection) -> None:
        # A deferred transaction that turns into a writer while another one writes fails at once; this one waits.
        connection.transaction_mode = "IMMEDIATE"
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'state'").fetchone():
            self._create(connection)

    def _create(self, connection: apsw.Connection) -> None:
        with connection:
            if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'state'").fetchone():
                return  # another process was faster
            for statement in self._schema:
                connection.execute(statement)
            connection.execute("CREATE TABLE state(key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID")
            connection.execute("INSERT INTO state VALUES('owner', ?)", (self._owner,))

    def clear(self) -> None:
        """Make the tables anew, in place: other processes may have the file open."""
        with self.db as db:
            for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                db.execute(f'DROP TABLE "{name}"')
        self._create(self.db)

    def renew(self) -> None:
        """Start again with a file of another store, or one that was filled in another way."""
        self.clear()

    def state(self, key: str) -> Any:
        """A value that was set, or None."""
        row = self.db.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_state(self, key: str, value: Any) -> None:
        self.db.execute("INSERT OR REPLACE INTO state VALUES(?, ?)", (key, value))

    @property
    def mark(self) -> int:
        """How far the catalogue's changes have been followed."""
        return int(self.state("mark") or 0)

    def follow_to(self, mark: int) -> None:
        self.set_state("mark", mark)

    # shared with other servers -------------------------------------------------------------------

    def copy_to(self, path: Path) -> None:
        """Copy one state of it into a file."""
        copy_database(self.db, path)

    def copy_from(self, path: Path) -> None:
        """Take the contents of a file over, in place: other processes may have this one open."""
        with closing(apsw.Connection(str(path))) as source:
            _copy(source, self.db)
        self.db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)  # what was there before is gone from the disk

    def purge(self) -> None:
        """Leave no trace of what was removed."""
        self.db.execute("VACUUM")
        self.db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def damage(self) -> list[str]:
        try:
            found = [row[0] for row in self.db.execute("PRAGMA integrity_check(10)") if row[0] != "ok"]
        except apsw.Error as error:
            if is_write_error(error):
                raise
            found = [str(error)]
        return [f"{self.what}: {line}" for line in found]

    def start_again(self) -> None:
        """Forget everything; it is filled again."""
        if self.damage():
            self._from_nothing()
        else:
            self.clear()

    def _from_nothing(self) -> None:
        """An empty file in place of a damaged one."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self.state("owner")

    def close(self) -> None:
        self._connections.close()
