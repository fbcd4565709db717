"""Renders with the R of this machine, confined: warm and forked where a warm R waits, else in a new sandbox."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Iterator

from rolltop.confine import Finished, Limits, Sandbox, run_async
from rolltop.errors import PartMissing, RolltopError, SizeLimit
from rolltop.reports.config import MIB, ReportsConfig
from rolltop.reports.job import Availability, Event, Rendered, RenderJob, Watcher
from rolltop.reports.renderers.endings import Following, no_answer, too_much_memory, took_too_long
from rolltop.reports.renderers.reading import StreamReading
from rolltop.reports.renderers.warm import WarmPool
from rolltop.reports.scripts import ONCE, bootstrap, code_line

__all__ = ["LocalRenderer", "sandbox_for"]

LIBRARIES = ("/usr/lib/R/library", "/usr/lib/R/site-library", "/usr/local/lib/R/site-library", "/usr/lib64/R/library")
PROGRAMS = ("R", "pandoc", "pdflatex")


def sandbox_for(config: ReportsConfig, seconds: float) -> Sandbox:
    """No network, a read-only system, an own /tmp, and the limits of the settings."""
    limits = Limits(
        seconds=seconds,
        cpu_seconds=int(seconds) + 1,
        memory=config.memory * MIB,
        processes=config.processes,
        tmp_size=config.tmp_size * MIB,
        file_size=config.tmp_size * MIB,
        output=config.output_limit * MIB * 2,
    )
    return Sandbox(limits=limits, allow_unconfined=True if config.allow_unconfined else None)


class LocalRenderer:
    """R in bubblewrap. Nothing of the workspace is visible inside: request and answer go through pipes."""

    name = "local"

    def __init__(self, config: ReportsConfig) -> None:
        self.config = config
        self.pool = WarmPool(config, sandbox_for(config, config.max_timeout)) if config.warm else None

    async def available(self) -> Availability:
        for program, package in (("Rscript", "r-base-core r-cran-rmarkdown"), ("pandoc", "pandoc")):
            if shutil.which(program) is None:
                return Availability(False, f"{program} is not installed", f"On Debian: apt-get install {package}")
        return Availability(True)

    async def fingerprint(self) -> str:
        return await asyncio.to_thread(_fingerprint)

    async def render(self, job: RenderJob, watch: Watcher) -> Rendered:
        if "pdf" in job.formats and job.engine == "rmarkdown" and shutil.which("pdflatex") is None:
            raise PartMissing(
                "LaTeX is not installed, and PDF needs it",
                hint="On Debian: apt-get install texlive-latex-base texlive-latex-recommended lmodern. "
                "Or use engine=fast, or another renderer.",
            )
        at = Following(job, watch, self.name)
        at(Event("start"))
        if self.pool is not None and (rendered := await self.pool.render(at)) is not None:
            return rendered
        return await self._render_cold(at)

    async def _render_cold(self, at: Following) -> Rendered:
        reading = StreamReading(at)
        expression = bootstrap('file("stdin","r")', "render_once(readLines(input,1L))")
        finished = await run_async(
            ["Rscript", "--vanilla", "-e", expression],
            sandbox_for(self.config, at.job.timeout),
            input=code_line(ONCE) + at.job.request() + b"\n",
            on_line=lambda stream, line: reading.take_error_line(line) if stream == "stderr" else None,
        )
        reading.output += finished.stdout
        if finished.reason != "exit":
            raise self._limit_error(finished, at, reading.said)
        ended = f"exit code {finished.exit_code}"
        return reading.result(confinement=str(finished.confinement), ended=ended)

    def _limit_error(self, finished: Finished, at: Following, said: str) -> RolltopError:
        match finished.reason:
            case "time" | "cpu":
                return took_too_long(at, reason=finished.reason)
            case "memory":
                return too_much_memory(at, self.config.memory, reason=finished.reason)
            case "output" | "disk" | "file_size":
                details = at.details(reason=finished.reason)
                return SizeLimit(f"rendering {at.job.source} wrote more than it is allowed", details=details)
            case _:
                return no_answer(at, f"signal {finished.signal}", said)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.close()


def _fingerprint() -> str:
    """Programs and packages by name, size and time: cheap, and every installation changes it."""
    digest = hashlib.sha256()
    for line in (*_programs(), *_packages()):
        digest.update(line.encode())
    return f"local:{digest.hexdigest()[:24]}"


def _programs() -> Iterator[str]:
    for name in PROGRAMS:
        path = shutil.which(name)
        info = os.stat(path) if path else None
        yield f"{name}:{info.st_size}:{info.st_mtime_ns}\n" if info else f"{name}:-\n"


def _packages() -> Iterator[str]:
    for library in LIBRARIES:
        try:
            with os.scandir(library) as entries:
                yield from sorted(f"{entry.name}:{entry.stat().st_mtime_ns}\n" for entry in entries)
        except OSError:
            continue
