"""A SQLite file as it is now, in memory: for reading where there is no room for what SQLite writes beside it.

In WAL mode even a reader needs the `-shm` file beside the database, which all who have it open share. Nobody can make
it on a full disk. SQLite does without it where one process has the file alone ("unix-excl"): it then locks the file as
nobody else can, because whoever has a file open in WAL mode holds a lock that all of them share. So there are two
cases. Another process has the file open: then its `-shm` is there, and the file can be opened as always. Or nobody has:
then the lock is ours, what we read is what was committed last, and who comes meanwhile waits. A server cannot keep
that lock, others would have to wait for it; so the file is copied into memory and the lock given back at once. A copy
is good as long as the file and its log are as they were, and is given up as soon as the file can be opened again.
Reading the file with `immutable=1` and no lock would not do: another process may move its log into it meanwhile.
"""

from __future__ import annotations

import itertools
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw

from rolltop.base.atomic_files import is_read_only
from rolltop.base.os_errors import NO_SHARED_MEMORY, is_write_error

__all__ = ["InMemory", "InUse", "forget_copy", "in_memory", "lacks_room"]

AGAIN = 1.0
"""Seconds after which it is tried again to open the file itself."""
_PATIENCE = 1000
"""Milliseconds to wait for others who copy the file too; somebody who has it open for long has made room."""

_guard = threading.Lock()
_names = itertools.count(1)


class InUse(apsw.BusyError):
    """Another process has the file open: it can be opened as always."""


def lacks_room(error: BaseException) -> bool:
    """Whether a file could not be opened because there is no space for what belongs to it."""
    return isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) in NO_SHARED_MEMORY


class InMemory(apsw.Connection):
    """A connection to the copy of a file."""

    def __init__(self, copy: _Copy) -> None:
        super().__init__(copy.address, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI)
        self.set_busy_timeout(_PATIENCE)
        self._copy = copy
        self._until = time.monotonic() + AGAIN

    @property
    def is_past(self) -> bool:
        """Whether it is time to ask for another connection: never in the middle of something."""
        if self.in_transaction:
            return False
        return time.monotonic() > self._until or _stamp(self._copy.path) != self._copy.stamp

    def damage(self, most: int) -> list[str]:
        """What is wrong with the file itself: a copy is in order."""
        with _alone(self._copy.path) as file:
            return [row[0] for row in file.execute(f"PRAGMA integrity_check({most})")]


class _Copy:
    """One copy, which all threads share. It lives as long as `_keeper`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.address = f"file:/rolltop-{next(_names)}?vfs=memdb"
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
        self._keeper = apsw.Connection(self.address, flags)
        self.stamp = _stamp(path)
        if self.stamp is not None:
            with _alone(path) as file:
                self.stamp = _stamp(path)
                file.execute("VACUUM INTO ?", (self.address,))
            # Closing may have moved the log into the file, which holds the same then.
            self.stamp = _stamp(path)


_copies: dict[Path, _Copy] = {}


def in_memory(path: Path, *, disposable: bool = False) -> InMemory | None:
    """A connection to what a file holds; None where it holds nothing.

    What is `disposable` may be written to, for this process alone, and may be begun from nothing.
    """
    path = path.absolute()
    with _guard:
        stamp = _stamp(path)
        if stamp is None and not disposable:
            return None
        copy = _copies.get(path)
        if copy is None or copy.stamp != stamp:
            copy = _copies[path] = _Copy(path)
    connection = InMemory(copy)
    if not disposable:
        connection.execute("PRAGMA query_only = ON")
    return connection


def forget_copy(path: Path) -> None:
    """The file itself can be opened again: its copy lives as long as somebody reads from it."""
    if _copies:
        with _guard:
            _copies.pop(path.absolute(), None)


_Stamp = tuple[tuple[int, int, int], ...]


def _stamp(path: Path) -> _Stamp | None:
    """What is another after each change; None where there is no file, or an empty one."""
    found = []
    for name in (path, path.with_name(f"{path.name}-wal")):
        try:
            status = os.stat(name)
        except FileNotFoundError:
            continue
        if status.st_size:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found) or None


@contextmanager
def _alone(path: Path) -> Iterator[apsw.Connection]:
    """A connection to a file that nobody else has open; `InUse` where somebody has."""
    if is_read_only(path):
        with _thawed(path) as connection:
            yield connection
        return
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(str(path), flags, vfs="unix-excl")
    try:
        connection.set_busy_timeout(_PATIENCE)
        connection.execute("PRAGMA temp_store = MEMORY")
        try:
            connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
        except apsw.BusyError:
            raise InUse(f"{path} is open elsewhere") from None
        yield connection
    finally:
        _closed(connection)


def _closed(connection: apsw.Connection) -> None:
    """The log is moved into the file on the way, as far as there is room; else it stays as it is."""
    try:
        connection.close()
    except apsw.Error as error:
        if not is_write_error(error):
            raise


@contextmanager
def _thawed(path: Path) -> Iterator[apsw.Connection]:
    """The same on a file system that cannot be written, of a file whose log was not moved into it."""
    with TemporaryDirectory(prefix="rolltop-") as place:
        there = Path(place, path.name)
        for suffix in ("", "-wal"):
            shutil.copyfile(path.with_name(path.name + suffix), there.with_name(there.name + suffix))
        connection = apsw.Connection(str(there), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI)
        try:
            yield connection
        finally:
            connection.close()
