"""One R process that stays: state between calls, a time limit for each."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from rolltop.confine.r.answer import RAnswer, read_answer
from rolltop.confine.channel import Gone, OnProgress
from rolltop.confine.r.request import call_request, eval_request, source_request
from rolltop.confine.r.session import START_SECONDS, RSession, crashed, took_too_long
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import Sandbox
from rolltop.errors import Cancelled, RolltopError

__all__ = ["RWorker", "in_loop"]


class RWorker:
    """An R process in the sandbox. Started at first use; safe to share between threads, one call at a time.

    `limits.seconds` is the time of one call. `files` (paths inside the sandbox) and `packages` are loaded
    whenever a process starts; after a crash or a killed call the next call starts a new process, and
    `generation` counts on. Variables that calls assigned are lost with their process.
    """

    def __init__(
        self, sandbox: Sandbox | None = None, *, files: Sequence[str] = (), packages: Sequence[str] = ()
    ) -> None:
        self._sandbox = sandbox or Sandbox()
        self._files, self._packages = list(files), list(packages)
        self._lock = threading.Lock()
        self._session: RSession | None = None
        self._closed = False
        self.generation = 0
        self.version = ""
        """Of R; known once a process was started."""

    def call(
        self,
        function: str,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> RAnswer:
        """Call an R function, given by name (`stats::median`) or source (`function(x) x + 1`).

        Arguments are named (a mapping) or positional (a sequence); JSON arrays arrive as R vectors, arrays of
        objects as data frames. What the code gives to `rolltop_progress()` reaches `on_progress` at once.
        """
        return self._ask(call_request(function, args), timeout, on_progress)

    def evaluate(self, code: str, *, timeout: float | None = None) -> RAnswer:
        """Run R code in the global environment; the value is that of its last expression."""
        return self._ask(eval_request(code), timeout)

    def load(self, *, files: Sequence[str] = (), packages: Sequence[str] = (), timeout: float | None = None) -> RAnswer:
        """Source R files (paths inside the sandbox) and attach packages, now and in every later process."""
        answer = self._ask(source_request(files, packages), timeout)
        self._files += files
        self._packages += packages
        return answer

    async def call_async(
        self,
        function: str,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the same words as `call`
        on_progress: OnProgress | None = None,
    ) -> RAnswer:
        """`call` for asyncio; cancelling the task kills the R process. `on_progress` is called in the loop."""
        told = in_loop(on_progress)
        work = asyncio.ensure_future(asyncio.to_thread(self.call, function, args, timeout=timeout, on_progress=told))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._kill()
            with contextlib.suppress(RolltopError):
                await work
            raise

    @property
    def confinement(self) -> Confinement | None:
        """How the running process is confined; None while there is none."""
        return self._session.child.confinement if self._session is not None else None

    def _ask(self, request: Mapping[str, Any], timeout: float | None, on_progress: OnProgress | None = None) -> RAnswer:
        seconds = self._sandbox.limits.seconds if timeout is None else timeout
        with self._lock:
            session = self._running()
            frame = self._exchange(session, request, seconds, on_progress)
            try:
                return read_answer(frame)
            except (AttributeError, TypeError, ValueError):
                raise crashed(self._stop()) from None  # what answers so would answer the next call no better

    def _running(self) -> RSession:
        if self._closed:
            raise Cancelled("the R worker is closed")
        if self._session is None:
            self._session = RSession(self._sandbox)
            self.generation += 1
            self.version = self._session.version
            if self._files or self._packages:
                request = source_request(self._files, self._packages)
                try:
                    read_answer(self._exchange(self._session, request, START_SECONDS))
                except RolltopError:
                    self._stop()  # with half of its files it is of no use
                    raise
        return self._session

    def _exchange(
        self, session: RSession, request: Mapping[str, Any], seconds: float, on_progress: OnProgress | None = None
    ) -> dict[str, Any]:
        inside = session.child.inside
        if "files" in request:
            request = {**request, "files": [inside(path) for path in request["files"]]}
        session.forget_output()
        try:
            return session.ask(request, seconds, on_progress)
        except TimeoutError:
            self._stop()
            raise took_too_long(seconds) from None
        except (Gone, ValueError):
            raise crashed(self._stop()) from None
        except BaseException:
            self._stop()
            raise

    def _stop(self) -> str:
        session, self._session = self._session, None
        return session.stop() if session is not None else ""

    def _kill(self) -> None:
        if (session := self._session) is not None:
            session.child.kill()

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self._kill()
        with self._lock:
            self._stop()

    def __enter__(self) -> RWorker:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


def in_loop(on_progress: OnProgress | None) -> OnProgress | None:
    """A callback for another thread that calls the given one in the running event loop."""
    if on_progress is None:
        return None
    loop = asyncio.get_running_loop()

    def tell(value: Any) -> None:
        loop.call_soon_threadsafe(on_progress, value)

    return tell
