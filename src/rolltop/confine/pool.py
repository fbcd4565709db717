"""A pool of warm processes of any kind: taken, given back, lost, replaced.

The pool knows nothing of what it holds but how to make one and how to end one. Callers wait in turn, from
threads or from asyncio, while all of them are in use.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, TypeVar

from rolltop.errors import Cancelled, RolltopError, TimeLimit

__all__ = ["Pool"]

T = TypeVar("T")


class Pool(Generic[T]):
    """At most `size` processes in use at a time, and up to `spares` made ahead of the next callers."""

    def __init__(self, make: Callable[[], T], end: Callable[[T], None], *, size: int, spares: int = 0) -> None:
        self.size, self._spares = size, spares
        self._make, self._end = make, end
        self._lock = threading.Lock()
        self._ready: list[T] = []
        self._busy = 0
        self._coming = 0
        self._waiting: deque[Callable[[T | RolltopError], None]] = deque()
        self._closed = False
        self._background: ThreadPoolExecutor | None = None
        self._made: list[Future[None]] = []

    @property
    def busy(self) -> int:
        return self._busy

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def ready(self) -> tuple[T, ...]:
        """What waits for its next use."""
        with self._lock:
            return tuple(self._ready)

    # Taking

    def take_ready(self) -> T | None:
        """One that waits, or None when there is none or `size` are in use."""
        with self._lock:
            if self._closed:
                raise Cancelled("the pool is closed")
            if not self._ready or self._busy >= self.size:
                return None
            self._busy += 1
            item = self._ready.pop()
        self._refill()
        return item

    def take(self, seconds: float) -> T:
        """One for this thread; `TimeLimit` when none is free in time."""
        if (item := self._taken_at_once()) is not None:
            return item
        arrived, box = threading.Event(), []

        def deliver(item: T | RolltopError) -> None:
            box.append(item)
            arrived.set()

        self._queue(deliver)
        if not arrived.wait(seconds) and self._withdraw(deliver):
            raise _none_free(seconds)
        arrived.wait()
        return _unboxed(box[0])

    async def take_async(self, seconds: float) -> T:
        """`take` for asyncio."""
        if (item := self._taken_at_once()) is not None:
            return item
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T | RolltopError] = loop.create_future()

        def arrive(item: T | RolltopError) -> None:
            if not future.done():
                future.set_result(item)
            elif not isinstance(item, RolltopError):  # the caller gave up meanwhile
                self.release(item)

        def deliver(item: T | RolltopError) -> None:
            loop.call_soon_threadsafe(arrive, item)

        self._queue(deliver)
        try:
            async with asyncio.timeout(seconds):
                return _unboxed(await future)
        except (TimeoutError, asyncio.CancelledError) as error:
            self._withdraw(deliver)
            # A process may have arrived in the same turn of the loop as the cancellation.
            if future.done() and not future.cancelled() and not isinstance(late := future.result(), RolltopError):
                self.release(late)
            future.cancel()
            if isinstance(error, TimeoutError):
                raise _none_free(seconds) from None
            raise

    def _taken_at_once(self) -> T | None:
        if (item := self.take_ready()) is not None:
            return item
        with self._lock:
            if self._busy >= self.size:
                return None
            self._busy += 1
        try:
            item = self._make()
        except BaseException:
            self._shrink()
            raise
        self._refill()
        return item

    def _queue(self, deliver: Callable[[T | RolltopError], None]) -> None:
        with self._lock:
            self._waiting.append(deliver)
        self._serve_waiting()

    def _withdraw(self, deliver: Callable[[T | RolltopError], None]) -> bool:
        """Take a waiting caller out of the queue; false when a process is on its way to it already."""
        with self._lock, contextlib.suppress(ValueError):
            self._waiting.remove(deliver)
            return True
        return False

    # Giving back

    def release(self, item: T) -> None:
        """Give back one that can be used again."""
        deliver = None
        with self._lock:
            if not self._closed:
                if self._waiting:
                    deliver = self._waiting.popleft()
                else:
                    self._busy -= 1
                    self._ready.append(item)
                    return
        if deliver is not None:
            deliver(item)
        else:
            self.lose(item)

    def lose(self, item: T) -> None:
        """End one that must not be used again; another takes its place when it is needed."""
        try:
            self._end(item)
        finally:
            self._shrink()

    def discard(self, unwanted: Callable[[T], bool] = lambda _: True) -> None:
        """End what waits and is not wanted any more."""
        with self._lock:
            ended = [item for item in self._ready if unwanted(item)]
            self._ready = [item for item in self._ready if item not in ended]
        for item in ended:
            self._end(item)

    def _shrink(self) -> None:
        with self._lock:
            self._busy -= 1
        self._serve_waiting()

    def _serve_waiting(self) -> None:
        with self._lock:
            if not self._waiting or self._busy >= self.size:
                return
            deliver = self._waiting.popleft()
            self._busy += 1
            item = self._ready.pop() if self._ready else None
        try:
            deliver(self._make() if item is None else item)
        except RolltopError as error:
            deliver(error)
            self._shrink()

    # Making ahead

    def prepare(self, count: int) -> None:
        """Have processes made in the background until so many wait."""
        with self._lock:
            missing = 0 if self._closed else count - len(self._ready) - self._coming
            if missing <= 0:
                return
            self._coming += missing
            if self._background is None:
                self._background = ThreadPoolExecutor(2, thread_name_prefix="rolltop-pool")
            self._made = [each for each in self._made if not each.done()]
            self._made += [self._background.submit(self._make_ahead) for _ in range(missing)]

    def join(self) -> None:
        """Wait for what is being made now."""
        wait(list(self._made))

    def _refill(self) -> None:
        if len(self._ready) + self._coming < self._spares:
            self.prepare(self._spares)

    def _make_ahead(self) -> None:
        item = None
        try:
            if not self._closed:
                # Whoever needs one and cannot have it is told why; nobody waits for this one.
                with contextlib.suppress(RolltopError, OSError):
                    item = self._make()
        finally:
            with self._lock:
                self._coming -= 1
                if item is not None and not self._closed:
                    self._ready.append(item)
                    item = None
        if item is not None:
            self._end(item)
        self._serve_waiting()

    def close(self) -> None:
        """End everything that waits, also what is being made; callers that wait get `Cancelled`."""
        with self._lock:
            self._closed = True
            ready, self._ready = self._ready, []
            waiting, self._waiting = self._waiting, deque()
            background = self._background
        for deliver in waiting:
            deliver(Cancelled("the pool was closed"))
        for item in ready:
            self._end(item)
        if background is not None:
            background.shutdown(cancel_futures=True)


def _unboxed(item: T | RolltopError) -> T:
    if isinstance(item, RolltopError):
        raise item
    return item


def _none_free(seconds: float) -> TimeLimit:
    return TimeLimit(
        f"no worker became free within {seconds:g} s", hint="Try again later, or give the pool more workers."
    )
