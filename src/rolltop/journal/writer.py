"""`Journal`: hand over rows without waiting, read them back."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from rolltop.journal.database import GROUPS, Entry, Retention, insert, is_damage, open_database, select

__all__ = ["Journal"]

logger = logging.getLogger("rolltop.journal")

_GATHER = 0.05
"""Seconds that rows gather before one transaction writes them, unless somebody waits for one."""
_RETRY = 1.0
"""Seconds before rows that could not be written are tried again."""
_MOST_WAITING = 10_000
"""Rows that wait for a journal that cannot be written; beyond them the oldest are dropped."""


class _Item(NamedTuple):
    """A row to write, and who waits for it."""

    entry: Entry | None
    written: Future[bool] | None


class Journal:
    """Opened at the first call. A journal that cannot be written is reported once and stops nothing."""

    def __init__(
        self, path: Path, prepare: Callable[[], object] | None = None, retention: Retention | None = None
    ) -> None:
        """`prepare` makes the directory; the default just makes it."""
        self.path = path
        self.retention = retention or Retention()
        self._prepare = prepare or (lambda: path.parent.mkdir(parents=True, exist_ok=True))
        self._queue: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._is_awaited = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._broken = False

    # Writing

    def add(self, entry: Entry) -> Future[bool]:
        """Hand over a row; never waits. The future becomes true when it is on disk, false when it was given up."""
        written: Future[bool] = Future()
        self._hand_over(entry, written)
        return written

    def add_unheard(self, entry: Entry) -> None:
        """The same for a row that nobody waits for; a future would cost as much as the rest."""
        self._hand_over(entry, None)

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until everything handed over so far is written or given up. Not for the event loop."""
        if self._thread is None:
            return True
        try:
            flushed: Future[bool] = Future()
            self._hand_over(None, flushed)
            flushed.result(timeout)
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        """Write what is left, for at most a few seconds."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            self._is_awaited.set()
            thread.join(5.0)

    def _hand_over(self, entry: Entry | None, written: Future[bool] | None) -> None:
        if written is not None:
            written.set_running_or_notify_cancel()  # whoever stops waiting does not take the row back
        if self._ensure_writer():
            self._queue.put(_Item(entry, written))
            if written is not None:
                self._is_awaited.set()
        elif written is not None:
            written.set_result(False)

    def _ensure_writer(self) -> bool:
        if self._thread is None or not self._thread.is_alive():
            with self._lock:
                if self._thread is None or not self._thread.is_alive():
                    thread = threading.Thread(target=self._write_loop, name="journal", daemon=True)
                    try:
                        thread.start()
                    except RuntimeError as error:
                        self._report(error)
                        return False
                    self._thread = thread
        return True

    def _write_loop(self) -> None:
        waiting: list[_Item] = []
        connection: sqlite3.Connection | None = None
        for arrived, last in self._batches(waiting):
            waiting += arrived
            try:
                connection = connection or self._open()
                insert(connection, [item.entry for item in waiting if item.entry is not None], self.retention)
            except Exception as error:
                # Whatever it was: the next attempt begins with a new connection, and this thread goes on.
                self._failed(connection, error)
                connection = None
                _give_up(waiting, everything=last)
            else:
                self._works_again()
                _settle(waiting, True)
            if last:
                break
        if connection is not None:
            connection.close()

    def _batches(self, waiting: Sequence[_Item]) -> Iterator[tuple[list[_Item], bool]]:
        """What arrived, together; nothing, after a while, as long as rows wait to be tried again."""
        while True:
            items: list[_Item | None] = []
            with contextlib.suppress(queue.Empty):
                items.append(self._queue.get(timeout=_RETRY if waiting else None))
                if items[0] is not None:
                    self._is_awaited.wait(_GATHER)
                    self._is_awaited.clear()
                while len(items) < 1000:
                    items.append(self._queue.get_nowait())
            yield [item for item in items if item is not None], None in items

    def _open(self) -> sqlite3.Connection:
        self._prepare()
        return open_database(self.path)

    def _failed(self, connection: sqlite3.Connection | None, error: Exception) -> None:
        self._report(error)
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()  # rolls back
        if is_damage(error):
            self._set_aside()

    def _set_aside(self) -> None:
        """Begin a new journal beside a damaged one."""
        aside = f".damaged-{int(time.time())}"
        for end in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                os.rename(f"{self.path}{end}", f"{self.path}{aside}{end}")
        logger.warning("the journal is damaged and was set aside as %s%s", self.path.name, aside)

    def _report(self, error: Exception) -> None:
        if not self._broken:
            self._broken = True
            logger.warning("the journal %s cannot be written: %s", self.path.name, error)

    def _works_again(self) -> None:
        if self._broken:
            self._broken = False
            logger.warning("the journal %s is written again", self.path.name)

    # Reading

    def recent(
        self,
        limit: int = 100,
        *,
        outcome: str | None = None,
        tool: str | None = None,
        client: str | None = None,
        after: float | None = None,
        before: float | None = None,
        below: int | None = None,
        other_than: str | None = None,
    ) -> list[dict[str, Any]]:
        """The newest rows first; `after` and `before` are times, `below` is the id to page on from.

        `other_than` leaves out the rows of one client.
        """
        tests = {"outcome = ?": outcome, "tool = ?": tool, "client = ?": client, "client != ?": other_than}
        tests |= {"time >= ?": after, "time < ?": before, "id < ?": below}  # type: ignore[dict-item]
        self.flush()
        return select(self.path, tests, "ORDER BY id DESC LIMIT ?", [limit])

    def get(self, number: int) -> dict[str, Any] | None:
        """The row with this id."""
        rows = select(self.path, {"id = ?": number}, "")
        return rows[0] if rows else None

    def spans(self, after: float, *, other_than: str | None = None, limit: int = 10_000) -> list[dict[str, Any]]:
        """The newest calls since a time, without their texts: what plots and sums need."""
        self.flush()
        tests = {"time >= ?": after, "client != ?": other_than}
        columns = "time, tool, client, outcome, seconds, tokens_in, tokens_out"
        return select(self.path, tests, "ORDER BY id DESC LIMIT ?", [limit], columns)

    def since(self, number: int, limit: int = 500) -> list[dict[str, Any]]:
        """Rows with a greater id, the oldest first: what any process added since. Cheap enough to poll."""
        return select(self.path, {"id > ?": number}, "ORDER BY id LIMIT ?", [limit])

    def last_id(self) -> int:
        """The id of the newest row; 0 if there is none."""
        rows = select(self.path, {}, "ORDER BY id DESC LIMIT 1")
        return int(rows[0]["id"]) if rows else 0

    def totals(
        self,
        by: str = "tool",
        *,
        client: str | None = None,
        session: str | None = None,
        after: float | None = None,
        before: float | None = None,
    ) -> list[dict[str, Any]]:
        """Calls, failures, seconds, bytes and estimated tokens for each value of a column, the most tokens first."""
        if by not in GROUPS:
            raise ValueError(f"totals are by one of {', '.join(GROUPS)}")
        self.flush()
        columns = (
            f"{by}, count(*) AS calls, sum(outcome != 'ok') AS failures, sum(seconds) AS seconds, "
            "sum(size_in) AS size_in, sum(size_out) AS size_out, sum(tokens_in) AS tokens_in, "
            "sum(tokens_out) AS tokens_out, min(time) AS first, max(time) AS last"
        )
        tests = {"client = ?": client, "session = ?": session, "time >= ?": after, "time < ?": before}
        return select(self.path, tests, f"GROUP BY {by} ORDER BY sum(tokens_in + tokens_out) DESC", (), columns)


def _settle(items: list[_Item], written: bool) -> None:
    for item in items:
        if item.written is not None:
            item.written.set_result(written)
    items.clear()


def _give_up(waiting: list[_Item], *, everything: bool) -> None:
    """After a failure: rows wait for the next attempt, except what is too much; whoever only flushes is answered."""
    rows = [] if everything else [item for item in waiting if item.entry is not None][-_MOST_WAITING:]
    kept = set(map(id, rows))
    dropped = [item for item in waiting if id(item) not in kept]
    if (lost := sum(1 for item in dropped if item.entry is not None)) and not everything:
        logger.warning("the journal lost %d rows: it cannot be written", lost)
    _settle(dropped, False)
    waiting[:] = rows
