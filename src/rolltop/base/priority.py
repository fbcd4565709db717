"""Background work yields to foreground requests.

Python runs one thread at a time. A search takes a few milliseconds and releases the interpreter dozens of times, at
every read and every index look-up; while another thread is busy it waits at each of them. So background work checks
between two documents whether a request is being served, and waits until it is done.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["serving_request", "waiting_for_background", "yield_to_requests", "yielding_to_requests"]

T = TypeVar("T")

LONGEST = 0.25
"""Seconds that background work yields at most before it runs for a while: under constant load requests get slower
rather than the indexes older."""

SHARE = 0.5
"""Share of the time it yielded that background work then runs, whatever is being served."""


class _Counter:
    """How many requests are being served. There is one interpreter, so there is one of these."""

    def __init__(self) -> None:
        self.now = 0
        self._changed = threading.Condition()

    def add(self, count: int) -> None:
        with self._changed:
            self.now += count
            if not self.now:
                self._changed.notify_all()

    def wait(self, until: float) -> None:
        with self._changed:
            while self.now and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)


class _Own(threading.local):
    requests = 0
    busy_until = 0.0


_requests = _Counter()
_own = _Own()


@contextmanager
def serving_request() -> Iterator[None]:
    """Mark this thread as serving a request."""
    _own.requests += 1
    _requests.add(1)
    try:
        yield
    finally:
        _requests.add(-1)
        _own.requests -= 1


@contextmanager
def waiting_for_background() -> Iterator[None]:
    """Mark this thread's request as waiting for background work, which must then not yield to it."""
    count = _own.requests
    _own.requests = 0
    _requests.add(-count)
    try:
        yield
    finally:
        _requests.add(count)
        _own.requests = count


def yield_to_requests() -> None:
    """Wait while a request is being served; return at once in a thread that serves one itself."""
    if not _requests.now or _own.requests:
        return
    begun = time.monotonic()
    if begun >= _own.busy_until:
        _requests.wait(begun + LONGEST)
        now = time.monotonic()
        _own.busy_until = now + SHARE * (now - begun)


def yielding_to_requests(items: Iterable[T]) -> Iterator[T]:
    """Iterate over `items`, yielding to requests before each."""
    for item in items:
        yield_to_requests()
        yield item
