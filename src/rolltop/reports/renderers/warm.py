"""Warm R: templates of `rolltop.confine` that render each document in a fork of themselves.

A template has loaded what rendering needs and taken every path once. It renders one document at a time and never
runs a document's code itself. A render that fails, takes too long, is cancelled or leaves anything behind costs its
whole sandbox, which is killed and replaced: no render waits for another's leftovers, and none is reached by them.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

from rolltop.confine import Cancel, Sandbox
from rolltop.confine.cancellation import in_loop, in_thread
from rolltop.confine.pool import Pool
from rolltop.confine.r import call_request, start_r
from rolltop.confine.warm_process import WarmProcess
from rolltop.errors import ForeignFailure, MemoryLimit, RolltopError, SizeLimit, TimeLimit
from rolltop.reports.config import ReportsConfig
from rolltop.reports.job import Rendered
from rolltop.reports.r_code import WARM, code
from rolltop.reports.renderers.interruptions import Following, no_answer, too_much_memory, took_too_long
from rolltop.reports.results.answer import read_answer

__all__ = ["WarmPool"]

_SCRIPT = "/run/rolltop/render.R"


class WarmPool:
    """Up to `slots` warm Rs per set of packages; new ones are made in the background."""

    def __init__(self, config: ReportsConfig, sandbox: Sandbox) -> None:
        self.config = config
        self._sandbox = replace(sandbox, files={**sandbox.files, _SCRIPT: code(WARM).encode()})
        self._pools: dict[frozenset[str], Pool[WarmProcess]] = {}
        self._lock = threading.Lock()
        self._closing = Cancel()

    def pool_for(self, mentioned: frozenset[str] = frozenset()) -> Pool[WarmProcess]:
        """The pool for documents that mention these packages."""
        packages = mentioned & frozenset(self.config.preload)
        with self._lock:
            if packages not in self._pools:
                self._pools[packages] = Pool(lambda: self._start(packages), _end, size=self.config.slots)
            return self._pools[packages]

    def _start(self, packages: frozenset[str]) -> WarmProcess:
        names = ", ".join(f'"{name}"' for name in sorted(packages))
        return start_r(self._sandbox, files=[_SCRIPT], code=f"warm_up(c({names}))", template=True, cancel=self._closing)

    async def ready(self, mentioned: frozenset[str] = frozenset(), count: int = 1) -> None:
        """Wait until so many warm Rs are there, at most `slots`."""
        pool = self.pool_for(mentioned)
        wanted = min(count, self.config.slots)
        pool.prepare(wanted)
        await asyncio.to_thread(pool.join)

    async def render(self, at: Following) -> Rendered | None:
        """Render in a warm R; None when none is ready (one is then being made) or it could not fork."""
        pool = self.pool_for(at.job.packages)
        while (process := pool.take_ready()) is not None and not process.alive:
            await asyncio.to_thread(pool.lose, process)
        if process is None:
            pool.prepare(self.config.slots - pool.busy)
            return None
        told = in_loop(at.take)
        try:
            answer, printed = await in_thread(lambda cancel: self._run(pool, process, at, told, cancel))
        except RolltopError as error:
            if error.error_type == "no_process":
                return None
            raise self._explained(error, at) from None
        if "value" not in answer:
            raise no_answer(at, "its process is gone", printed)
        confinement = str(process.confinement)
        rendered = read_answer(at.job, answer["value"], renderer=at.renderer, confinement=confinement, printed=printed)
        return replace(rendered, kept=at.recorder.chunks)

    def _run(
        self, pool: Pool[WarmProcess], process: WarmProcess, at: Following, told: Any, cancel: Cancel
    ) -> tuple[dict[str, Any], str]:
        clean = False
        try:
            request = call_request("render_text", {"request": at.job.request().decode()})
            answer = process.run_job(request, at.job.timeout, told, cancel)
            printed = process.printed  # now: the next render may be somebody else's
            clean = process.jobs < self.config.warm_uses and process.finish_job()
            return answer, printed
        finally:
            if clean:
                pool.release(process)
            else:
                pool.lose(process)
                pool.prepare(1)

    def _explained(self, error: RolltopError, at: Following) -> RolltopError:
        if isinstance(error, TimeLimit):
            return took_too_long(at)
        if isinstance(error, MemoryLimit):
            return too_much_memory(at, self.config.memory)
        if isinstance(error, SizeLimit):
            return SizeLimit(
                "the render produced more than it is allowed",
                hint="Make smaller figures, or raise output_limit in the [reports] settings.",
                details=at.details(),
            )
        if isinstance(error, ForeignFailure):
            return no_answer(at, "its process is gone", str(error.details.get("output", "")))
        return error

    def close(self) -> None:
        self._closing.cancel()
        with self._lock:
            pools = list(self._pools.values())
        for pool in pools:
            pool.close()


def _end(process: WarmProcess) -> None:
    process.close()
