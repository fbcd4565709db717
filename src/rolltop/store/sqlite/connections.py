"""Connections to a SQLite file that several threads and several processes use at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

import apsw

from rolltop.base.atomic_files import is_read_only
from rolltop.base.locks import retry_within
from rolltop.errors import Conflict
from rolltop.store.sqlite.memory_copy import InMemory, InUse, forget_copy, in_memory, lacks_room

__all__ = ["Connections", "briefly", "connected"]

_SECONDS = 60
_BRIEFLY = 1


def connected(
    path: Path,
    pragmas: Sequence[str],
    prepare: Callable[[apsw.Connection], object] = lambda _: None,
    *,
    disposable: bool = False,
) -> apsw.Connection:
    """A connection in WAL mode that waits a minute for other processes; `prepare` does what else it needs.

    Where nothing can be written, it only reads; see `copies`. What is `disposable` is then kept in memory.
    """
    if is_read_only(path.parent):
        return _frozen(path, prepare, disposable=disposable)
    found: list[apsw.Connection] = []

    def attempt() -> None:
        try:
            found.append(_opened(path, pragmas, prepare))
            forget_copy(path)
        except apsw.Error as error:
            copy = in_memory(path, disposable=disposable) if lacks_room(error) else None
            if copy is None:
                raise
            found.append(_prepared(copy, prepare))

    retry_within(_SECONDS, attempt, busy=lambda error: isinstance(error, InUse))
    return found[0]


def _opened(path: Path, pragmas: Sequence[str], prepare: Callable[[apsw.Connection], object]) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(_SECONDS * 1000)

    def to_wal() -> None:
        connection.execute("PRAGMA journal_mode = WAL").fetchall()

    try:
        # Going over to WAL asks for a lock that SQLite does not wait for: of several processes that make a file
        # together, all but one fail at once.
        retry_within(_SECONDS, to_wal, busy=lambda error: isinstance(error, apsw.BusyError))
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").fetchall()
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepared(connection: apsw.Connection, prepare: Callable[[apsw.Connection], object]) -> apsw.Connection:
    try:
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _frozen(path: Path, prepare: Callable[[apsw.Connection], object], *, disposable: bool) -> apsw.Connection:
    """On a file system that cannot be written: nobody else can write there either."""
    if not _size(path) or _size(path.with_name(path.name + "-wal")):
        copy = in_memory(path, disposable=disposable)
        if copy is not None:
            return _prepared(copy, prepare)
    return apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


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
    for as long as a server runs, and there are never more connections than threads at one time.

    None is open while the process forks: SQLite's locks are those of one process, and a child that had them in memory
    alone would lose what it writes. Both sides open theirs anew when they next need one.
    """

    def __init__(self, make: Callable[[], apsw.Connection]) -> None:
        self._make = make
        self._local = threading.local()
        self._guard = threading.Lock()
        self._all: dict[int, apsw.Connection] = {}
        self._free: list[apsw.Connection] = []
        self._is_inherited = False
        _everywhere.add(self)

    @property
    def mine(self) -> apsw.Connection:
        """This thread's."""
        lease: _Lease | None = getattr(self._local, "lease", None)
        if lease is None or id(lease.connection) not in self._all:
            lease = self._local.lease = _Lease(self._taken(), self._free)
        if isinstance(lease.connection, InMemory) and lease.connection.is_past:
            lease.connection = self._replaced(lease.connection)
        return lease.connection

    def _replaced(self, old: InMemory) -> apsw.Connection:
        """Another one for a copy that may be out of date; who is still reading from that one goes on."""
        new = self._make()
        with self._guard:
            self._all.pop(id(old), None)
            self._all[id(new)] = new
        return new

    def _taken(self) -> apsw.Connection:
        if self._is_inherited:
            raise Conflict(
                "the process was forked while the store was being used, so this one cannot use it",
                hint="Fork when nothing is being read or written, or start processes that open the store themselves.",
            )
        while self._free:
            try:
                connection = self._free.pop()
            except IndexError:  # another thread was faster
                break
            if not connection.in_transaction:
                return connection
            with self._guard:
                self._all.pop(id(connection), None)
            connection.close()  # its thread died in the middle of something
        connection = self._make()
        with self._guard:
            self._all[id(connection)] = connection
        return connection

    def close(self) -> None:
        """Close all of them; who asks after that gets a new one."""
        with self._guard:
            connections, self._all, self._free = self._all, {}, []
        for connection in connections.values():
            connection.close()

    def before_fork(self) -> None:
        """Close those that nobody is using at this moment."""
        with self._guard:
            connections, self._free = list(self._all.values()), []
            for connection in connections:
                with suppress(apsw.ThreadingViolationError):
                    if not connection.in_transaction:
                        connection.close()
                        del self._all[id(connection)]

    def in_child(self) -> Collection[apsw.Connection]:
        """What is open still: it is the parent's, and may here neither be used nor closed."""
        self._guard = threading.Lock()
        inherited, self._all = self._all.values(), {}
        self._is_inherited = self._is_inherited or bool(inherited)
        return inherited


class _Lease:
    """Held by one thread, and dropped by the interpreter when that thread ends."""

    __slots__ = ("_free", "connection")

    def __init__(self, connection: apsw.Connection, free: list[apsw.Connection]) -> None:
        self.connection, self._free = connection, free

    def __del__(self) -> None:
        self._free.append(self.connection)


_everywhere: WeakSet[Connections] = WeakSet()
_never_closed: list[apsw.Connection] = []


def _before_fork() -> None:
    for each in list(_everywhere):
        each.before_fork()


def _in_child() -> None:
    for each in list(_everywhere):
        _never_closed.extend(each.in_child())


os.register_at_fork(before=_before_fork, after_in_child=_in_child)
