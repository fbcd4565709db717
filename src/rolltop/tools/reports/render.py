"""The tool that renders."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, Field

from mcp_core import FROM_DOCUMENTS, RUNS, Block, Example, Image, ResourceLink, Result, Text, ToolArguments, ToolContext
from rolltop.recorder import Recorder
from rolltop.references import Keep, Kept, Wanted, keep_wanted
from rolltop.reports import Event, RenderOptions, Report, Watcher
from rolltop.reports.names import figure_uri, output_uri, source_uri, stem_of
from rolltop.reports.results.knitted_text import figure_links
from rolltop.tools.reports.example import CREATED
from rolltop.workspace import Workspace

__all__ = ["render_rmd"]

SHOWN_FIGURES = 4
SHOWN_BYTES = 512 * 1024
SHARE = 0.4
"""How much of an answer's budget the text may take: it stands in the content and in the structure."""
LONGEST = 1800.0
"""Seconds for a whole call: building the image, when it has to be, takes minutes."""


_COMPOSE = "Whether to use docker-compose (true) or Dockerode (false). Here false: renderer decides."


class RenderRmd(ToolArguments):
    filename: str = Field(description="Filename of the R Markdown file to render")
    format: Literal["html", "pdf", "word"] = Field(default="html", description="Output format (html, pdf, or word)")
    use_docker_compose: bool = Field(default=False, description=_COMPOSE)
    formats: list[Literal["html", "pdf", "word", "pptx", "md", "ipynb"]] | None = Field(
        default=None, description="Several, from one run; instead of format.", min_length=1
    )
    renderer: Literal["auto", "local", "docker", "compose"] | None = Field(
        default=None, description="Where R runs; auto (default): locally, else Docker."
    )
    engine: Literal["rmarkdown", "fast"] | None = Field(
        default=None, description="fast: plain pages; rmarkdown (default): full fidelity."
    )
    params: dict[str, Any] | None = Field(default=None, description="Values for the front matter's params.")
    timeout: float | None = Field(default=None, gt=0, description="Seconds.")
    figures: Literal["auto", "png", "none"] = Field(default="auto", description="Show plots as images.")
    keep: Keep | None = Field(default=None, description="Store: name or {name, tags, metadata, figures: true}.")
    fresh: bool = Field(default=False, description="Render again even if nothing changed.")


class File(BaseModel):
    name: str = Field(description="File name.")
    uri: str = Field(description="Where to read it.")
    mime_type: str = Field(description="Its type.")
    size: int = Field(description="Bytes.")


class RenderedRmd(BaseModel):
    source: str = Field(description="The document.")
    outputs: list[File] = Field(description="What was rendered.")
    figures: list[File] = Field(description="The plots.")
    renderer: str = Field(description="Where R ran: local, docker or compose.")
    confinement: str = Field(description="What held it.")
    text: str = Field(description="What the document says once its code has run, as Markdown; the beginning of it.")
    text_uri: str = Field(description="Where all of the text is.")
    next_offset: int | None = Field(
        description="Where the rest of the text begins, for read_resource with text_uri; null when this is all."
    )
    engine: str = Field(description="Which engine rendered.")
    engine_note: str | None = Field(description="Why it is not the engine asked for.")
    outdated: bool = Field(description="Whether the document was changed while it was rendered.")
    cached: bool = Field(description="Whether nothing had changed and the earlier result stands.")
    knits: int = Field(description="How often the document's code ran.")
    reused_chunks: list[str] = Field(description="Chunks with cache=TRUE that did not run again.")
    seconds: float = Field(description="How long this call took.")
    phases: dict[str, float] = Field(description="Milliseconds by phase, of the render itself.")
    versions: dict[str, str] = Field(description="R, packages and pandoc that rendered.")
    warnings: list[str] = Field(description="What may not be as it was meant.")
    kept: list[dict[str, str]] | None = Field(default=None, description="What was stored: uri and hash.")


@ToolArguments.declare(
    toolset="reports",
    annotations=RUNS,
    timeout=LONGEST,
    examples=[
        Example(
            {"filename": "example", "format": "html"},
            why="Render a document to a web page.",
            expect="Successfully rendered example.Rmd to example.html",
            before=CREATED,
        )
    ],
    usage="The answer has the text and the first plots; the file is rmd-output:///NAME.html (.pdf, .docx, .pptx). "
    "Long texts go on with {tool:read_resource}. On failure the answer names chunk and line.",
    tags=[FROM_DOCUMENTS],
)
async def render_rmd(args: RenderRmd, ctx: ToolContext[Workspace]) -> Result[RenderedRmd]:
    """Render an R Markdown file to HTML, PDF, or Word.

    Runs its R code in a sandbox without network.

    Use it after {tool:create_rmd}. The code sees only the document's side files.

    Use it to knit a report, and to make a PDF, a Word document or a web page of it.
    """
    reports, recorder = ctx.workspace.reports, Recorder(ctx, args)
    wanted = keep_wanted(ctx, args.keep, figures=True)
    options = RenderOptions(
        formats=args.formats or [args.format],
        renderer="compose" if args.use_docker_compose else args.renderer,
        engine=args.engine,
        params=args.params,
        timeout=args.timeout,
        figures=args.figures != "none",
        fresh=args.fresh,
    )
    before = await ctx.run(reports.listing.state)
    async with _progress(ctx) as watch:
        report = await reports.render(args.filename, options, watch)
    _announce(ctx, before, await ctx.run(reports.listing.state))
    value = _value(report, int(ctx.budget * SHARE))
    notes = [Text("\n".join(report.notes))] if report.notes else []
    shown = [] if args.figures == "none" else _images(report)
    links = _links(report)
    if wanted is not None:
        kept = [await _keep(ctx, recorder, wanted, f, alone=len(report.outputs) == 1) for f in report.outputs]
        kept += await _keep_figures(recorder, wanted, report)
        value.kept = [each.told() for each in kept]
        links += [each.link() for each in kept]
    await _record(recorder, report)
    content: list[Block] = [*notes, *links, *_text_block(value, ctx.name_of("read_resource")), *shown]
    return Result.ok(value, report.sentence, content=content)


async def _record(recorder: Recorder, report: Report) -> None:
    for path, (digest, size) in report.used.items():
        recorder.used("document" if path == report.source else "side file", source_uri(path), digest, size)
    for name, (digest, size) in report.made.items():
        recorder.made("output", output_uri(name), digest, size)
    await recorder.record({**report.versions, "engine": report.engine, "renderer": report.renderer})


async def _keep_figures(recorder: Recorder, wanted: Wanted, report: Report) -> list[Kept]:
    """Store the plots, if that was asked for, in a folder that has the name of the report."""
    folder = wanted.name.removesuffix(PurePosixPath(wanted.name).suffix)
    figures = report.figures if wanted.figures else ()
    return [await recorder.keep(wanted, f.data, name=f"{folder}/{f.name}", mime=f.mime_type) for f in figures]


async def _keep(ctx: ToolContext[Workspace], recorder: Recorder, wanted: Wanted, file: Any, *, alone: bool) -> Kept:
    """Store a rendered file; a name without its ending, or for several files, gets the ending of each."""
    ending = PurePosixPath(file.name).suffix
    name = wanted.name if alone and PurePosixPath(wanted.name).suffix else wanted.name.removesuffix(ending) + ending
    data = await ctx.run(ctx.workspace.reports.outputs.read, file.name)
    return await recorder.keep(wanted, data, name=name, mime=file.mime_type)


@asynccontextmanager
async def _progress(ctx: ToolContext[Workspace]) -> AsyncIterator[Watcher]:
    """A watcher that passes events on in order without ever making the render wait."""
    events: asyncio.Queue[Event] = asyncio.Queue()

    async def pump() -> None:
        count = 0
        while True:
            event = await events.get()
            count += 1
            await ctx.progress(count, None, str(event))

    task = asyncio.create_task(pump())
    try:
        yield events.put_nowait
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _announce(ctx: ToolContext[Workspace], before: dict[str, Any], after: dict[str, Any]) -> None:
    if before.keys() != after.keys():
        ctx.resources_changed()
    for uri, state in after.items():
        if before.get(uri) != state:
            ctx.resource_changed(uri)


def _text_block(value: RenderedRmd, reader: str) -> list[Text]:
    if not value.text:
        return []
    more = f"\n\n(More: {reader} with uri {value.text_uri} and offset {value.next_offset}.)"
    return [Text(value.text + (more if value.next_offset else ""))]


def _value(report: Report, room: int) -> RenderedRmd:
    stem = stem_of(report.source)
    text = figure_links(report.text, stem, figure_uri(stem, ""))
    return RenderedRmd(
        source=report.source,
        outputs=[File(name=f.name, uri=output_uri(f.name), mime_type=f.mime_type, size=f.size) for f in report.outputs],
        figures=[
            File(name=f.name, uri=figure_uri(stem_of(report.source), f.name), mime_type=f.mime_type, size=f.size)
            for f in report.figures
        ],
        text=text[:room],
        text_uri=output_uri(f"{stem}.md"),
        next_offset=room if len(text) > room else None,
        renderer=report.renderer,
        confinement=report.confinement,
        engine=report.engine,
        engine_note=report.engine_note,
        outdated=report.outdated,
        cached=report.cached,
        knits=report.knits,
        reused_chunks=list(report.reused),
        seconds=round(report.seconds, 4),
        phases=dict(report.phases),
        versions=dict(report.versions),
        warnings=list(report.warnings),
    )


def _links(report: Report) -> list[ResourceLink]:
    return [
        ResourceLink(output_uri(f.name), f"Rendered: {f.name}", f"Rendered output: {f.name}", f.mime_type, f.size)
        for f in report.outputs
    ]


def _images(report: Report) -> list[Image]:
    """The first plots, as far as a model can look at them."""
    visible = [f for f in report.figures if f.mime_type in ("image/png", "image/jpeg") and f.size <= SHOWN_BYTES]
    return [Image(f.data, f.mime_type) for f in visible[:SHOWN_FIGURES]]
