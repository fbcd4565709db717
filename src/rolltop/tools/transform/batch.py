"""One transformation over many inputs."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import PurePosixPath
from typing import Any, NotRequired
from urllib.parse import unquote

from pydantic import Field
from typing_extensions import TypedDict

from mcp_core import WRITES, Example, ResourceLink, Result, ToolArguments, ToolContext
from rolltop.errors import Cancelled, RolltopError
from rolltop.recorder import Recorder
from rolltop.references import Keep, keep_wanted
from rolltop.tools.transform.envelope import code_of
from rolltop.tools.transform.executing import AnyFormat
from rolltop.tools.transform.memory import ask
from rolltop.tools.transform.sources import as_argument, expand_sources, read_source
from rolltop.tools.transform.validating import PROGRAM
from rolltop.transform.service.failures import VALIDATION_ERROR
from rolltop.workspace import Workspace

__all__ = ["TransformBatch", "transform_batch"]

KEEP_EACH = "Store the outputs: folder, or {name, tags, metadata}."
AT_ONCE = 4
"""Runs of one batch at the same time; the other workers stay free for others."""


class Item(TypedDict):
    input: str
    success: bool
    output: NotRequired[str]
    executionTime: NotRequired[float]
    error: NotRequired[dict[str, Any]]
    kept: NotRequired[dict[str, str]]


class Batch(TypedDict):
    results: list[Item]
    total: int
    succeeded: int
    failed: int
    nextOffset: NotRequired[int]


class TransformBatch(ToolArguments):
    transformation: str = Field(description=PROGRAM)
    inputs: list[str] = Field(
        min_length=1,
        max_length=1000,
        description="Paths, patterns (orders/**/*.xml), doc://NAME, URIs.",
    )
    input_format: AnyFormat = Field(alias="inputFormat", description="Of every input.")
    output_format: AnyFormat = Field(alias="outputFormat", description="Of every output.")
    offset: int = Field(default=0, ge=0, description="nextOffset of the last answer.")
    limit: int = Field(default=50, ge=1, le=1000, description="Most inputs.")
    keep: Keep | None = Field(default=None, description=KEEP_EACH)


@ToolArguments.declare(
    toolset="transform",
    annotations=WRITES,
    writes_with="keep",
    examples=[
        Example(
            {
                "transformation": "$input.total",
                "inputs": ["orders/*.json"],
                "inputFormat": "json",
                "outputFormat": "json",
            },
            why="Run a program over all files of a directory.",
            expect="One result per file; INVALID_INPUT where nothing matches.",
            fails="INVALID_INPUT",
        )
    ],
    usage="Try the program on one input with {tool:execute_transformation} first. One that fails stops no other.",
)
async def transform_batch(args: TransformBatch, ctx: ToolContext[Workspace]) -> Result[Batch]:
    """Run one transformation over many inputs.

    For files or stored documents; each has its own result. One input:
    {tool:execute_transformation}.

    Use it to convert all files of a folder, or many orders, at once.
    """
    names = await ctx.run(expand_sources, ctx.workspace, args.inputs)
    chosen = names[args.offset : args.offset + args.limit]
    wanted, places = keep_wanted(ctx, args.keep), _places(names, args.output_format)
    program = await Recorder(ctx, args).text("program", args.transformation)
    gate, done = asyncio.Semaphore(AT_ONCE), 0

    async def run(name: str, *, first: bool = False) -> Item:
        nonlocal done
        async with gate:
            name_kept = f"{wanted.name.rstrip('/')}/{places[name]}" if wanted is not None else ""
            recorder = Recorder(ctx, _single(args, name, name_kept))
            await recorder.text("program", args.transformation)
            item = await _run(args, program, name, ctx, recorder, first=first)
            if wanted is not None and item["success"]:
                kept = await recorder.keep(wanted, item["output"], name=name_kept)
                await recorder.record()
                links.append(kept.link())
                item["kept"] = kept.told()
        done += 1
        await ctx.progress(done, len(chosen), name)
        return item

    links: list[ResourceLink] = []
    # One first: a program that is wrong is so for every input, and is told once.
    results = [await run(name, first=True) for name in chosen[:1]]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(name)) for name in chosen[1:]]
    results += [task.result() for task in tasks]
    good = sum(item["success"] for item in results)
    batch: Batch = {"results": results, "total": len(names), "succeeded": good, "failed": len(results) - good}
    if args.offset + len(chosen) < len(names):
        batch["nextOffset"] = args.offset + len(chosen)
    return Result.ok(batch, content=links)


def _single(args: TransformBatch, name: str, name_kept: str) -> TransformBatch:
    """The call that makes one of the outputs again, under the same name."""
    keep = {**(args.keep if isinstance(args.keep, dict) else {}), "name": str(PurePosixPath(name_kept).parent)}
    return args.model_copy(update={"inputs": [name], "offset": 0, "keep": keep if name_kept else None})


def _places(inputs: list[str], output_format: str) -> dict[str, str]:
    """A name for each output: the input's own with the ending of the format, or its path where two share a name."""
    stems = {each: PurePosixPath(unquote(each.partition("://")[2] or each)).with_suffix("") for each in inputs}
    shared = Counter(stem.name for stem in stems.values())
    chosen = {each: stem.name if shared[stem.name] == 1 else str(stem).strip("/") for each, stem in stems.items()}
    return {each: f"{name}.{output_format}" for each, name in chosen.items()}


async def _run(
    args: TransformBatch, program: str, name: str, ctx: ToolContext[Workspace], recorder: Recorder, *, first: bool
) -> Item:
    try:
        data = await read_source(ctx, recorder, name)
        answer = await ask(
            ctx,
            "execute",
            transformation=program,
            **as_argument("data", data),
            input_format=args.input_format,
            output_format=args.output_format,
        )
    except Cancelled:
        raise
    except RolltopError as error:
        code = code_of(error.error_type)
        if first and code == VALIDATION_ERROR:
            raise
        details = {**error.details, **({"hint": error.hint} if error.hint else {})}
        shown = {"code": code, "message": error.message, "details": details}
        return {"input": name, "success": False, "error": shown}
    return {"input": name, "success": True, "output": answer["output"], "executionTime": answer["executionTime"]}
