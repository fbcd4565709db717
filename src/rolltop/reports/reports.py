"""The engine's front door: documents in a directory, rendered on request, results kept."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from rolltop.errors import ForeignFailure, NotFound, RolltopError
from rolltop.reports.cache import RenderCache, job_key
from rolltop.reports.chunk_cache import ChunkCache
from rolltop.reports.config import MIB, ReportsConfig
from rolltop.reports.files.documents import Documents
from rolltop.reports.files.outputs import Landed, OutputFile, Outputs
from rolltop.reports.job import (
    EXTENSIONS,
    Engine,
    Event,
    Figure,
    Output,
    Rendered,
    Renderer,
    RenderJob,
    Watcher,
    ignore,
)
from rolltop.reports.listing import Listing
from rolltop.reports.names import stem_of
from rolltop.reports.preparation import Prepared, RenderOptions, prepare
from rolltop.reports.queue import RenderQueue
from rolltop.reports.r_code import code_hash
from rolltop.reports.renderers.selection import Renderers
from rolltop.reports.results.notebook import as_notebook
from rolltop.reports.source.chunk_keys import chunk_keys
from rolltop.reports.typeset import CannotSet, Typesetter

__all__ = ["Report", "Reports"]


class Digest(NamedTuple):
    """What bytes are known by."""

    hash: str
    size: int

    @classmethod
    def of(cls, data: bytes) -> Digest:
        return cls(hashlib.sha256(data).hexdigest(), len(data))


@dataclass(frozen=True, slots=True)
class Report:
    """A finished render: what there is now, and how it came about."""

    source: str
    outputs: tuple[OutputFile, ...]
    text: str
    """The knitted Markdown: what the document says once its code has run."""
    figures: tuple[Figure, ...]
    """The plots themselves: another render may put others in their place at any time."""
    engine: Engine
    engine_note: str | None
    renderer: str
    confinement: str
    cached: bool
    knits: int
    seconds: float
    outdated: bool = False
    """Whether the document was changed while it was rendered."""
    plots_left_out: int = 0
    """Plots beyond those that are kept as files of their own; the outputs have them all."""
    kept: tuple[str, ...] = ()
    """Outputs of a newer text that stay; nothing of this render is then in the output directory."""
    phases: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    reused: tuple[str, ...] = ()
    """Chunks with cache=TRUE that did not run, because nothing before them had changed."""
    log: str = ""
    used: Mapping[str, Digest] = field(default_factory=dict)
    """The document and its side files as they were rendered, by path."""
    made: Mapping[str, Digest] = field(default_factory=dict)
    """The outputs by name; empty where they did not take the place of newer ones."""

    @property
    def sentence(self) -> str:
        """What came of it, in the words that callers are promised; what else there is to say are `notes`."""
        names = ", ".join(output.name for output in self.outputs)
        if self.kept:
            kept = ", ".join(self.kept)
            return (
                f"{self.source} was changed while it was rendered, and {kept} is of the newer text already: "
                "this result was not put in its place"
            )
        return f"Successfully rendered {self.source} to {names}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the result should know: another engine, missing plots, warnings, a newer text."""
        notes = []
        if self.outdated and not self.kept:
            notes.append(f"{self.source} was changed while it was rendered: this is of the text before. Render again.")
        if self.engine_note:
            notes.append(f"Rendered by rmarkdown, not by the fast engine: {self.engine_note}.")
        if self.plots_left_out:
            shown, drawn = len(self.figures), len(self.figures) + self.plots_left_out
            notes.append(f"Of {drawn} plots the first {shown} are resources; the document has them all.")
        if self.reused and not self.cached:
            notes.append(f"Chunks that were not run again: {', '.join(self.reused)}.")
        return (*notes, *(f"Warning: {warning}" for warning in self.warnings))


class Reports:
    """R Markdown documents in `root` and what was rendered from them in `root/output`."""

    def __init__(self, root: Path, config: ReportsConfig | None = None, *, cache: Path, engine_host: str) -> None:
        self.root = root
        self.config = config or ReportsConfig()
        self.documents = Documents(root, side_limit=self.config.side_limit * MIB)
        self.outputs = Outputs(root / "output")
        self.cache = RenderCache(cache, self.config.cache_limit * MIB)
        self.chunks = ChunkCache(cache.with_name(f"{cache.name}-chunks"), self.config.cache_limit * MIB // 4)
        self.renderers = Renderers(self.config, engine_host, root)
        self.queue = RenderQueue(self.config.slots, self.config.queue)
        self.typesetter = Typesetter()
        self.listing = Listing(self.documents, self.outputs)

    async def render(self, filename: str, options: RenderOptions | None = None, watch: Watcher = ignore) -> Report:
        """Render a document; unchanged work is answered from the cache unless the options say `fresh`."""
        began = time.perf_counter()
        options = options or RenderOptions()
        place = await self.renderers.choose(options.renderer or self.config.renderer)
        prepared = await asyncio.to_thread(prepare, self.documents, self.config, filename, options)
        job = prepared.job
        key = job_key(job, f"{code_hash()} {await place.fingerprint()}")
        found = None if options.fresh else await asyncio.to_thread(self.cache.get, key)
        if found is None and place.name == "local":  # containers carry no more than lines of progress
            job = await asyncio.to_thread(self._with_chunks, job, f"{code_hash()} {await place.fingerprint()}", options)
        result = found or await self.queue.run(key, lambda tell: self._work(place, job, key, tell), watch)
        landed = await asyncio.to_thread(self._publish, prepared, result)
        spent = time.perf_counter() - began
        return _report(prepared, result, landed, cached=found is not None, seconds=spent)

    def _publish(self, prepared: Prepared, result: Rendered) -> Landed:
        job = prepared.job

        def is_current() -> bool:
            if not self.documents.has(job.source):
                raise NotFound(
                    f"{job.source} was deleted while it was rendered, so its result was not kept",
                    code="document_not_found",
                    hint="Create the document again to render it.",
                )
            return self.documents.is_still(job.source, prepared.files, prepared.stamps)

        stem = stem_of(job.source)
        return self.outputs.publish(stem, result.outputs, result.figures, prepared.origin, is_current, text=result.text)

    async def _work(self, place: Renderer, job: RenderJob, key: str, tell: Watcher) -> Rendered:
        began = time.monotonic()
        result = await self._render(place, job, tell)
        reason = result.unfit
        if job.engine == "fast" and "pdf" in job.formats and reason is None:
            tell(Event("pdf"))
            try:
                result = replace(result, outputs=await self._typeset(job, result))
            except CannotSet as error:
                reason = str(error)
        if reason is not None:
            left = max(1.0, round(job.timeout - (time.monotonic() - began), 1))
            instead = replace(job, engine="rmarkdown", timeout=left)
            result = await self._render_instead(place, instead, reason, tell)
        if "ipynb" in job.formats:
            result = replace(result, outputs=(*result.outputs, _notebook(job, result)))
        await asyncio.to_thread(self.chunks.put, job.chunk_keys, result.kept)
        result = replace(result, kept={})
        await asyncio.to_thread(self.cache.put, key, result)
        return result

    def _with_chunks(self, job: RenderJob, fingerprint: str, options: RenderOptions) -> RenderJob:
        keys = chunk_keys(job, fingerprint)
        return replace(job, chunk_keys=keys, chunks={} if options.fresh else self.chunks.get(keys))

    async def _render(self, place: Renderer, job: RenderJob, tell: Watcher) -> Rendered:
        """Render with the chunks that are kept, and without them where that fails: they may miss what code needs."""
        if not job.chunks:
            return await place.render(job, tell)
        try:
            return await place.render(job, tell)
        except ForeignFailure:
            await asyncio.to_thread(self.chunks.forget, job.chunk_keys)
            return await place.render(replace(job, chunks={}), tell)

    async def _render_instead(self, place: Renderer, job: RenderJob, reason: str, tell: Watcher) -> Rendered:
        """What the fast engine turned out not to do, once the code had run, rmarkdown renders after all."""
        tell(Event("start", message=f"rmarkdown, not the fast engine: {reason}"))
        try:
            return replace(await place.render(job, tell), engine_note=reason)
        except RolltopError as error:
            error.details["engine_note"] = reason
            error.hint = f"{error.hint or ''} (The fast engine was asked for, but {reason}.)".lstrip()
            raise

    async def _typeset(self, job: RenderJob, result: Rendered) -> tuple[Output, ...]:
        return tuple([await self.typesetter.finish(output, job.timeout) for output in result.outputs])

    def close(self) -> None:
        """End every process that waits for the next render."""
        self.renderers.close()
        self.typesetter.close()


def _notebook(job: RenderJob, result: Rendered) -> Output:
    return Output("ipynb", stem_of(job.source) + EXTENSIONS["ipynb"], as_notebook(result.text, result.figures))


def _report(prepared: Prepared, result: Rendered, landed: Landed, *, cached: bool, seconds: float) -> Report:
    return Report(
        source=prepared.job.source,
        outputs=landed.files,
        text=result.text,
        figures=() if landed.kept else result.figures,
        engine=result.engine,
        engine_note=prepared.note or result.engine_note,
        renderer=result.renderer,
        confinement=result.confinement,
        cached=cached,
        knits=result.knits,
        seconds=seconds,
        outdated=not landed.current,
        kept=landed.kept,
        plots_left_out=0 if landed.kept else result.plots_left_out,
        phases=result.phases,
        versions=result.versions,
        warnings=(*prepared.warnings, *result.warnings),
        reused=result.reused,
        log=result.log,
        used={name: Digest.of(data) for name, data in prepared.files.items()},
        made={} if landed.kept else {output.name: Digest.of(output.data) for output in result.outputs},
    )
