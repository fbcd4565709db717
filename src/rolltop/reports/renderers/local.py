"""Renders with the R of this machine, confined: warm and forked where a warm R waits, else in a new sandbox."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from rolltop.confine import Finished, Limits, Sandbox, run_async
from rolltop.errors import PartMissing, RolltopError, SizeLimit
from rolltop.reports.config import MIB, ReportsConfig
from rolltop.reports.installation.python_packages import python_mounts, python_path
from rolltop.reports.installation.r_installation import RInstallation, find_r
from rolltop.reports.job import Availability, Event, Rendered, RenderJob, Watcher
from rolltop.reports.r_code import ONCE, bootstrap, code_line
from rolltop.reports.renderers.interruptions import Following, no_answer, too_much_memory, took_too_long
from rolltop.reports.renderers.stream_output import StreamReading
from rolltop.reports.renderers.warm import WarmPool

__all__ = ["LocalRenderer", "sandbox_for"]

PROGRAMS = ("R", "pandoc", "pdflatex", "python3")


def sandbox_for(config: ReportsConfig, seconds: float, r: RInstallation | None = None) -> Sandbox:
    """No network, a read-only system, the libraries of R, an own /tmp, and the limits of the settings."""
    limits = Limits(
        seconds=seconds,
        cpu_seconds=int(seconds) + 1,
        memory=config.memory * MIB,
        processes=config.processes,
        tmp_size=config.tmp_size * MIB,
        file_size=config.tmp_size * MIB,
        output=config.output_limit * MIB * 2,
    )
    mounts, env = (r.mounts, r.environment) if r else ((), {})
    mounts = (*mounts, *python_mounts(config.python_libraries))
    env = {**env, "PYTHONPATH": python_path(config.python_libraries)}
    allow = True if config.allow_unconfined else None
    return Sandbox(limits=limits, mounts=mounts, env=env, allow_unconfined=allow)


class LocalRenderer:
    """R in bubblewrap. Nothing of the workspace is visible inside: request and answer go through pipes."""

    name = "local"

    def __init__(self, config: ReportsConfig, documents: Path | None = None) -> None:
        self.config = config
        self.r = find_r(documents, config.libraries, os.environ)
        warm = config.warm and self.r is not None and self.r.is_usual
        self.pool = WarmPool(config, sandbox_for(config, config.max_timeout, self.r)) if warm else None

    async def available(self) -> Availability:
        if self.r is None:
            return Availability(False, "R is not installed", "On Debian: apt-get install r-base-core r-cran-rmarkdown")
        if self.r.library_of("rmarkdown") is None:
            return Availability(False, "R has no rmarkdown", "On Debian: apt-get install r-cran-rmarkdown")
        if shutil.which("pandoc") is None:
            return Availability(False, "pandoc is not installed", "On Debian: apt-get install pandoc")
        return Availability(True)

    async def fingerprint(self) -> str:
        return await asyncio.to_thread(_fingerprint, self.r)

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
            sandbox_for(self.config, at.job.timeout, self.r),
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


def _fingerprint(r: RInstallation | None) -> str:
    """Programs and packages by name, size and time: cheap, and every installation changes it."""
    digest = hashlib.sha256()
    for line in (*_programs(), *_packages(r.libraries if r else ())):
        digest.update(line.encode())
    return f"local:{digest.hexdigest()[:24]}"


def _programs() -> Iterator[str]:
    for name in PROGRAMS:
        path = shutil.which(name)
        info = os.stat(path) if path else None
        yield f"{name}:{info.st_size}:{info.st_mtime_ns}\n" if info else f"{name}:-\n"


def _packages(libraries: tuple[Path, ...]) -> Iterator[str]:
    for library in libraries:
        try:
            with os.scandir(library) as entries:
                yield from sorted(f"{entry.name}:{entry.stat().st_mtime_ns}\n" for entry in entries)
        except OSError:
            continue
