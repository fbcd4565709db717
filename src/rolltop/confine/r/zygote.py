"""A warm R process that forks a copy of itself for every job: full isolation for the price of a fork.

Packages are loaded and code has warmed up once, in the zygote. A job sees all of that, runs alone in its copy,
and whatever it changes or breaks ends with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import select
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from rolltop.confine.kernel.tree import descendants
from rolltop.confine.r.answer import RAnswer, read_answer
from rolltop.confine.channel import Channel, Gone, OnProgress
from rolltop.confine.r.request import call_request, eval_request, source_request
from rolltop.confine.r.session import START_SECONDS, RSession, crashed, raise_exceeded, took_too_long
from rolltop.confine.r.worker import in_loop
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import Sandbox
from rolltop.confine.resource_usage import Watch
from rolltop.errors import Cancelled, ForeignFailure, InvalidInput, RolltopError, TimeLimit

__all__ = ["RZygote"]


_TIDY_SECONDS = 0.5
_UNTIDY_MOST = 20


@dataclass(slots=True)
class _Fork:
    """A copy that waits for its job, or runs it."""

    pid: int
    pidfd: int

    def over(self) -> bool:
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def finish(self, patience: float) -> None:
        """Give it time to tidy up after its answer, then end it."""
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        if not poll.poll(patience * 1000):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        os.close(self.pidfd)


class RZygote:
    """Runs R jobs, up to `slots` at once, each in a fresh fork of one warm process.

    `packages`, `files` (paths inside the sandbox) and `code` are loaded into the zygote when it starts. One fork
    is made ahead of each call, so that a job starts at once. A job over its time, or one that crashes, takes
    only its own fork with it; a zygote that dies is started again.
    """

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        packages: Sequence[str] = (),
        files: Sequence[str] = (),
        code: str = "",
        slots: int = 2,
    ) -> None:
        if slots < 1:
            raise InvalidInput("a zygote needs at least one slot")
        self._sandbox = sandbox or Sandbox()
        self._packages, self._files, self._code = list(packages), list(files), code
        self._count = slots
        self._talk = threading.Lock()
        """Held while the zygote is started or asked to fork."""
        self._session: RSession | None = None
        self._ready: dict[int, _Fork] = {}
        self._active: dict[int, _Fork] = {}
        self._free: queue.LifoQueue[int] = queue.LifoQueue()
        for slot in range(slots, 0, -1):
            self._free.put(slot)
        self._untidy = 0
        self._closed = False
        self.generation = 0

    def call(
        self,
        function: str,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> RAnswer:
        """Call a function in a fork, as `RWorker.call` does; `cancel` ends it within a tenth of a second."""
        return self._run(call_request(function, args), timeout, on_progress, cancel)

    async def call_async(
        self,
        function: str,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the same words as `call`
        on_progress: OnProgress | None = None,
    ) -> RAnswer:
        """`call` for asyncio; cancelling the task kills the fork. `on_progress` is called in the loop."""
        cancel, told = threading.Event(), in_loop(on_progress)
        work = asyncio.ensure_future(
            asyncio.to_thread(self.call, function, args, timeout=timeout, on_progress=told, cancel=cancel)
        )
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            cancel.set()
            with contextlib.suppress(RolltopError):
                await work
            raise

    def evaluate(self, code: str, *, timeout: float | None = None) -> RAnswer:
        """Run code in a fork."""
        return self._run(eval_request(code), timeout)

    def warm_up(self) -> None:
        """Start the zygote and a first fork now."""
        with self._talk:
            self._fork_ahead(1)

    @property
    def confinement(self) -> Confinement | None:
        """How the zygote and its forks are confined; None while there is none."""
        return self._session.child.confinement if self._session is not None else None

    def _run(
        self,
        request: Mapping[str, Any],
        timeout: float | None,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> RAnswer:
        seconds = self._sandbox.limits.seconds if timeout is None else timeout
        try:
            slot = self._free.get(timeout=seconds)
        except queue.Empty:
            raise TimeLimit(f"no R process became free within {seconds:g} s", hint="Try again later.") from None
        try:
            session, fork = self._taken(slot)
            tick = _Tick(session, fork, cancel)
            answer = self._converse(
                session, fork, slot, lambda channel: channel.ask(request, seconds, tick, on_progress)
            )
        except TimeoutError:
            raise took_too_long(seconds) from None
        finally:
            self._free.put(slot)
            self._prepare(slot)
        return read_answer(answer)

    def _taken(self, slot: int) -> tuple[RSession, _Fork]:
        with self._talk:
            session = self._fork_ahead(slot)
            fork = self._ready.pop(slot)
            self._active[slot] = fork
            return session, fork

    def _converse(
        self, session: RSession, fork: _Fork, slot: int, ask: Callable[[Channel], dict[str, Any]]
    ) -> dict[str, Any]:
        channel = session.forks[slot - 1]
        ended_well = False
        try:
            answer = ask(channel)
            ended_well = True
        except (Gone, ValueError):
            raise crashed("") from None
        else:
            return answer
        finally:
            self._end(session, fork, slot, channel, clean=ended_well)

    def _end(self, session: RSession, fork: _Fork, slot: int, channel: Channel, *, clean: bool) -> None:
        """After a job: its fork and whatever it started are gone, its pipes are empty."""
        fork.finish(_TIDY_SECONDS if clean else 0)
        with self._talk:
            self._active.pop(slot, None)
            if self._session is session:
                self._kill_strays(session)
                channel.drain()
                self._untidy += not clean
                # A job that was killed leaves its temporary files; too many of them, and a new zygote starts.
                if self._untidy >= _UNTIDY_MOST and not self._active:
                    self._stop()
        fork.close()

    def _kill_strays(self, session: RSession) -> None:
        """Processes of the sandbox that belong to no running or waiting fork were left behind by a job."""
        kept = {fork.pid for fork in (*self._active.values(), *self._ready.values())}
        for pid in list(kept):
            kept.update(descendants(pid))
        for pid in list(descendants(session.child.process.pid)):
            if pid not in kept and pid not in session.residents:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def _prepare(self, slot: int) -> None:
        """Fork ahead for the next call, without making this one wait."""
        if not self._closed:
            threading.Thread(target=self._prepare_now, args=(slot,), name="rolltop-zygote", daemon=True).start()

    def _prepare_now(self, slot: int) -> None:
        with self._talk, contextlib.suppress(Exception):
            if not self._closed and self._session is not None and slot not in self._active:
                self._fork_ahead(slot)

    def _fork_ahead(self, slot: int) -> RSession:
        """Make sure that the slot has a fork that waits; starts the zygote anew when it is gone."""
        for _ in range(2):
            session = self._running()
            fork = self._ready.get(slot)
            if fork is not None and not fork.over():
                return session
            if fork is not None:
                self._ready.pop(slot).close()
            try:
                self._ready[slot] = self._fork(session, slot)
            except (Gone, ValueError, TimeoutError):
                self._stop()
            else:
                return session
        raise ForeignFailure("the warm R process dies when it is asked to fork")

    def _fork(self, session: RSession, slot: int) -> _Fork:
        number = int(session.ask({"op": "fork", "slot": slot}, START_SECONDS)["value"])
        pid = _outer_pid(session.child.process.pid, number)
        return _Fork(pid, os.pidfd_open(pid))

    def _running(self) -> RSession:
        if self._closed:
            raise Cancelled("the R zygote is closed")
        if self._session is not None and self._session.child.process.poll() is not None:
            self._stop()
        if self._session is None:
            session = RSession(self._sandbox, forks=self._count)
            self.generation += 1
            try:
                files = [session.child.inside(path) for path in self._files]
                read_answer(session.ask(source_request(files, self._packages, self._code), START_SECONDS))
            except (Gone, ValueError, TimeoutError):
                raise crashed(session.stop()) from None
            except BaseException:
                session.stop()
                raise
            self._untidy = 0
            session.residents = frozenset(descendants(session.child.process.pid))
            self._session = session
        return self._session

    def _stop(self) -> None:
        session, self._session = self._session, None
        for fork in self._ready.values():
            fork.close()
        self._ready.clear()
        if session is not None:
            session.stop()

    def close(self) -> None:
        """End the zygote and all its forks."""
        self._closed = True
        with self._talk:
            self._stop()

    def __enter__(self) -> RZygote:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


class _Tick:
    """Called while a job runs: watches the limits, and whether the fork is still there."""

    def __init__(self, session: RSession, fork: _Fork, cancel: threading.Event | None) -> None:
        self._watch = Watch(session.child)
        self._cancel = cancel
        self._fork = fork
        self._was_over = False

    def __call__(self) -> None:
        raise_exceeded(self._watch)
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled("the R code was cancelled")
        if self._was_over:
            raise Gone
        # Its last words may still be on their way: gone only when nothing came after it had ended.
        self._was_over = self._fork.over()


def _outer_pid(above: int, number: int) -> int:
    """The process that calls itself `number` in its own namespace, among the descendants of a process."""
    for _ in range(50):
        for pid in descendants(above):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as status:
                names = next(line for line in status if line.startswith("NSpid:"))
                if int(names.split()[-1]) == number:
                    return pid
        time.sleep(0.002)
    raise Gone
