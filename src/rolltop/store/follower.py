"""One thread brings every index up to date with the catalogue.

Indexes register a task each. A task runs soon after it is wanted, the first registered first; one that takes long asks
whether another presses and ends early. A task that fails is logged, keeps its error for whoever asks, and is tried
again after a pause; the others go on. Where several servers share indexes, one of them works for all (`Turn`); the
others take over what it has built.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from rolltop.base.priority import waiting_for_background

__all__ = ["Follower", "Pressing", "Task", "Turn"]

IDLE = 20.0
"""Seconds without work after which the thread ends."""

PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a task that failed is tried again, twice as long after each failure."""

ANOTHER_LOOK = 0.25
"""Seconds until this server looks again for what another one has built."""

Pressing = Callable[[], bool]
"""Whether to end early: something more urgent waits, or the library is being closed."""

NEVER = float("inf")

log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Task:
    """Keeps one index up to date."""

    name: str
    run: Callable[[Pressing], bool | None]
    """Works until there is nothing left, or something presses; False: there is more to do."""
    quiet: float = 0.0
    """Seconds without another change that it waits for, so that it does much at once."""
    latest: float = 0.0
    """Seconds after which it runs however many changes come."""
    crowded: Callable[[], bool] = lambda: False
    """Whether so much waits that it runs without a quiet moment."""
    turn: float = 0.0
    """Seconds that it runs before it gives way."""
    is_done: Callable[[], bool] = lambda: True
    """Whether its index knows every change; asked where another server may build it."""
    for_itself: bool = False
    """Whether every server does it for itself, also where one of them builds for all."""
    after_others: bool = False
    """Whether it is wanted whenever another task has run."""
    error: Exception | None = None
    """What kept it from following, last time."""
    first: float | None = None
    last: float = 0.0
    not_before: float = 0.0
    pause: float = 0.0

    def due(self, now: float) -> float:
        """When it is to run."""
        if self.first is None:
            return NEVER
        due = min(self.last + self.quiet, self.first + self.latest) if self.latest else self.first
        if due > now and self.latest:
            look = self.first + self.quiet
            due = look if now < look else now if self.crowded() else due
        return max(due, self.not_before)


class Turn(Protocol):
    """Decides which of several servers does the work."""

    def builds(self) -> bool:
        """Whether this server does it now."""

    def take_over(self) -> bool:
        """Fetch what the other one has built."""

    def release(self) -> None:
        """Let another server do it."""


class Follower:
    """Runs the tasks. The thread starts when there is something to do, and ends when there is not."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self._tasks: list[Task] = []
        self._changed = threading.Condition()
        self._busy: Task | None = None
        self._stopped = False
        self._thread: threading.Thread | None = None
        self.turn: Turn | None = None
        """Where servers share indexes: whose turn it is to build them."""
        self.resting: Callable[[], None] = lambda: None
        """Called when the thread ends for lack of work."""

    def add(self, task: Task) -> Task:
        self._tasks.append(task)
        return task

    def wanted(self, *tasks: Task) -> None:
        """There is something to do for these tasks."""
        if not self._enabled or self._stopped:
            return
        now = time.monotonic()
        with self._changed:
            for task in tasks:
                task.first = now if task.first is None else task.first
                task.last = now
            self._changed.notify_all()
            if not self._stopped and (self._thread is None or not self._thread.is_alive()):  # none in a forked child
                self._thread = threading.Thread(target=self._work, name="store-follower", daemon=True)
                self._thread.start()

    def settle(self, task: Task, seconds: float, hopeless: Callable[[], bool]) -> None:
        """Wait until a task has nothing left to do: so many seconds at most, and not where that is `hopeless`."""
        end = time.monotonic() + seconds
        with self._changed:
            while (task.first is not None or self._busy is task) and (left := end - time.monotonic()) > 0:
                if task.not_before > time.monotonic() or hopeless():
                    return
                with waiting_for_background():
                    self._changed.wait(left)

    def stop(self) -> None:
        """End the thread, after the step that it is at."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def join(self) -> None:
        with self._changed:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while (task := self._next()) is not None:
            self._attempt(task, partial(self._presses, task, time.monotonic()))

    def _next(self) -> Task | None:
        """Wait for a task that is due; None when the thread is to end."""
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                times = [(task.due(now), place) for place, task in enumerate(self._tasks)]
                for due, place in times:
                    if due <= now:
                        task = self._tasks[place]
                        self._busy, task.first = task, None
                        return task
                nearest = min(times)[0]
                if nearest == NEVER:
                    if not self._changed.wait(IDLE) and all(task.first is None for task in self._tasks):
                        self.resting()  # inside the lock: a thread that starts now must not find its readers ended
                        if all(task.first is None for task in self._tasks):
                            break
                elif not self._changed.wait(min(nearest - now, IDLE)) and nearest - now > IDLE:
                    self.resting()
            self._thread = None
        return None

    def _presses(self, task: Task, begun: float) -> bool:
        now = time.monotonic()
        if self._stopped or now < begun + task.turn:
            return self._stopped
        urgent = self._tasks[: self._tasks.index(task)]
        return any(other.first is not None and other.due(now) <= now for other in urgent)

    def _attempt(self, task: Task, pressing: Pressing) -> None:
        again = False
        try:
            again = not self._ran(task, pressing)
            task.error, task.pause = None, 0.0
        except Exception as error:
            again, task.error = True, error
            task.pause = min(2 * task.pause or PAUSE, LONGEST_PAUSE)
            task.not_before = time.monotonic() + task.pause
            log.warning("the %s could not follow the catalogue; next try in %g s: %r", task.name, task.pause, error)
        with self._changed:
            self._busy = None
            if again and task.first is None:
                task.first = task.last = time.monotonic()
            self._changed.notify_all()

    def _ran(self, task: Task, pressing: Pressing) -> bool:
        """Run a task, or take over what another server has done for it; whether nothing is left to do."""
        if self.turn is None or task.for_itself or self.turn.builds():
            done = task.run(pressing) is not False
            if not task.after_others and not task.for_itself:
                self.wanted(*(other for other in self._tasks if other.after_others))
            return done
        self.turn.take_over()
        task.not_before = time.monotonic() + ANOTHER_LOOK
        return task.after_others or task.is_done()
