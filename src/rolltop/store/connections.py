"""Connections to a SQLite file that several threads and several processes use at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from rolltop.files.holding import again_within, is_frozen

__all__ = ["Connections", "briefly", "connected"]

_SECONDS = 60
_BRIEFLY = 1


def connected(
    path: Path, pragmas: Sequence[str], prepare: Callable[[apsw.Connection], object] = lambda _: None
) -> apsw.Connection:
    """A connection in WAL mode that waits a minute for other processes; `prepare` does what else it needs.

    Where nothing can be written, it only reads: nobody else can write there either.
    """
    if _is_frozen(path):
        return _frozen(path)
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(_SECONDS * 1000)

    def to_wal() -> None:
        connection.execute("PRAGMA journal_mode = WAL").fetchall()

    try:
        # Going over to WAL asks for a lock that SQLite does not wait for: of several processes that make a file
        # together, all but one fail at once.
        again_within(_SECONDS, to_wal, busy=lambda error: isinstance(error, apsw.BusyError))
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").fetchall()
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_frozen(path: Path) -> bool:
    """Whether the file is there and can only be read, and nothing waits in a log beside it."""
    return is_frozen(path) and _size(path) > 0 and not _size(path.with_name(path.name + "-wal"))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _frozen(path: Path) -> apsw.Connection:
    return apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


@contextmanager
def briefly(connection: apsw.Connection) -> Iterator[None]:
    """What is done meanwhile waits for other processes a second and not a minute."""
    connection.set_busy_timeout(_BRIEFLY * 1000)
    try:
        yield
    finally:
        connection.set_busy_timeout(_SECONDS * 1000)


class Connections:
    """One for each thread that asks. That of a thread that has ended is given to the next one: threads come and go
    for as long as a server runs, and there are never more connections than threads at one time."""

    def __init__(self, make: Callable[[], apsw.Connection]) -> None:
        self._make = make
        self._local = threading.local()
        self._guard = threading.Lock()
        self._all: list[apsw.Connection] = []
        self._free: list[apsw.Connection] = []

    @property
    def mine(self) -> apsw.Connection:
        """This thread's."""
        lease: _Lease | None = getattr(self._local, "lease", None)
        if lease is None:
            lease = self._local.lease = _Lease(self._taken(), self._free)
        return lease.connection

    def _taken(self) -> apsw.Connection:
        while self._free:
            try:
                connection = self._free.pop()
            except IndexError:  # another thread was faster
                break
            if not connection.in_transaction:
                return connection
            with self._guard:
                self._all.remove(connection)
            connection.close()  # its thread died in the middle of something
        connection = self._make()
        with self._guard:
            self._all.append(connection)
        return connection

    def close(self) -> None:
        """Close all of them; who asks after that gets a new one."""
        with self._guard:
            connections, self._all, self._free = self._all, [], []
        for connection in connections:
            connection.close()
        self._local = threading.local()


class _Lease:
    """Held by one thread, and dropped by the interpreter when that thread ends."""

    __slots__ = ("_free", "connection")

    def __init__(self, connection: apsw.Connection, free: list[apsw.Connection]) -> None:
        self.connection, self._free = connection, free

    def __del__(self) -> None:
        self._free.append(self.connection)
