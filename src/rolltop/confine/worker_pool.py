"""Warm pools of limited worker processes: bytes in, bytes out, in a process that can be lost.

with WorkerPool(["rolltop.transform.service:execute"], memory=100 << 20) as pool:
    answer = pool.call(request, timeout=5)
    answer = await pool.call_async(request, timeout=5)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType

from rolltop.confine import worker_exchange
from rolltop.confine.cpu_affinity import SameCpu, unpin
from rolltop.confine.identity import foreign_identity
from rolltop.confine.pool import Pool
from rolltop.confine.wire import Library
from rolltop.confine.worker_factory import Worker, WorkerFactory
from rolltop.errors import InvalidInput, TimeLimit

__all__ = ["WorkerPool"]

_TRIES = 4
"""Workers that may turn out to have died while they were idle, before a call gives up."""


class WorkerPool:
    """Runs jobs in at most `size` warm processes, with `spares` more ready to replace a lost one.

    A job is a function from bytes to bytes, named ``module:function``; it and the modules in `preload` are
    imported before any worker starts, because a worker cannot open files. `memory` is what a worker may
    use beyond what it was born with. A job that takes longer than its timeout is killed with its worker; so
    is one whose caller gives up. A worker that answered `max_calls` requests is replaced by a fresh one.
    `library` reads the data files that a job asks for with `worker.bring`, in this process: it must give out
    nothing but those, whatever name it is asked for. `threads` lets a job start threads and ask
    about files (not open them), for libraries that do.
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
        threads: bool = False,
    ) -> None:
        if not jobs or any(":" not in job for job in jobs):
            raise InvalidInput("a pool needs jobs, each named module:function")
        if size < 1 or spares < 0 or memory <= 0 or timeout <= 0:
            raise InvalidInput("size, memory and timeout of a pool must be above 0, spares not below")
        self.timeout, self.memory = timeout, memory
        self.max_calls, self.max_answer = max_calls, max_answer
        self._library = library
        self._numbers = {job: number for number, job in enumerate(jobs)}
        self._factory = WorkerFactory(jobs, preload, memory, foreign_identity(user), threads=threads)
        self._pool = Pool(self._factory.make, Worker.kill, size=size, spares=spares)

    # Calling

    def call(self, payload: bytes, *, job: str | None = None, timeout: float | None = None) -> bytes:
        """Run the job (the first one unless named) on the payload; raises what the job raised."""
        number = self._number(job)
        seconds = self.timeout if timeout is None else timeout
        for _ in range(_TRIES):
            worker = self._pool.take(seconds)
            try:
                with SameCpu(worker, alone=self._pool.busy == 1):
                    answer = worker_exchange.ask(
                        worker, number, payload, seconds, self.max_answer, library=self._library
                    )
            except worker_exchange.Stale:
                self._pool.lose(worker)
            except BaseException as error:
                self._pool.lose(worker)
                raise _explained(error, seconds) from None
            else:
                return self._give_back(worker, answer)
        raise worker_exchange.died()

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
            worker = await self._pool.take_async(seconds)
            unpin(worker)  # the caller goes on with other things meanwhile
            try:
                answer = await worker_exchange.ask_async(
                    worker, number, payload, seconds, self.max_answer, library=self._library
                )
            except worker_exchange.Stale:
                self._pool.lose(worker)
            except BaseException as error:
                self._pool.lose(worker)
                raise _explained(error, seconds) from None
            else:
                return self._give_back(worker, answer)
        raise worker_exchange.died()

    def _number(self, job: str | None) -> int:
        if job is None:
            return 0
        try:
            return self._numbers[job]
        except KeyError:
            raise InvalidInput(f"the pool has no job {job}", hint=f"It has {', '.join(self._numbers)}.") from None

    def _give_back(self, worker: Worker, answer: worker_exchange.Answer) -> bytes:
        worker.calls += 1
        if answer.worn or (self.max_calls is not None and worker.calls >= self.max_calls):
            self._pool.lose(worker)
        else:
            self._pool.release(worker)
        return answer.value(self.memory)

    @property
    def features(self) -> tuple[str, ...]:
        """What holds the workers on this machine, in words; known after the first call or `warm_up`."""
        return self._factory.features

    def warm_up(self) -> None:
        """Start the template and a first worker now, so that the first call need not wait for them."""
        self._pool.release(self._pool.take(self.timeout))

    def close(self) -> None:
        """Kill all workers and the template; callers that wait get `Cancelled`."""
        self._factory.close()
        self._pool.close()

    def pids(self) -> Iterator[int]:
        """Process ids of the idle workers, for tests and `rolltop doctor`."""
        yield from (worker.pid for worker in self._pool.ready)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


def _explained(error: BaseException, seconds: float) -> BaseException:
    if isinstance(error, TimeoutError):
        return TimeLimit(
            f"the job took longer than {seconds:g} s and was ended", hint="Give it less to do, or allow it more time."
        )
    return error
