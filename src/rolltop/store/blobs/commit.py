"""Group commit: calls that arrive while another is being written are written together, with one pair of syncs."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from rolltop.base.locks import lock_holder, lock_within
from rolltop.errors import Conflict
from rolltop.store.blobs.writer import Writer
from rolltop.store.seams import BlobStore, Catalog

__all__ = ["Committer", "FileLock"]

T = TypeVar("T")


_PAUSE = 0.004
"""Longest pause between two tries to get the lock: a commit takes a few milliseconds."""

_held_here = threading.local()
"""Which locks this thread has: to wait for one of them would be to wait for itself."""


def busy(holder: str, seconds: float) -> Conflict:
    """The error of a writer that waited too long."""
    return Conflict(
        f"nothing was written: {holder} has held the store's lock for more than {seconds:g} s",
        code="store_busy",
        hint="Try again when it has finished. End the process if it hangs; the lock ends with it. "
        "store.lock_seconds sets how long writers wait.",
    )


class FileLock:
    """One writer over all processes; the system releases it when a process dies.

    `seconds` limits how long `held` waits; None: as long as it takes.
    """

    def __init__(self, path: Path, seconds: float | None = None) -> None:
        self._path = path
        self.seconds = seconds

    @contextmanager
    def held(self) -> Iterator[None]:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        mine: set[tuple[int, int]] = _held_here.__dict__.setdefault("files", set())
        try:
            status = os.fstat(file)
            which = status.st_dev, status.st_ino
            if which in mine:
                raise Conflict(
                    "this thread is writing to the store already",
                    hint="Do it with the same Library, or when the transaction has ended.",
                )
            if self.seconds is None:
                fcntl.flock(file, fcntl.LOCK_EX)
            elif not lock_within(file, self.seconds, pause=_PAUSE):
                raise busy(lock_holder(file), self.seconds)
            mine.add(which)
            try:
                yield
            finally:
                mine.discard(which)
        finally:
            os.close(file)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Held together with others who share it; nobody has it alone meanwhile."""
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            yield  # where nothing can be written, nobody wants it alone
            return
        try:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield
        finally:
            os.close(file)

    @contextmanager
    def tried(self) -> Iterator[bool]:
        """Whether the lock could be had at once; it is held as long as the block runs."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(file)


class _Call:
    """A piece of work that waits to be written."""

    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[Writer], Any]) -> None:
        self.work = work
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None


class Committer:
    """Runs pieces of work inside durable transactions, one group at a time."""

    def __init__(
        self, catalog: Catalog, blobs: BlobStore, lock: FileLock, rolled_back: Callable[[], None] = lambda: None
    ) -> None:
        self._catalog = catalog
        self._rolled_back = rolled_back
        self._blobs = blobs
        self._lock = lock
        self._turn = threading.Lock()
        self._waiting: list[_Call] = []
        self._guard = threading.Lock()
        self._local = threading.local()

    def run(self, work: Callable[[Writer], T]) -> T:
        """The result of `work`, which is durable when this returns. Inside `work`, calls join its transaction."""
        if (writer := self._current()) is not None:
            return work(writer)
        call = _Call(work)
        with self._guard:
            self._waiting.append(call)
        self._take_turn(call)
        try:
            if not call.done:
                with self._guard:
                    group, self._waiting = self._waiting, []
                self._write(group, call)
        finally:
            self._turn.release()
        if call.error is not None:
            raise call.error
        return cast(T, call.result)

    def _take_turn(self, call: _Call) -> None:
        """Wait for the other threads, with the limit of the lock."""
        limit = self._lock.seconds
        if self._turn.acquire(timeout=-1 if limit is None else limit):
            return
        with self._guard:
            if call in self._waiting:
                self._waiting.remove(call)
                raise busy("this process", limit or 0.0)
        # Another thread is writing it now, and waits no longer than the limit itself: how that ends is the answer.
        self._turn.acquire()

    @property
    def active(self) -> bool:
        """Whether this thread is inside a transaction."""
        return self._current() is not None

    def _current(self) -> Writer | None:
        return getattr(self._local, "writer", None)

    def _write(self, group: list[_Call], own: _Call) -> None:
        committed = False

        def note_it() -> None:
            nonlocal committed
            committed = True

        try:
            with self.exclusive(note_it) as writer:
                for call in group:
                    self._part(call, writer)
        except Exception as error:
            for call in group:
                call.error = call.error or error
        except BaseException as error:
            # This thread is to end, the others are not: what is theirs is written in their turn.
            own.error, own.done = error, True
            if not committed:
                self._return([call for call in group if call is not own])
                return
        for call in group:
            call.done = True

    def _return(self, calls: list[_Call]) -> None:
        for call in calls:
            call.result = call.error = None
        with self._guard:
            self._waiting = [*calls, *self._waiting]

    def _part(self, call: _Call, writer: Writer) -> None:
        mark = writer.mark()
        try:
            with self._catalog.savepoint():
                call.result = call.work(writer)
                writer.flush()
        except Exception as error:
            # Only this call fails; the bytes it appended are given back.
            writer.rewind(mark)
            self._rolled_back()
            call.error = error

    @contextmanager
    def exclusive(self, committed: Callable[[], None] = lambda: None) -> Iterator[Writer]:
        """A transaction with the writer's lock: durable when `committed` is called, or when the block ends."""
        with self._lock.held():
            with self._catalog.transaction():
                writer = Writer(self._catalog, self._blobs)
                self._local.writer = writer
                try:
                    yield writer
                    writer.finish()
                except BaseException:
                    self._rolled_back()
                    raise
                finally:
                    self._local.writer = None
            committed()
            with suppress(OSError):  # what was committed is safe without this note
                self._blobs.acknowledge(self._catalog.reach())
