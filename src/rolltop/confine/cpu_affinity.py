"""A short job runs on the processor on which its caller waits: to wake another one takes longer than the job.

While one thread waits for one worker, both stay on the thread's processor: one sleeps when the other runs. A worker
that has not answered after a moment may run anywhere again, and several that work at a time always do.
"""

from __future__ import annotations

import os
from contextlib import suppress

from rolltop.confine.kernel.process import libc
from rolltop.confine.worker_factory import Worker

__all__ = ["MOMENT", "Near", "roam"]

MOMENT = 0.002
"""Seconds that a worker is given to answer from nearby."""
_POSSIBLE = hasattr(os, "sched_setaffinity") and hasattr(libc, "sched_getcpu")


class Near:
    """While this is entered, the thread and a worker that works alone are on the same processor.

    A class, as a generator for it would cost as much as what it saves.
    """

    __slots__ = ("_alone", "_before", "_worker")

    def __init__(self, worker: Worker, *, alone: bool) -> None:
        self._worker, self._alone = worker, alone
        self._before: set[int] | None = None

    def __enter__(self) -> None:
        if not self._alone or not _POSSIBLE:
            roam(self._worker)
            return
        everywhere = os.sched_getaffinity(0)
        here = libc.sched_getcpu()
        if len(everywhere) > 1 and here in everywhere and _bring(self._worker, here, everywhere):
            self._before = everywhere
            os.sched_setaffinity(0, {here})

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            with suppress(OSError):  # processors that are gone by now
                os.sched_setaffinity(0, self._before)


def _bring(worker: Worker, here: int, everywhere: set[int]) -> bool:
    """Let a worker run only here; whether that is so now."""
    if worker.near is not None and worker.near[0] == here:
        return True
    try:
        os.sched_setaffinity(worker.pid, {here})
    except OSError:  # it has ended, or the system does not let us: it runs where it runs
        return False
    worker.near = here, everywhere
    return True


def roam(worker: Worker) -> None:
    """Let a worker run wherever it might before it was brought near."""
    if worker.near is not None:
        with suppress(OSError):
            os.sched_setaffinity(worker.pid, worker.near[1])
        worker.near = None
