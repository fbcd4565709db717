"""Watch what the kernel's per-process limits cannot: all processes, all files together."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rolltop.confine.result import Reason

if TYPE_CHECKING:
    from rolltop.confine.process import Child

__all__ = ["Watch", "descendants", "disk_usage"]

_PAGE = os.sysconf("SC_PAGE_SIZE")


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
        self._next = now + max(self.interval, 20 * spent)
        return reason

    def _look(self) -> Reason | None:
        limits = self._child.limits
        if resident_memory(descendants(self._child.process.pid)) > limits.memory:
            return "memory"
        if self._child.writable and disk_usage(self._child.writable, limits.disk) > limits.disk:
            return "disk"
        return None


def descendants(pid: int) -> Iterator[int]:
    """The process and everything it started, in all pid namespaces below ours."""
    waiting = [pid]
    while waiting:
        pid = waiting.pop()
        yield pid
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as children:
                    waiting += [int(number) for number in children.read().split()]
        except OSError:
            continue


def resident_memory(pids: Iterable[int]) -> int:
    """Bytes held by the processes together; what several share (program text) is left out."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/statm") as statm:
                _, resident, shared, *_ = statm.read().split()
        except OSError:
            continue
        total += (int(resident) - int(shared)) * _PAGE
    return total


def disk_usage(directories: Iterable[Path], enough: int) -> int:
    """Bytes on disk below the directories; stops counting when it is more than `enough`."""
    total = 0
    waiting = [os.fspath(directory) for directory in directories]
    while waiting and total <= enough:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512 + 256
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
    return total
