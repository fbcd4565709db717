"""One transformation over many inputs."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import asyncio
from typing import Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mcp_core import READS, Example, Result, ToolArguments, ToolContext
from rolltop.errors import Cancelled, RolltopError
from rolltop.tools.transform.envelope import code_of
from rolltop.tools.transform.executing import AnyFormat
from rolltop.tools.transform.sources import as_argument, expand_sources, read_source
from rolltop.tools.transform.validating import PROGRAM
from rolltop.transform.service.failures import VALIDATION_ERROR
from rolltop.workspace import Workspace

__all__ = ["TransformBatch", "transform_batch"]

AT_ONCE = 4
"""Runs of one batch at the same time; the other workers stay free for others."""


class Item(TypedDict):
    input: str
    success: bool
    output: NotRequired[str]
    executionTime: NotRequired[float]
    error: NotRequired[dict[str, Any]]


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
        description="Paths, patterns such as orders/**/*.xml, or doc://NAME.",
    )
    input_format: AnyFormat = Field(alias="inputFormat", description="Format of every input.")
    output_format: AnyFormat = Field(alias="outputFormat", description="Format of every output.")
    offset: int = Field(default=0, ge=0, description="Inputs to pass over: nextOffset of the answer before.")
    limit: int = Field(default=50, ge=1, le=1000, description="Most inputs to run now.")


@ToolArguments.declare(
    toolset="transform",
    annotations=READS,
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

    Use it to apply a program that works to many files or stored documents; each has its own result.
    """
    names = await ctx.run(expand_sources, ctx.workspace, args.inputs)
    chosen = names[args.offset : args.offset + args.limit]
    gate, done = asyncio.Semaphore(AT_ONCE), 0

    async def run(name: str, *, first: bool = False) -> Item:
        nonlocal done
        async with gate:
            item = await _run(args, name, ctx, first=first)
        done += 1
        await ctx.progress(done, len(chosen), name)
        return item

    # One first: a program that is wrong is so for every input, and is told once.
    results = [await run(name, first=True) for name in chosen[:1]]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(name)) for name in chosen[1:]]
    results += [task.result() for task in tasks]
    good = sum(item["success"] for item in results)
    batch: Batch = {"results": results, "total": len(names), "succeeded": good, "failed": len(results) - good}
    if args.offset + len(chosen) < len(names):
        batch["nextOffset"] = args.offset + len(chosen)
    return Result.ok(batch)


async def _run(args: TransformBatch, name: str, ctx: ToolContext[Workspace], *, first: bool) -> Item:
    try:
        data = await ctx.run(read_source, ctx.workspace, name)
        answer = await ctx.workspace.transform.ask(
            "execute",
            transformation=args.transformation,
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
