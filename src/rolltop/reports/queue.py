"""Who renders when: a few at a time, a bounded line behind them, and equal work done once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from rolltop.errors import Conflict, LimitExceeded
from rolltop.reports.job import Event, Rendered, Watcher

__all__ = ["RenderQueue"]


@dataclass(slots=True)
class _Flight:
    """One render that several callers may wait for; the last one to leave ends it."""

    task: asyncio.Task[Rendered]
    watchers: list[Watcher] = field(default_factory=list)
    ending: bool = False


class RenderQueue:
    """Runs at most `slots` renders at once, lets `waiting` more wait, and refuses the rest."""

    def __init__(self, slots: int, waiting: int) -> None:
        self.slots = slots
        self.waiting = waiting
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free = asyncio.Semaphore(slots)
        self._flights: dict[str, _Flight] = {}

    async def run(self, key: str, work: Callable[[Watcher], Awaitable[Rendered]], watch: Watcher) -> Rendered:
        """The result of `work`, or of equal work (same key) that is under way already."""
        self._belong_here()
        while (flight := self._flights.get(key)) is not None and flight.ending:
            await asyncio.wait([flight.task])  # whoever wanted it has left; it takes a moment to stop
        if flight is None:
            if len(self._flights) >= self.slots + self.waiting:
                raise LimitExceeded(
                    f"{len(self._flights)} renders are running or waiting already",
                    code="queue_full",
                    hint="Wait for one of them and try again, or raise queue in the [reports] settings.",
                )
            flight = self._take_off(key, work)
        flight.watchers.append(watch)
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.watchers.remove(watch)
            if not flight.watchers and not flight.task.done():
                flight.ending = True
                await _end(flight.task)

    def _belong_here(self) -> None:
        """What waits for a task waits in the loop that the task runs in."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._flights and self._loop is not None and not self._loop.is_closed():
                raise Conflict(
                    "another event loop is rendering with this Reports object",
                    hint="Make one for every loop; they may share their directories.",
                )
            self._loop, self._free, self._flights = loop, asyncio.Semaphore(self.slots), {}

    def _take_off(self, key: str, work: Callable[[Watcher], Awaitable[Rendered]]) -> _Flight:
        def tell_all(event: Event) -> None:
            for watcher in list(flight.watchers):
                watcher(event)

        async def in_turn() -> Rendered:
            if self._free.locked():
                tell_all(Event("queue", message="waiting for a free place"))
            async with self._free:
                return await work(tell_all)

        flight = _Flight(asyncio.ensure_future(in_turn()))
        self._flights[key] = flight
        flight.task.add_done_callback(lambda _: self._land(key, flight))
        return flight

    def _land(self, key: str, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
        if not flight.task.cancelled():
            flight.task.exception()  # seen here, so that an abandoned failure is not reported as unseen


async def _end(task: asyncio.Task[Rendered]) -> None:
    task.cancel()
    await asyncio.wait([task])
