"""Pin a caller and its worker to one CPU for short jobs: waking another CPU takes longer than the job.

Only while a single job runs. A worker that has not answered after a moment is unpinned.
"""

from __future__ import annotations

import os
from contextlib import suppress

from rolltop.confine.kernel.process import libc
from rolltop.confine.worker_factory import Worker

__all__ = ["MOMENT", "SameCpu", "unpin"]

MOMENT = 0.002
"""Seconds that a worker stays pinned without an answer."""
_POSSIBLE = hasattr(os, "sched_setaffinity") and hasattr(libc, "sched_getcpu")


class SameCpu:
    """A context in which this thread and its worker share a CPU, if no other worker is busy.

    A class: a generator-based context manager would cost as much as pinning saves.
    """

    __slots__ = ("_alone", "_before", "_worker")

    def __init__(self, worker: Worker, *, alone: bool) -> None:
        self._worker, self._alone = worker, alone
        self._before: set[int] | None = None

    def __enter__(self) -> None:
        if not self._alone or not _POSSIBLE:
            unpin(self._worker)
            return
        everywhere = os.sched_getaffinity(0)
        here = libc.sched_getcpu()
        if len(everywhere) > 1 and here in everywhere and _pin(self._worker, here, everywhere):
            self._before = everywhere
            os.sched_setaffinity(0, {here})

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            with suppress(OSError):  # processors that are gone by now
                os.sched_setaffinity(0, self._before)


def _pin(worker: Worker, here: int, everywhere: set[int]) -> bool:
    """Pin a worker to this CPU; false when that is not possible."""
    if worker.pinned is not None and worker.pinned[0] == here:
        return True
    try:
        os.sched_setaffinity(worker.pid, {here})
    except OSError:  # it has ended, or the system does not let us: it runs where it runs
        return False
    worker.pinned = here, everywhere
    return True


def unpin(worker: Worker) -> None:
    """Let a worker use every CPU again."""
    if worker.pinned is not None:
        with suppress(OSError):
            os.sched_setaffinity(worker.pid, worker.pinned[1])
        worker.pinned = None
