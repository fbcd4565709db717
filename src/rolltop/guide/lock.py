"""One writer at a time, across threads and processes.

The lock is an advisory lock of the operating system on a file beside the one that it protects. The system releases it
when its holder dies, so no lock is ever stale. The lock file stays: removing it would let two writers hold locks on two
different files.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rolltop.base.locks import lock_holder, lock_within
from rolltop.guide.errors import ConfigUnwritable

__all__ = ["exclusive", "in_turn"]

_threads: dict[str, threading.Lock] = {}
_threads_guard = threading.Lock()


@contextmanager
def in_turn(path: Path, *, deadline: float = 5.0) -> Iterator[bool]:
    """Wait for other threads of this process that want the lock file `path`; yields False if that took too long."""
    queue = _thread_lock(path)  # a waiter wakes at once, which one in another process cannot
    mine = queue.acquire(timeout=deadline)
    try:
        yield mine
    finally:
        if mine:
            queue.release()


@contextmanager
def exclusive(path: Path, *, deadline: float = 5.0) -> Iterator[None]:
    """Hold the lock file `path`, waiting at most `deadline` seconds for other processes."""
    descriptor = _open(path)
    try:
        if not lock_within(descriptor, deadline):
            raise _busy(path, deadline, lock_holder(descriptor))
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


def _busy(path: Path, deadline: float, holder: str) -> ConfigUnwritable:
    return ConfigUnwritable(
        f"{holder} has held {path.name} for more than {deadline:g} s",
        hint="Try again when it has finished. End the process if it hangs; the lock ends with it.",
    )
