"""A lease in PostgreSQL: an advisory lock of a session, which ends with the session."""

from __future__ import annotations

import threading
import zlib
from contextlib import suppress

import psycopg

__all__ = ["PostgresLease"]

_SPACE = int.from_bytes(b"RTOP", "big") & 0x7FFFFFFF

_TIMEOUTS = {
    "connect_timeout": 5,
    "tcp_user_timeout": 5000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
}
"""A server whose network was cut lets go after some seconds."""


class PostgresLease:
    """A `Lease` with a connection of its own. `what` names it among the leases of one database."""

    def __init__(self, url: str, what: str) -> None:
        self._url = url
        self._key = zlib.crc32(what.encode()) & 0x7FFFFFFF
        self._guard = threading.Lock()
        self._session: psycopg.Connection[tuple[bool]] | None = None
        self._held = False

    def held(self) -> bool:
        with self._guard:
            if self._session is not None:
                with suppress(psycopg.Error):
                    return self._asked(self._session)
                self._end()
            self._session = psycopg.connect(psycopg.conninfo.make_conninfo(self._url, **_TIMEOUTS), autocommit=True)
            return self._asked(self._session)

    def _asked(self, session: psycopg.Connection[tuple[bool]]) -> bool:
        """Whether the session has the lock; one that it has is not counted twice."""
        question = "SELECT true" if self._held else "SELECT pg_try_advisory_lock(%s, %s)"
        row = session.execute(question, () if self._held else (_SPACE, self._key)).fetchone()
        self._held = row is not None and row[0]
        return self._held

    def release(self) -> None:
        with self._guard:
            self._end()

    def _end(self) -> None:
        self._held = False
        if self._session is not None:
            with suppress(psycopg.Error):
                self._session.close()
            self._session = None
