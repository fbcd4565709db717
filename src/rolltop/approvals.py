"""Approvals: questions to the owner that any process of the workspace can answer.

A call that needs a human writes a request into one SQLite file and waits; the page of any server process of the
workspace lists it and records a decision; the call goes on. Decisions that hold for a session are kept here too, so
that the page can show them and take them back. A page says with `announce` that somebody can see it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rolltop.base.private_sqlite import connect
from rolltop.errors import InvalidInput, NotFound, RolltopError

__all__ = ["DECISIONS", "Approval", "Approvals", "Remembered"]

logger = logging.getLogger("rolltop.approvals")

DECISIONS = ("once", "effect", "tool", "deny")
"""Allow this call; allow this exact effect, or this tool, for the session; deny."""
FRESH = 20.0
"""Seconds that an announcement of a page counts; announce every few seconds."""
REMEMBERED = 12 * 3600.0
"""Seconds that a decision for a session is kept at most."""
HISTORY = 7 * 86400.0
"""Seconds that requests stay listed."""
_POLL = (0.02, 0.05, 0.1, 0.2)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL, action TEXT NOT NULL,
    effect TEXT NOT NULL, details TEXT NOT NULL, arguments TEXT NOT NULL, principal TEXT, client TEXT NOT NULL,
    transport TEXT NOT NULL, digest TEXT NOT NULL, created REAL NOT NULL, expires REAL NOT NULL,
    parked INTEGER NOT NULL DEFAULT 0, decision TEXT, who TEXT, decided REAL, used REAL, withdrawn REAL
);
CREATE INDEX IF NOT EXISTS requests_by_change ON requests (seq);
CREATE INDEX IF NOT EXISTS requests_by_effect ON requests (session, tool, digest);
CREATE TABLE IF NOT EXISTS counter (seq INTEGER NOT NULL);
INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM counter);
CREATE TABLE IF NOT EXISTS pages (page TEXT PRIMARY KEY, address TEXT NOT NULL, seen REAL NOT NULL);
CREATE TABLE IF NOT EXISTS remembered (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL, decision TEXT NOT NULL,
    who TEXT NOT NULL, created REAL NOT NULL, expires REAL NOT NULL, UNIQUE (session, tool, digest)
);
"""
_COLUMNS = (
    "id, seq, session, tool, action, effect, details, arguments, principal, client, transport, digest, created, "
    "expires, decision, who, decided, used, withdrawn"
)


@dataclass(frozen=True, slots=True)
class Approval:
    """One request. `arguments` are masked; `details` are lines that name everything concerned."""

    id: str
    seq: int
    session: str
    tool: str
    action: str
    effect: str
    details: tuple[str, ...]
    arguments: Mapping[str, Any]
    principal: str | None
    client: str
    transport: str
    digest: str
    created: float
    expires: float
    decision: str | None
    who: str | None
    decided: float | None
    used: float | None
    withdrawn: float | None

    @property
    def state(self) -> str:
        """`pending`, `allowed`, `denied`, `withdrawn` (the caller gave up) or `expired`."""
        if self.decision is not None:
            return "denied" if self.decision in ("deny", "cancel") else "allowed"
        if self.withdrawn is not None:
            return "withdrawn"
        return "pending" if self.expires > time.time() else "expired"

    def shown(self) -> dict[str, Any]:
        """For JSON; without the session, which is nobody's business."""
        fields = asdict(self) | {"details": list(self.details), "arguments": dict(self.arguments), "state": self.state}
        del fields["session"]
        return fields


@dataclass(frozen=True, slots=True)
class Remembered:
    """A decision that holds for a session: for a tool, or for one effect of it (`digest`)."""

    id: str
    tool: str
    digest: str
    decision: str
    who: str
    created: float
    expires: float


class Approvals:
    """One per process; safe in threads. The file is made when first something is written."""

    def __init__(self, path: Path, prepare: Callable[[], object] | None = None) -> None:
        """`prepare` makes the directory; without it, it is just made."""
        self.path = path
        self._prepare = prepare or (lambda: path.parent.mkdir(parents=True, exist_ok=True))
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._unsaved: dict[tuple[str, str, str], str] = {}

    def close(self) -> None:
        with self._reading, self._writing:
            for connection in (self._reader, self._writer):
                if connection is not None:
                    connection.close()
            self._reader = self._writer = None

    # For the page ---------------------------------------------------------------------------------

    def announce(self, page: str, address: str) -> None:
        """A human can be asked at `address` now. `page` is any name that the announcer keeps."""
        with self._changing() as connection:
            connection.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", [page, address, time.time()])

    def leave(self, page: str) -> None:
        """That page is closed."""
        if self.path.exists():
            with self._changing() as connection:
                connection.execute("DELETE FROM pages WHERE page = ?", [page])

    def pending(self) -> list[Approval]:
        """What waits for a decision, the oldest first."""
        where = "decision IS NULL AND withdrawn IS NULL AND expires > ? ORDER BY created, id"
        return self._select(where, [time.time()])

    def recent(self, limit: int = 100) -> list[Approval]:
        """All requests, the newest first."""
        return self._select("1 ORDER BY created DESC, id LIMIT ?", [limit])

    def since(self, seq: int) -> tuple[list[Approval], int]:
        """What changed after `seq`, and the number to ask with next."""
        changed = self._select("seq > ? ORDER BY seq", [seq])
        return changed, changed[-1].seq if changed else seq

    async def changed(self, seq: int, seconds: float) -> int:
        """Wait until something changed after `seq`, at most `seconds`; the newest number."""
        until = time.monotonic() + seconds
        await asyncio.to_thread(self._newest)  # opening the file may take a moment
        for pause in _pauses():
            newest = self._newest()
            if newest > seq or time.monotonic() >= until:
                return newest
            await asyncio.sleep(pause)
        raise AssertionError

    def get(self, request_id: str) -> Approval:
        found = self._select("id = ?", [request_id])
        if not found:
            raise NotFound(f"there is no request {request_id!r}", hint="It may be older than a week.")
        return found[0]

    def remembered(self) -> list[Remembered]:
        """Decisions that hold for a session still, the newest first."""
        query = (
            "SELECT id, tool, digest, decision, who, created, expires FROM remembered WHERE expires > ? "
            "ORDER BY created DESC"
        )
        return [Remembered(*row) for row in self._read(query, [time.time()])]

    def forget(self, request_id: str) -> bool:
        """Take back a decision that holds for a session; False when there is none."""
        if not self.path.exists():
            return False
        with self._changing() as connection:
            return connection.execute("DELETE FROM remembered WHERE id = ?", [request_id]).rowcount > 0

    # For calls, and the page's answer -------------------------------------------------------------

    def decide(self, request_id: str, decision: str, who: str) -> bool:
        """Record a decision; False when it comes too late: decided before, withdrawn or expired."""
        if decision not in (*DECISIONS, "cancel"):
            raise InvalidInput(f"{decision!r} is no decision", hint=f"One of {', '.join(DECISIONS)}.")
        now = time.time()
        with self._changing() as connection:
            query = (
                "UPDATE requests SET decision = ?, who = ?, decided = ?, seq = ? "
                "WHERE id = ? AND decision IS NULL AND withdrawn IS NULL AND expires > ?"
            )
            bound = [decision, who, now, _next(connection), request_id, now]
            return connection.execute(query, bound).rowcount > 0

    def request(self, question: Mapping[str, Any], seconds: float) -> str:
        """Ask for a decision within `seconds`; an equal question that was parked is taken up again."""
        now = time.time()
        with self._changing() as connection:
            connection.execute("DELETE FROM requests WHERE created < ?", [now - HISTORY])
            if (request_id := self._adopt(connection, question, now + seconds)) is not None:
                return request_id
            request_id = secrets.token_urlsafe(12)
            row = {
                "id": request_id,
                "seq": _next(connection),
                **{name: question[name] for name in ("session", "tool", "action", "effect", "principal", "client")},
                "transport": question["transport"],
                "digest": question["digest"],
                "details": json.dumps(list(question["details"])),
                "arguments": json.dumps(question["arguments"]),
                "created": now,
                "expires": now + seconds,
            }
            places = ", ".join(f":{name}" for name in row)
            connection.execute(f"INSERT INTO requests ({', '.join(row)}) VALUES ({places})", row)  # noqa: S608
        return request_id

    def _adopt(self, connection: sqlite3.Connection, question: Mapping[str, Any], expires: float) -> str | None:
        found = connection.execute(
            "SELECT id FROM requests WHERE session = ? AND tool = ? AND digest = ? AND parked AND used IS NULL "
            "AND withdrawn IS NULL AND expires > ? ORDER BY created DESC LIMIT 1",
            [question["session"], question["tool"], question["digest"], time.time()],
        ).fetchone()
        if found is None:
            return None
        connection.execute("UPDATE requests SET parked = 0, expires = ? WHERE id = ?", [expires, found[0]])
        return str(found[0])

    def park(self, request_id: str) -> None:
        """The call ends and is made again with the client's answer: the next equal request takes this one up."""
        with self._changing() as connection:
            connection.execute("UPDATE requests SET parked = 1 WHERE id = ?", [request_id])

    def withdraw(self, request_id: str) -> None:
        """Nobody waits for the answer any more."""
        with self._changing() as connection:
            connection.execute(
                "UPDATE requests SET withdrawn = ?, seq = ? WHERE id = ? AND decision IS NULL AND withdrawn IS NULL",
                [time.time(), _next(connection), request_id],
            )

    def take(self, request_id: str) -> tuple[str, str] | None:
        """The decision and who made it, once."""
        with self._changing() as connection:
            return connection.execute(  # type: ignore[no-any-return]
                "UPDATE requests SET used = ?, seq = ? WHERE id = ? AND decision IS NOT NULL AND used IS NULL "
                "RETURNING decision, who",
                [time.time(), _next(connection), request_id],
            ).fetchone()

    async def decided(self, request_id: str) -> None:
        """Wait for a decision. Looks at the file now and then, so that it may come from any process."""
        for pause in _pauses():
            if self._read("SELECT 1 FROM requests WHERE id = ? AND decision IS NOT NULL", [request_id]):
                return
            await asyncio.sleep(pause)

    def page_address(self) -> str | None:
        """Where a human can be asked now."""
        query = "SELECT address FROM pages WHERE seen > ? ORDER BY seen DESC LIMIT 1"
        found = self._read(query, [time.time() - FRESH])
        return str(found[0][0]) if found else None

    def recall(self, session: str, tool: str, digest: str) -> str | None:
        """What was decided for this session: `allow`, `deny` or nothing; a refusal wins."""
        query = "SELECT decision FROM remembered WHERE session = ? AND tool = ? AND digest IN (?, '') AND expires > ?"
        kept = {row[0] for row in self._read(query, [session, tool, digest, time.time()])}
        kept |= {self._unsaved[key] for key in ((session, tool, digest), (session, tool, "")) if key in self._unsaved}
        return "deny" if "deny" in kept else "allow" if kept else None

    def remember(self, session: str, tool: str, digest: str, decision: str, who: str) -> None:
        """Keep a decision for the session. A refusal that cannot be written is kept by this process."""
        key = (session, tool, "" if decision == "tool" else digest)
        kept = "deny" if decision == "deny" else "allow"
        now = time.time()
        try:
            with self._changing() as connection:
                connection.execute("DELETE FROM remembered WHERE expires < ?", [now])
                row = [secrets.token_urlsafe(12), *key, kept, who, now, now + REMEMBERED]
                connection.execute("INSERT OR REPLACE INTO remembered VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        except (sqlite3.Error, OSError, RolltopError) as error:
            logger.warning("a decision for a session cannot be written: %s", error)
            self._unsaved[key] = kept

    # ----------------------------------------------------------------------------------------------

    def _select(self, rest: str, values: list[Any]) -> list[Approval]:
        rows = self._read(f"SELECT {_COLUMNS} FROM requests WHERE {rest}", values)  # noqa: S608 - no user text in it
        names = _COLUMNS.split(", ")
        return [_approval(dict(zip(names, row, strict=True))) for row in rows]

    def _newest(self) -> int:
        rows = self._read("SELECT seq FROM counter", [])
        return int(rows[0][0]) if rows else 0

    def _read(self, query: str, values: list[Any]) -> list[Any]:
        """Rows; none while there is no file. Never waits for a writer: the event loop reads too."""
        if self._reader is None and not self.path.exists():
            return []
        with self._reading:
            if self._reader is None:
                self._reader = connect(self.path)
            try:
                return self._reader.execute(query, values).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):  # another process is just making the file
                    return []
                raise

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._writing:
            if self._writer is None:
                self._prepare()
                connection = connect(self.path)
                connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
                self._writer = connection
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
            except BaseException:
                self._writer.execute("ROLLBACK")
                raise
            self._writer.execute("COMMIT")


def _approval(row: dict[str, Any]) -> Approval:
    return Approval(**row | {"details": tuple(json.loads(row["details"])), "arguments": json.loads(row["arguments"])})


def _next(connection: sqlite3.Connection) -> int:
    """The number of the next change; only inside a transaction that writes."""
    return int(connection.execute("UPDATE counter SET seq = seq + 1 RETURNING seq").fetchall()[0][0])


def _pauses() -> Iterator[float]:
    yield from _POLL
    while True:
        yield _POLL[-1]
