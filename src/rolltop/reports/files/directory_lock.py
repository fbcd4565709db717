"""Writers of one directory take turns, across threads and processes.

The lock is an advisory lock of the operating system on the directory itself: there is no lock file to
keep or to clean up, and the system releases it when its holder dies, however it dies.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rolltop.base.locks import lock_holder, lock_within
from rolltop.errors import Conflict
from rolltop.reports.files.atomic_files import disk_troubles

__all__ = ["turn"]


@contextmanager
def turn(directory: Path, *, patience: float = 10.0) -> Iterator[None]:
    """Hold the only right to change what lies in `directory`; `Conflict` when others do not let go of it."""
    with disk_troubles(directory.name):
        directory.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not lock_within(descriptor, patience):
            raise Conflict(
                f"{lock_holder(descriptor)} has been changing {directory.name} for more than {patience:g} s",
                hint="Nothing was changed. Try again when it has finished; end the process if it hangs.",
            )
        yield
    finally:
        os.close(descriptor)
