"""Connections to SQLite files that several processes open at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from rolltop.files.holding import again_within

__all__ = ["briefly", "connected"]

_SECONDS = 60
_BRIEFLY = 1


def connected(path: Path, pragmas: Sequence[str]) -> apsw.Connection:
    """A connection in WAL mode that waits a minute for other processes."""
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
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def briefly(connection: apsw.Connection) -> Iterator[None]:
    """What is done meanwhile waits for other processes a second and not a minute."""
    connection.set_busy_timeout(_BRIEFLY * 1000)
    try:
        yield
    finally:
        connection.set_busy_timeout(_SECONDS * 1000)
