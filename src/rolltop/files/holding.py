"""What whoever changes files together with other processes needs of the operating system."""

from __future__ import annotations

import fcntl
import os
import random
import time
from pathlib import Path

__all__ = ["flush_directory", "locked_within"]

_LONGEST_PAUSE = 0.05


def locked_within(descriptor: int, seconds: float) -> bool:
    """Take the only lock on an open file or directory, waiting at most so long for others; closing it lets go."""
    until = time.monotonic() + seconds
    pause = 0.001
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
        time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads the waiters, hides nothing
        pause = min(pause * 2, _LONGEST_PAUSE)


def flush_directory(directory: Path) -> None:
    """Have the names in a directory on the disk: a file that was renamed is there after a crash too."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
