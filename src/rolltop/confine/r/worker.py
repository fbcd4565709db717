"""One R process that stays: state between calls, a time limit for each."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from rolltop.confine.limits import Limits
from rolltop.confine.process import Child, start_process
from rolltop.confine.r.answer import RAnswer, read_answer
from rolltop.confine.r.channel import Channel, Gone
from rolltop.confine.r.sink import Sink
from rolltop.confine.result import Confinement
from rolltop.confine.sandbox import Sandbox
from rolltop.confine.watch import Watch
from rolltop.errors import Cancelled, ForeignFailure, MemoryLimit, PartMissing, RolltopError, SizeLimit, TimeLimit

__all__ = ["RWorker"]

SCRIPT = Path(__file__).with_name("worker.R")
INSIDE = "/run/rolltop/worker.R"
START_SECONDS = 60.0
UNLIMITED_CPU = 10**8
"""Processor seconds of a process that stays: its calls are limited one by one."""


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
        self._loaded: dict[str, list[str]] = {"files": list(files), "packages": list(packages)}
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._channel: Channel | None = None
        self._sink: Sink | None = None
        self._closed = False
        self.generation = 0
        self.version = ""

    # Asking

    def call(
        self, function: str, args: Mapping[str, Any] | Sequence[Any] = (), *, timeout: float | None = None
    ) -> RAnswer:
        """Call an R function, given by name (`stats::median`) or source (`function(x) x + 1`).

        Arguments are named (a mapping) or positional (a sequence); JSON arrays arrive as R vectors, arrays of
        objects as data frames.
        """
        given: Any = dict(args) if isinstance(args, Mapping) else list(args)
        return self._ask({"op": "call", "code": function, "args": json.dumps(given)}, timeout)

    def evaluate(self, code: str, *, timeout: float | None = None) -> RAnswer:
        """Run R code in the global environment; the value is that of its last expression."""
        return self._ask({"op": "eval", "code": code}, timeout)

    def load(self, *, files: Sequence[str] = (), packages: Sequence[str] = (), timeout: float | None = None) -> RAnswer:
        """Source R files (paths inside the sandbox) and attach packages, now and in every later process."""
        answer = self._ask({"op": "source", "files": list(files), "packages": list(packages)}, timeout)
        self._loaded["files"] += files
        self._loaded["packages"] += packages
        return answer

    async def call_async(
        self,
        function: str,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> RAnswer:
        """`call` for asyncio; cancelling the task kills the R process."""
        work = asyncio.ensure_future(asyncio.to_thread(self.call, function, args, timeout=timeout))
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
        return self._child.confinement if self._child is not None else None

    def _ask(self, request: Mapping[str, Any], timeout: float | None) -> RAnswer:
        seconds = self._sandbox.limits.seconds if timeout is None else timeout
        with self._lock:
            child, channel = self._running()
            answer = self._exchange(child, channel, request, seconds)
        return read_answer(answer)

    def _exchange(self, child: Child, channel: Channel, request: Mapping[str, Any], seconds: float) -> Any:
        watch = Watch(child)

        def tick() -> None:
            if reason := watch.exceeded():
                raise (
                    MemoryLimit("R needed more memory than it is allowed")
                    if reason == "memory"
                    else SizeLimit("R wrote more to disk than it is allowed")
                )

        try:
            return channel.ask(request, seconds, tick)
        except TimeoutError:
            self._stop()
            raise TimeLimit(
                f"the R code took longer than {seconds:g} s and was ended",
                hint="Give it less to do, or allow it more time. Variables of this R process are lost.",
            ) from None
        except (Gone, ValueError):
            raise self._crashed() from None
        except BaseException:
            self._stop()
            raise

    def _crashed(self) -> ForeignFailure:
        text = self._stop()
        return ForeignFailure(
            "the R process ended during the call",
            hint="The next call starts a new one; variables are lost. Its last output is in the details.",
            details={"output": text[-4000:]},
        )

    # The process

    def _running(self) -> tuple[Child, Channel]:
        if self._closed:
            raise Cancelled("the R worker is closed")
        if self._child is None or self._channel is None:
            self._start()
            assert self._child is not None
            assert self._channel is not None
            if any(self._loaded.values()):
                read_answer(self._exchange(self._child, self._channel, {"op": "source", **self._loaded}, START_SECONDS))
        return self._child, self._channel

    def _start(self) -> None:
        program = find_r()
        channel = Channel(self._sandbox.limits.output)
        try:
            argv = [program, "--no-echo", "--vanilla", f"--file={INSIDE}", "--args"]
            argv += [str(channel.their_read), str(channel.their_write)]
            fds = [channel.their_read, channel.their_write]
            self._child = start_process(argv, resident(self._sandbox), pass_fds=fds)
        except BaseException:
            channel.close()
            raise
        self._channel = channel
        channel.close_theirs()
        self._child.process.stdin.close()  # type: ignore[union-attr]
        self._sink = Sink([self._child.process.stdout, self._child.process.stderr])
        self._greet(channel)

    def _greet(self, channel: Channel) -> None:
        try:
            ready = channel.receive(time.monotonic() + START_SECONDS, lambda: None)
        except (Gone, ValueError, TimeoutError):
            text = self._stop().strip()
            raise PartMissing(
                f"R could not be started in the sandbox: {text[-400:] or 'no message'}",
                hint="On Debian: apt-get install r-base-core r-cran-jsonlite",
            ) from None
        self.version = str(ready["version"])
        self.generation += 1

    def _stop(self) -> str:
        """End the process; what it printed last."""
        child, channel, sink = self._child, self._channel, self._sink
        self._child = self._channel = self._sink = None
        if child is not None:
            child.kill()
        if sink is not None:
            sink.finish()
        if child is not None:
            child.close()
        if channel is not None:
            channel.close()
        return sink.text() if sink is not None else ""

    def _kill(self) -> None:
        if (child := self._child) is not None:
            child.kill()

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


def resident(sandbox: Sandbox) -> Sandbox:
    """The sandbox for a process that stays: with the worker's script, and with calls limited one by one."""
    limits: Limits = sandbox.limits
    if limits.cpu_seconds is None:
        limits = replace(limits, cpu_seconds=UNLIMITED_CPU)
    return replace(sandbox, limits=limits, files={**sandbox.files, INSIDE: SCRIPT.read_bytes()})


def find_r() -> str:
    """Where R is; a clear error when it is not installed."""
    program = shutil.which("R", path="/usr/local/bin:/usr/bin:/bin:/opt/R/bin")
    if program is None:
        raise PartMissing("R is not installed", hint="On Debian: apt-get install r-base-core r-cran-jsonlite")
    return program
