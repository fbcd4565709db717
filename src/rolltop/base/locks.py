"""Wait for other processes, with a limit: file locks, and actions that fail while somebody else is at it."""

from __future__ import annotations

import fcntl
import random
import time
from collections.abc import Callable, Iterator

__all__ = ["lock_within", "retry_within"]

_LONGEST_PAUSE = 0.05


def lock_within(descriptor: int, seconds: float) -> bool:
    """Take an exclusive lock on an open file or directory; False if others still hold it after `seconds`.

    Closing the descriptor releases the lock.
    """
    for last in _tries(seconds):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if last:
                break
    return False


def retry_within(seconds: float, action: Callable[[], object], *, busy: Callable[[Exception], bool]) -> None:
    """Repeat `action` while it fails with an error that `busy` recognises, for at most `seconds`."""
    for last in _tries(seconds):
        try:
            action()
            return
        except Exception as error:
            if last or not busy(error):
                raise


def _tries(seconds: float) -> Iterator[bool]:
    """Sleep between tries; yields True before the last one."""
    until = time.monotonic() + seconds
    pause = 0.001
    while time.monotonic() < until:
        yield False
        time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads the waiters, hides nothing
        pause = min(pause * 2, _LONGEST_PAUSE)
    yield True
