"""Writers of one directory take turns, across threads and processes.

The lock is an advisory lock of the operating system on the directory itself: there is no lock file to
keep or to clean up, and the system releases it when its holder dies, however it dies.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rolltop.errors import Conflict
from rolltop.reports.landing import disk_troubles

__all__ = ["turn"]

_LONGEST_PAUSE = 0.02


@contextmanager
def turn(directory: Path, *, patience: float = 10.0) -> Iterator[None]:
    """Hold the only right to change what lies in `directory`; `Conflict` when others do not let go of it."""
    with disk_troubles(directory.name):
        directory.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _take(descriptor, directory, patience)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, directory: Path, patience: float) -> None:
    until = time.monotonic() + patience
    pause = 0.001
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= until:
                raise Conflict(
                    f"others have been changing {directory.name} for more than {patience:g} s",
                    hint="Nothing was changed. Try again; if it lasts, look for a stopped rolltop process.",
                ) from None
        time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads the waiters, hides nothing
        pause = min(pause * 2, _LONGEST_PAUSE)
