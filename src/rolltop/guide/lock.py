"""One writer at a time, across threads and processes.

The lock is an advisory lock of the operating system on a file beside the one that it protects: the
system releases it when its holder dies, however it dies, so there is no such thing as a stale lock.
The lock file itself stays: removing it would let two writers hold locks on two different files.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rolltop.base.locks import lock_within
from rolltop.guide.errors import ConfigUnwritable

__all__ = ["exclusive", "in_turn"]

_threads: dict[str, threading.Lock] = {}
_threads_guard = threading.Lock()


@contextmanager
def in_turn(path: Path, *, deadline: float = 5.0) -> Iterator[bool]:
    """Wait for the other threads of this process that want the lock file `path`; false where that took too long."""
    queue = _thread_lock(path)  # a waiter wakes at once, which one in another process cannot
    mine = queue.acquire(timeout=deadline)
    try:
        yield mine
    finally:
        if mine:
            queue.release()


@contextmanager
def exclusive(path: Path, *, deadline: float = 5.0) -> Iterator[None]:
    """Hold the lock file `path` in this process, in its turn, waiting at most `deadline` seconds for others."""
    descriptor = _open(path)
    try:
        if not lock_within(descriptor, deadline):
            raise _busy(path, deadline)
        yield
    finally:
        os.close(descriptor)


def _thread_lock(path: Path) -> threading.Lock:
    with _threads_guard:
        return _threads.setdefault(str(path), threading.Lock())


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise ConfigUnwritable(f"the lock file {path} cannot be opened: {error.strerror}") from None


def _busy(path: Path, deadline: float) -> ConfigUnwritable:
    return ConfigUnwritable(
        f"another process has held {path.name} for more than {deadline:g} s",
        hint="Try again; if it lasts, look for a stopped rolltop process.",
    )
