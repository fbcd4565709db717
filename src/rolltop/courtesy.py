"""Background work that lets answers go first.

Python runs one thread at a time. A search takes a few milliseconds and lets go of the interpreter dozens of times,
for every read and every look into an index; where another thread is busy, it waits at each of these. So whoever works
in the background asks, between one document and the next, whether anybody is being answered, and waits until they are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["answering", "give_way", "politely", "waiting"]

T = TypeVar("T")

LONGEST = 0.25
"""Seconds to give way at most, and then work for some of them: those who ask without a pause get slower answers rather
than old ones."""

SHARE = 0.5
"""So much of the time that it has waited, the background then works whoever asks."""


class _Counter:
    """How many are being answered. There is one interpreter, so there is one of these."""

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
    answering = 0
    busy_until = 0.0


_asking = _Counter()
_own = _Own()


@contextmanager
def answering() -> Iterator[None]:
    """While somebody waits for an answer that this thread makes."""
    _own.answering += 1
    _asking.add(1)
    try:
        yield
    finally:
        _asking.add(-1)
        _own.answering -= 1


@contextmanager
def waiting() -> Iterator[None]:
    """While the answer waits for the background itself, which must then go on."""
    count = _own.answering
    _own.answering = 0
    _asking.add(-count)
    try:
        yield
    finally:
        _asking.add(count)
        _own.answering = count


def give_way() -> None:
    """Wait while somebody is being answered; not in a thread that is answering itself."""
    if not _asking.now or _own.answering:
        return
    begun = time.monotonic()
    if begun >= _own.busy_until:
        _asking.wait(begun + LONGEST)
        now = time.monotonic()
        _own.busy_until = now + SHARE * (now - begun)


def politely(things: Iterable[T]) -> Iterator[T]:
    """One thing after the other, giving way before each."""
    for thing in things:
        give_way()
        yield thing
