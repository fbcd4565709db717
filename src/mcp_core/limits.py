"""What one caller may use: a share of the threads (`ToolThreads`), and calls per minute (`Pace`).

Blocking tools run in thread pools. There is one pool for each tool set and for each of reading and writing, so
writers that wait for a lock do not block readers, and a slow tool set does not block the others. A caller that runs
nothing gets a thread if one is free, a caller that runs something only while more than half of the pool is free.
Waiting work starts in turn, one piece per caller; work that is cancelled before it starts never runs.

Threads that wait cost nothing; threads that compute share one interpreter lock. So long computing (parsing, large
messages) has small pools for all tool sets together: one thread for a caller, one for the next.

`Pace` is a token bucket that holds one minute's worth of calls. It stops agents in a loop and hostile clients; a
caller below the rate never waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

__all__ = ["Callers", "Lane", "Pace", "Shares", "ToolThreads"]


T = TypeVar("T")

THREADS = 16
"""Threads of one pool, started on demand."""

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
        """The lane in which one call runs its blocking work."""
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
        """Start no more work; running work is not stopped."""
        for pool in self._pools.values():
            pool.close()


_COMPUTING = object()


class Lane:
    """Runs the work of one caller in a pool."""

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
            except BaseException as raised:  # raised again in the caller
                error = raised
            if not loop.is_closed():
                loop.call_soon_threadsafe(ended, value, error)

        self._executor.submit(run)

    def _start_next(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start waiting work, the caller that waits longest first."""
        for caller in list(self._waiting):
            queue = self._waiting[caller]
            while queue and queue[0][0].done():  # cancelled
                queue.popleft()
            if queue and self._may_start(caller):
                outcome, work = queue.popleft()
                self._start(loop, caller, outcome, work)
                self._waiting[caller] = self._waiting.pop(caller)  # to the end of the queue
            if not queue:
                del self._waiting[caller]


MOST_CALLERS = 1_024
"""Buckets that are kept; a caller beyond them starts with a full one."""


class Pace:
    """A bucket for each caller that holds one period's worth and refills all the time."""

    def __init__(self, capacity: int, clock: Callable[[], float] = time.monotonic, period: float = 60.0) -> None:
        self._capacity, self._clock, self._period = float(capacity), clock, period
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, caller: str, cost: float = 1.0) -> float:
        """0.0 if the caller may take `cost` now, and it is taken; otherwise the seconds until it may."""
        now = self._clock()
        left, since = self._buckets.pop(caller, (self._capacity, now))
        left = min(self._capacity, left + (now - since) * self._capacity / self._period)
        allowed = left >= cost
        self._buckets[caller] = (left - cost if allowed else left, now)
        if len(self._buckets) > MOST_CALLERS:
            del self._buckets[next(iter(self._buckets))]  # the one that has been silent longest
        return 0.0 if allowed else (cost - left) * self._period / self._capacity


DAY = 86_400.0


class Shares:
    """What each of several people may take: calls at a time, and bytes for tools that write in a day; 0: no limit."""

    def __init__(self, calls: int, bytes_per_day: int) -> None:
        self._calls = calls
        self._bytes = Pace(bytes_per_day, period=DAY) if bytes_per_day else None
        self._turns: dict[str, tuple[asyncio.Semaphore, int]] = {}

    def wait_for_bytes(self, share: str, size: int) -> float:
        """0.0 if `size` bytes may be written now, and they are counted; otherwise the seconds until they may."""
        return self._bytes.wait(share, size) if self._bytes is not None else 0.0

    def turn(self, share: str | None) -> contextlib.AbstractAsyncContextManager[None]:
        """Wait until fewer calls of this share run than may run at a time; first come, first served."""
        return self._turn(share) if share is not None and self._calls else contextlib.nullcontext()

    @contextlib.asynccontextmanager
    async def _turn(self, share: str) -> AsyncIterator[None]:
        turns, users = self._turns.get(share) or (asyncio.Semaphore(self._calls), 0)
        self._turns[share] = (turns, users + 1)
        try:
            async with turns:
                yield
        finally:
            turns, users = self._turns.pop(share)
            if users > 1:
                self._turns[share] = (turns, users - 1)
