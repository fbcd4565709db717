"""Warm pools of limited worker processes: bytes in, bytes out, in a process that can be lost.

with WorkerPool(["rolltop.transform.service:execute"], memory=100 << 20) as pool:
    answer = pool.call(request, timeout=5)
    answer = await pool.call_async(request, timeout=5)
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType

from rolltop.confine import worker_exchange as conversation
from rolltop.confine.identity import foreign_identity
from rolltop.confine.cpu_affinity import Near, roam
from rolltop.confine.worker_factory import Nursery, Worker
from rolltop.confine.wire import Library
from rolltop.errors import Cancelled, InvalidInput, RolltopError, TimeLimit

__all__ = ["WorkerPool"]

_TRIES = 4
"""Workers that may turn out to have died while they were idle, before a call gives up."""

Deliver = Callable[["Worker | RolltopError"], None]


class WorkerPool:
    """Runs jobs in at most `size` warm processes, with `spares` more ready to replace a lost one.

    A job is a function from bytes to bytes, named ``module:function``; it and the modules in `preload` are
    imported before any worker starts, because a worker cannot open files. `memory` is what a worker may
    use beyond what it was born with. A job that takes longer than its timeout is killed with its worker; so
    is one whose caller gives up. A worker that answered `max_calls` requests is replaced by a fresh one.
    `library` reads the data files that a job asks for with `worker.bring`, in this process: it must give out
    nothing but those, whatever name it is asked for.
    """

    def __init__(
        self,
        jobs: Sequence[str],
        *,
        preload: Sequence[str] = (),
        size: int = 4,
        spares: int = 1,
        memory: int = 100 << 20,
        timeout: float = 30.0,
        max_calls: int | None = None,
        max_answer: int = 256 << 20,
        user: str | int | None = None,
        library: Library | None = None,
    ) -> None:
        if not jobs or any(":" not in job for job in jobs):
            raise InvalidInput("a pool needs jobs, each named module:function")
        if size < 1 or spares < 0 or memory <= 0 or timeout <= 0:
            raise InvalidInput("size, memory and timeout of a pool must be above 0, spares not below")
        self.size, self.timeout, self.memory = size, timeout, memory
        self.max_calls, self.max_answer = max_calls, max_answer
        self._library = library
        self._numbers = {job: number for number, job in enumerate(jobs)}
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy = 0
        self._waiting: deque[Deliver] = deque()
        self._closed = False
        self._nursery = Nursery(jobs, preload, memory, foreign_identity(user), spares)

    # Calling

    def call(self, payload: bytes, *, job: str | None = None, timeout: float | None = None) -> bytes:
        """Run the job (the first one unless named) on the payload; raises what the job raised."""
        number = self._number(job)
        seconds = self.timeout if timeout is None else timeout
        for _ in range(_TRIES):
            worker = self._take(seconds)
            try:
                with Near(worker, alone=self._busy == 1):
                    answer = conversation.ask(worker, number, payload, seconds, self.max_answer, library=self._library)
            except conversation.Stale:
                self._lose(worker)
            except BaseException as error:
                self._lose(worker)
                raise _explained(error, seconds) from None
            else:
                return self._give_back(worker, answer)
        raise conversation.died()

    async def call_async(
        self,
        payload: bytes,
        *,
        job: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the same words as `call`
    ) -> bytes:
        """`call` for asyncio; cancelling the task kills the worker."""
        number = self._number(job)
        seconds = self.timeout if timeout is None else timeout
        for _ in range(_TRIES):
            worker = await self._take_async(seconds)
            roam(worker)  # the caller goes on with other things meanwhile
            try:
                answer = await conversation.ask_async(
                    worker, number, payload, seconds, self.max_answer, library=self._library
                )
            except conversation.Stale:
                self._lose(worker)
            except BaseException as error:
                self._lose(worker)
                raise _explained(error, seconds) from None
            else:
                return self._give_back(worker, answer)
        raise conversation.died()

    def _number(self, job: str | None) -> int:
        if job is None:
            return 0
        try:
            return self._numbers[job]
        except KeyError:
            raise InvalidInput(f"the pool has no job {job}", hint=f"It has {', '.join(self._numbers)}.") from None

    def _give_back(self, worker: Worker, answer: conversation.Answer) -> bytes:
        worker.calls += 1
        if answer.worn or (self.max_calls is not None and worker.calls >= self.max_calls):
            self._lose(worker)
        else:
            self._release(worker)
        return answer.value(self.memory)

    # Workers

    def _take(self, seconds: float) -> Worker:
        if (worker := self._free()) is not None:
            return worker
        arrived = threading.Event()
        box: list[Worker | RolltopError] = []

        def deliver(item: Worker | RolltopError) -> None:
            box.append(item)
            arrived.set()

        self._queue(deliver)
        if not arrived.wait(seconds) and self._forget(deliver):
            raise TimeLimit(
                f"no worker became free within {seconds:g} s", hint="Try again later, or give the pool more workers."
            )
        arrived.wait()
        return _unboxed(box[0])

    async def _take_async(self, seconds: float) -> Worker:
        if (worker := self._free()) is not None:
            return worker
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Worker | RolltopError] = loop.create_future()

        def arrive(item: Worker | RolltopError) -> None:
            if future.done():  # the caller gave up in the meantime
                if isinstance(item, Worker):
                    self._release(item)
            else:
                future.set_result(item)

        def deliver(item: Worker | RolltopError) -> None:
            loop.call_soon_threadsafe(arrive, item)

        self._queue(deliver)
        try:
            return _unboxed(await asyncio.wait_for(future, seconds))
        except TimeoutError:
            self._forget(deliver)
            raise TimeLimit(
                f"no worker became free within {seconds:g} s", hint="Try again later, or give the pool more workers."
            ) from None
        except asyncio.CancelledError:
            self._forget(deliver)
            raise

    def _free(self) -> Worker | None:
        with self._lock:
            if self._closed:
                raise Cancelled("the pool is closed")
            if self._idle:
                self._busy += 1
                return self._idle.pop()
            if self._busy >= self.size:
                return None
            self._busy += 1
        try:
            return self._nursery.take()
        except BaseException:
            self._shrink()
            raise

    def _queue(self, deliver: Deliver) -> None:
        with self._lock:
            self._waiting.append(deliver)
        self._serve_waiting()

    def _forget(self, deliver: Deliver) -> bool:
        """Take a waiting caller out of the queue; false when a worker is on its way to it already."""
        with self._lock, contextlib.suppress(ValueError):
            self._waiting.remove(deliver)
            return True
        return False

    def _release(self, worker: Worker) -> None:
        with self._lock:
            if not self._closed:
                if self._waiting:
                    deliver = self._waiting.popleft()
                else:
                    self._busy -= 1
                    self._idle.append(worker)
                    return
        if self._closed:
            self._lose(worker)
        else:
            deliver(worker)

    def _lose(self, worker: Worker) -> None:
        worker.kill()
        self._shrink()

    def _shrink(self) -> None:
        with self._lock:
            self._busy -= 1
        self._serve_waiting()

    def _serve_waiting(self) -> None:
        """Somebody waits and there is room: bring them a worker from the nursery."""
        with self._lock:
            if not self._waiting or (not self._idle and self._busy >= self.size):
                return
            deliver = self._waiting.popleft()
            self._busy += 1
            worker = self._idle.pop() if self._idle else None
        try:
            deliver(worker or self._nursery.take())
        except RolltopError as error:
            deliver(error)
            self._shrink()

    @property
    def features(self) -> tuple[str, ...]:
        """What holds the workers on this machine, in words; known after the first call or `warm_up`."""
        return self._nursery.features

    def warm_up(self) -> None:
        """Start the template and a first worker now, so that the first call need not wait for them."""
        worker = self._take(self.timeout)
        self._release(worker)

    # Ending

    def close(self) -> None:
        """Kill all workers and the template; callers that wait get `Cancelled`."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            waiting, self._waiting = self._waiting, deque()
        for worker in idle:
            worker.kill()
        for deliver in waiting:
            deliver(Cancelled("the pool was closed"))
        self._nursery.close()

    def pids(self) -> Iterator[int]:
        """Process ids of the idle workers, for tests and `rolltop doctor`."""
        with self._lock:
            yield from [worker.pid for worker in self._idle]

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


def _unboxed(item: Worker | RolltopError) -> Worker:
    if isinstance(item, RolltopError):
        raise item
    return item


def _explained(error: BaseException, seconds: float) -> BaseException:
    if isinstance(error, TimeoutError):
        return TimeLimit(
            f"the job took longer than {seconds:g} s and was ended", hint="Give it less to do, or allow it more time."
        )
    return error
