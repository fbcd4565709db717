"""The engine's front door: documents in a directory, rendered on request, results kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.reports.cache import RenderCache, job_key
from rolltop.reports.chunks import packages_mentioned, wants_own_knit
from rolltop.reports.config import MIB, RendererName, ReportsConfig
from rolltop.reports.documents import Documents
from rolltop.reports.engines import choose_engine
from rolltop.reports.job import (
    EXTENSIONS,
    Engine,
    Event,
    Format,
    Output,
    Rendered,
    Renderer,
    RenderJob,
    Watcher,
    ignore,
)
from rolltop.reports.listing import Listing
from rolltop.reports.names import stem_of
from rolltop.reports.outputs import OutputFile, Outputs
from rolltop.reports.queue import RenderQueue
from rolltop.reports.renderers.catalogue import Renderers
from rolltop.reports.scripts import code_hash
from rolltop.reports.typeset import Typesetter, typst_installed

__all__ = ["RenderOptions", "Report", "Reports"]


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """What a caller may say about a render; what is left out comes from the settings."""

    formats: Sequence[Format] = ("html",)
    renderer: RendererName | None = None
    engine: Engine | None = None
    params: Mapping[str, Any] | None = None
    timeout: float | None = None
    figures: bool = False
    """Offer the plots as PNG even where the document uses vector figures."""
    fresh: bool = False
    """Render again even when nothing changed."""


@dataclass(frozen=True, slots=True)
class Report:
    """A finished render: what there is now, and how it came about."""

    source: str
    outputs: tuple[OutputFile, ...]
    figures: tuple[OutputFile, ...]
    engine: Engine
    engine_note: str | None
    renderer: str
    confinement: str
    cached: bool
    knits: int
    seconds: float
    phases: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    log: str = ""


class Reports:
    """R Markdown documents in `root` and what was rendered from them in `root/output`."""

    def __init__(self, root: Path, config: ReportsConfig | None = None, *, cache: Path, engine_host: str) -> None:
        self.root = root
        self.config = config or ReportsConfig()
        self.documents = Documents(root, side_limit=self.config.side_limit * MIB)
        self.outputs = Outputs(root / "output")
        self.cache = RenderCache(cache, self.config.cache_limit * MIB)
        self.renderers = Renderers(self.config, engine_host)
        self.queue = RenderQueue(self.config.slots, self.config.queue)
        self.typesetter = Typesetter()
        self.listing = Listing(self.documents, self.outputs)

    async def render(self, filename: str, options: RenderOptions | None = None, watch: Watcher = ignore) -> Report:
        """Render a document; unchanged work is answered from the cache unless the options say `fresh`."""
        began = time.perf_counter()
        options = options or RenderOptions()
        place = await self.renderers.choose(options.renderer or self.config.renderer)
        job, note = await asyncio.to_thread(self._job, filename, options)
        key = job_key(job, f"{code_hash()} {await place.fingerprint()}")
        found = None if options.fresh else await asyncio.to_thread(self.cache.get, key)
        result = found or await self.queue.run(key, lambda tell: self._work(place, job, key, tell), watch)
        await asyncio.to_thread(self.outputs.publish, stem_of(job.source), result.outputs, result.figures)
        return self._report(job, result, note, cached=found is not None, seconds=time.perf_counter() - began)

    async def _work(self, place: Renderer, job: RenderJob, key: str, tell: Watcher) -> Rendered:
        result = await place.render(job, tell)
        if job.engine == "fast" and "pdf" in job.formats:
            tell(Event("pdf"))
            result = replace(result, outputs=await self._typeset(job, result))
        await asyncio.to_thread(self.cache.put, key, result)
        return result

    async def _typeset(self, job: RenderJob, result: Rendered) -> tuple[Output, ...]:
        finish = self.typesetter.finish
        return tuple([await finish(output, result.figures, job.files, job.timeout) for output in result.outputs])

    def _job(self, filename: str, options: RenderOptions) -> tuple[RenderJob, str | None]:
        name = self.documents.existing(filename)
        formats = _checked_formats(options.formats)
        text = self.documents.text(name)
        engine, note = choose_engine(options.engine or self.config.engine, text, formats, typst=typst_installed())
        job = RenderJob(
            source=name,
            files=self.documents.gather(name),
            formats=formats,
            engine=engine,
            params=options.params,
            figures=options.figures,
            separate=len(formats) > 1 and wants_own_knit(text),
            timeout=self._timeout(options.timeout),
            packages=frozenset(packages_mentioned(text)),
            limit=self.config.output_limit * MIB,
        )
        return job, note

    def _timeout(self, given: float | None) -> float:
        seconds = self.config.timeout if given is None else given
        if not 0 < seconds <= self.config.max_timeout:
            raise InvalidInput(f"timeout must be above 0 and at most {self.config.max_timeout:g} seconds")
        return seconds

    def _report(self, job: RenderJob, result: Rendered, note: str | None, *, cached: bool, seconds: float) -> Report:
        names = {output.name for output in result.outputs}
        figures = {figure.name for figure in result.figures}
        stem = stem_of(job.source)
        return Report(
            source=job.source,
            outputs=tuple(file for file in self.outputs.all() if file.name in names),
            figures=tuple(file for file in self.outputs.figures(stem) if file.name in figures),
            engine=job.engine,
            engine_note=note,
            renderer=result.renderer,
            confinement=result.confinement,
            cached=cached,
            knits=result.knits,
            seconds=seconds,
            phases=result.phases,
            versions=result.versions,
            log=result.log,
        )

    def close(self) -> None:
        """End every process that waits for the next render."""
        self.renderers.close()
        self.typesetter.close()


def _checked_formats(formats: Sequence[Format]) -> tuple[Format, ...]:
    unknown = [name for name in formats if name not in EXTENSIONS]
    if unknown or not formats:
        raise InvalidInput("format must be html, pdf or word")
    return tuple(dict.fromkeys(formats))
