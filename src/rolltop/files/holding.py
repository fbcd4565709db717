"""What whoever changes files together with other processes needs of the operating system."""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["again_within", "flush_directory", "is_frozen", "locked_within"]

_LONGEST_PAUSE = 0.05


def locked_within(descriptor: int, seconds: float) -> bool:
    """Take the only lock on an open file or directory, waiting at most so long for others; closing it lets go."""
    for last in _tries(seconds):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if last:
                break
    return False


def again_within(seconds: float, action: Callable[[], object], *, busy: Callable[[Exception], bool]) -> None:
    """Do something that fails at once while others are at it, until it works or the time is over."""
    for last in _tries(seconds):
        try:
            action()
            return
        except Exception as error:
            if last or not busy(error):
                raise


def _tries(seconds: float) -> Iterator[bool]:
    """Pauses between tries; true for the one that is the last."""
    until = time.monotonic() + seconds
    pause = 0.001
    while time.monotonic() < until:
        yield False
        time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads the waiters, hides nothing
        pause = min(pause * 2, _LONGEST_PAUSE)
    yield True


def flush_directory(directory: Path) -> None:
    """Have the names in a directory on the disk: a file that was renamed is there after a crash too."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_frozen(place: Path) -> bool:
    """Whether it lies on a file system that cannot be written: what is there stays as it is."""
    try:
        return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    except OSError:
        return False
