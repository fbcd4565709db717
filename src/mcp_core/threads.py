"""Threads for blocking tools: one pool for each kind of work, with a share for each caller.

A pool belongs to a tool set and to reading or writing, so writers that wait for a lock leave the readers their
threads, and a slow tool set leaves the others theirs. In a pool a caller that runs nothing takes a thread if one is
free, and one that runs something only from the first half: the other half is for those who come later. Work that waits
is started in turn, one piece of each caller. Work whose caller leaves before it is started never starts.

Threads that wait cost nobody anything; threads that compute share one interpreter lock. Long computing has a pool of
its own for all tool sets, with one thread for a caller and one for the next; so have messages that are large.
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

__all__ = ["Callers", "Lane", "ToolThreads"]

T = TypeVar("T")

THREADS = 16
"""Threads of one pool; they are started when they are needed."""
COMPUTING = 2
"""Threads of all callers that compute for long: each one takes its time from the event loop."""

MOST_CLIENTS = THREADS // 2
"""Clients of one principal with a share of their own."""
IDLE_SECONDS = 60.0
"""A client that has not called for so long makes room for another one."""

Work = tuple["asyncio.Future[Any]", Callable[[], Any]]


class Callers:
    """Who counts as a caller with a share of its own.

    A token proves the principal; the name or session of a client behind it proves nothing, and one client can have
    as many as it likes. So a principal has a bounded number of them, and what comes beyond shares one. Fewer than a
    pool has threads: whoever was there first and runs nothing finds one free.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[Hashable, dict[Hashable, float]] = {}

    def share_of(self, principal: Hashable, client: Hashable) -> Hashable:
        """The key of the share of a client that calls now."""
        now, known = self._clock(), self._seen.setdefault(principal, {})
        if client not in known and len(known) >= MOST_CLIENTS:
            for each in [each for each, last in known.items() if last < now - IDLE_SECONDS]:
                del known[each]
            if len(known) >= MOST_CLIENTS:
                return principal, None
        known[client] = now
        return principal, client


class ToolThreads:
    """The pools of one server, made at first use."""

    def __init__(self, size: int = THREADS) -> None:
        self._size = size
        self._pools: dict[Hashable, _Pool] = {}

    def lane(self, kind: Hashable, caller: Hashable) -> Lane:
        """Where one call runs its blocking work."""
        if kind not in self._pools:
            self._pools[kind] = _Pool(self._size)
        return Lane(self._pools[kind], caller)

    def computing(self, kind: Hashable, caller: Hashable) -> Lane:
        """Where one caller's long computing of a kind runs, one piece at a time."""
        key = (_COMPUTING, kind)
        if key not in self._pools:
            self._pools[key] = _Pool(COMPUTING)
        return Lane(self._pools[key], caller)

    def close(self) -> None:
        """Start nothing more; work that runs is left to end."""
        for pool in self._pools.values():
            pool.close()


_COMPUTING = object()


class Lane:
    """One caller's way into a pool."""

    __slots__ = ("_caller", "_pool")

    def __init__(self, pool: _Pool, caller: Hashable) -> None:
        self._pool, self._caller = pool, caller

    async def run(self, work: Callable[[], T]) -> T:
        return await self._pool.run(self._caller, work)


class _Pool:
    """Used from one event loop only, so its counts need no lock."""

    def __init__(self, size: int) -> None:
        self._executor = ThreadPoolExecutor(size, "tool")
        self._size = size
        self._running: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[Work]] = {}

    async def run(self, caller: Hashable, work: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[T] = loop.create_future()
        bound = partial(contextvars.copy_context().run, work)
        if self._may_start(caller):
            self._start(loop, caller, outcome, bound)
        else:
            self._waiting.setdefault(caller, deque()).append((outcome, bound))
        return await outcome

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _may_start(self, caller: Hashable) -> bool:
        running, free = self._running.get(caller, 0), self._size - self._running.total()
        return free > max(running, self._size // 2) if running else free > 0

    def _start(
        self, loop: asyncio.AbstractEventLoop, caller: Hashable, outcome: asyncio.Future[Any], work: Callable[[], Any]
    ) -> None:
        self._running[caller] += 1

        def ended(value: Any, error: BaseException | None) -> None:
            self._running[caller] -= 1
            if not self._running[caller]:
                del self._running[caller]
            if not outcome.done():
                outcome.set_result(value) if error is None else outcome.set_exception(error)
            self._start_next(loop)

        def run() -> None:
            value, error = None, None
            try:
                value = work()
            except BaseException as raised:  # handed to whoever waits
                error = raised
            if not loop.is_closed():
                loop.call_soon_threadsafe(ended, value, error)

        self._executor.submit(run)

    def _start_next(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start waiting work, the caller that waits longest first."""
        for caller in list(self._waiting):
            queue = self._waiting[caller]
            while queue and queue[0][0].done():  # its caller has left
                queue.popleft()
            if queue and self._may_start(caller):
                outcome, work = queue.popleft()
                self._start(loop, caller, outcome, work)
                self._waiting[caller] = self._waiting.pop(caller)  # to the end of the line
            if not queue:
                del self._waiting[caller]
