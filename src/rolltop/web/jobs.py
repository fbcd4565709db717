"""Long calls of the page: each runs in the background, reports its progress, and can be cancelled."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from mcp_core.context import Progress
from rolltop.web.backend import Outcome

__all__ = ["Job", "Jobs"]

MOST = 50
"""Jobs that are remembered; the oldest finished ones are forgotten first."""
LINES = 200
"""Lines of progress that a job keeps."""


@dataclass
class Job:
    """One call. `about` says what it works on; `outcome` is there when it has ended."""

    id: str
    about: str
    started: float = field(default_factory=time.time)
    lines: list[str] = field(default_factory=list)
    outcome: Outcome | None = None
    seconds: float = 0.0
    task: asyncio.Task[None] | None = None

    @property
    def state(self) -> str:
        """`running`, `done`, `failed` or `cancelled`."""
        if self.outcome is None:
            return "running"
        if self.outcome.ok:
            return "done"
        return "cancelled" if self.outcome.error == CANCELLED else "failed"

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        if message and (not self.lines or self.lines[-1] != message):
            self.lines.append(message)
            del self.lines[:-LINES]

    def as_dict(self) -> dict[str, Any]:
        outcome = self.outcome
        return {
            "id": self.id,
            "about": self.about,
            "state": self.state,
            "seconds": round(self.seconds or time.time() - self.started, 1),
            "lines": list(self.lines),
            "error": outcome.error if outcome else None,
            "hint": outcome.hint if outcome else None,
        }


CANCELLED = "It was cancelled."


class Jobs:
    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def start(self, about: str, call: Callable[[Progress], Awaitable[Outcome]]) -> Job:
        """Run `call` in the background; it gets the function that takes its progress."""
        job = Job(secrets.token_urlsafe(9), about)
        self._jobs[job.id] = job
        self._forget()
        job.task = asyncio.create_task(self._run(job, call))
        return job

    def get(self, number: str, about: str) -> Job | None:
        job = self._jobs.get(number)
        return job if job is not None and job.about == about else None

    def running(self, about: str) -> Job | None:
        """The job that works on this now."""
        return next((job for job in self._jobs.values() if job.about == about and job.outcome is None), None)

    async def cancel(self, job: Job) -> None:
        """End a job and wait until it has ended."""
        if job.task is not None:
            job.task.cancel()
            await asyncio.wait([job.task])

    async def _run(self, job: Job, call: Callable[[Progress], Awaitable[Outcome]]) -> None:
        try:
            job.outcome = await call(job.progress)
        except asyncio.CancelledError:
            job.outcome = Outcome(error=CANCELLED)
        except Exception as error:  # a defect: the page that shows the job must not wait for ever
            job.outcome = Outcome(error=f"It failed because of a defect in rolltop: {error}")
            raise
        finally:
            job.seconds = time.time() - job.started

    def _forget(self) -> None:
        ended = [number for number, job in self._jobs.items() if job.outcome is not None]
        for number in ended[: max(0, len(self._jobs) - MOST)]:
            del self._jobs[number]
