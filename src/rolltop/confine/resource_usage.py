"""Watch what the kernel's per-process limits cannot: all processes, all files together."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rolltop.confine.kernel.process import descendants
from rolltop.confine.result import Reason

if TYPE_CHECKING:
    from rolltop.confine.process import Child

__all__ = ["Watch", "disk_usage", "proportional_memory", "resident_memory"]

_LONGEST_PAUSE = 1.0
"""Seconds; a program that makes looking dear must not make it rare."""


class Watch:
    """Looks every `interval` seconds, more seldom when looking is dear."""

    interval = 0.1

    def __init__(self, child: Child) -> None:
        self._child = child
        self._next = time.monotonic() + self.interval

    def exceeded(self) -> Reason | None:
        now = time.monotonic()
        if now < self._next:
            return None
        reason = self._look()
        spent = time.monotonic() - now
        self._next = now + max(self.interval, min(10 * spent, _LONGEST_PAUSE))
        return reason

    def _look(self) -> Reason | None:
        limits = self._child.limits
        pids = list(descendants(self._child.process.pid))
        # What forks share is counted for each of them at first: look closer before ending anything.
        if resident_memory(pids) > limits.memory and proportional_memory(pids) > limits.memory:
            return "memory"
        if self._child.writable and disk_usage(self._child.writable, limits.disk) > limits.disk:
            return "disk"
        return None


def resident_memory(pids: Iterable[int]) -> int:
    """Bytes held by the processes together, but for program files; what they share is counted for each."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as status:
            total += sum(int(line.split()[1]) for line in status if line.startswith(("RssAnon:", "RssShmem:"))) * 1024
    return total


def proportional_memory(pids: Iterable[int]) -> int:
    """Bytes held by the processes together, what they share counted once; dearer to find out."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as rollup:
                total += (
                    sum(int(line.split()[1]) for line in rollup if line.startswith(("Pss_Anon:", "Pss_Shmem:"))) * 1024
                )
        except OSError:
            total += resident_memory([pid])
    return total


def disk_usage(directories: Iterable[Path], enough: int) -> int:
    """Bytes on disk below the directories; stops counting when it is more than `enough`."""
    total = 0
    waiting = [os.fspath(directory) for directory in directories]
    while waiting and total <= enough:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512 + _PER_ENTRY
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:  # nests so deep to hide what lies below
                return enough + 1
    return total


_PER_ENTRY = 256
"""Bytes that a name itself takes."""
