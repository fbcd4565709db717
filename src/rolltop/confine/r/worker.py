"""One R process that stays: state between calls, a time limit for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from rolltop.confine.cancellation import Cancel, in_loop, in_thread
from rolltop.confine.channel import OnProgress
from rolltop.confine.r.answer import RAnswer, read_answer
from rolltop.confine.r.start import call_request, eval_request, source_request, start_r
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import Sandbox
from rolltop.confine.warm_process import Resident, WarmProcess
from rolltop.errors import ForeignFailure

__all__ = ["RWorker"]


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
        self._resident = Resident(self._start)
        self.version = ""
        """Of R; known once a process was started."""

    @property
    def generation(self) -> int:
        """How many processes were started."""
        return self._resident.generation

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
        told, request = in_loop(on_progress), call_request(function, args)
        return await in_thread(lambda cancel: self._ask(request, timeout, told, cancel))

    @property
    def confinement(self) -> Confinement | None:
        """How the running process is confined; None while there is none."""
        process = self._resident.process
        return process.confinement if process is not None else None

    def _start(self) -> WarmProcess:
        process = start_r(self._sandbox, files=self._files, packages=self._packages)
        self.version = str(process.greeting.get("version"))
        return process

    def _ask(
        self,
        request: Mapping[str, Any],
        timeout: float | None,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> RAnswer:
        seconds = self._sandbox.limits.seconds if timeout is None else timeout
        frame = self._resident.ask(request, seconds, on_progress, cancel)
        try:
            return read_answer(frame)
        except (AttributeError, TypeError, ValueError):
            self._resident.discard()  # what answers so would answer the next call no better
            raise ForeignFailure(
                "the R process ended during the call: it gave an answer that is none",
                hint="The code changed R itself. The next call starts a new process; its state is lost.",
            ) from None

    def close(self) -> None:
        """End the process for good."""
        self._resident.close()

    def __enter__(self) -> RWorker:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()
