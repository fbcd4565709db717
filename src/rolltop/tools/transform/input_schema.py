"""What the input of a transformation looks like."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mcp_core import READS, Example, Result, ToolArguments, ToolContext
from rolltop.recorder import Recorder
from rolltop.tools.transform.executing import DataFormat
from rolltop.tools.transform.memory import FRESH, ask
from rolltop.tools.transform.sources import as_argument, read_related, read_source
from rolltop.workspace import Workspace

__all__ = ["GetInputSchema", "get_input_schema"]

Mode = Literal["instance", "schema"]


class Described(TypedDict):
    format: str
    mode: Mode
    structure: dict[str, Any]
    options: NotRequired[dict[str, str]]
    sampled: NotRequired[dict[str, int]]
    summary: str
    memoised: NotRequired[bool]


class GetInputSchema(ToolArguments):
    source: str = Field(description="Data, path, doc://NAME or another URI.")
    format: DataFormat = Field(description="Format of the source.")
    mode: Mode | None = Field(
        default=None,
        description="Data (instance) or schema; default: found out.",
    )
    fresh: bool = Field(default=False, description=FRESH)


@ToolArguments.declare(
    toolset="transform",
    annotations=READS,
    examples=[
        Example(
            {
                "source": '<Order id="7"><Item>Tea</Item></Order>',
                "format": "xml",
            },
            why="Learn the structure of sample data.",
            expect="Order with its attribute id and Item, examples, a summary.",
        ),
        Example(
            {"source": "orders/missing.xml", "format": "xml"},
            why="See what a wrong path gives.",
            expect="INVALID_INPUT.",
            fails="INVALID_INPUT",
        ),
    ],
    usage="Begin with it. Pass its structure as inputSchema to {tool:validate_utlx} and {tool:infer_output_schema}.",
)
async def get_input_schema(args: GetInputSchema, ctx: ToolContext[Workspace]) -> Result[Described]:
    """Get the structure of data or of a schema.

    Fields, types, how often they occur, sample values. Use it first.

    Use it to learn what data looks like inside, which fields, columns or elements it has, and to infer a schema from a
    sample.
    """
    data = await read_source(ctx, Recorder(ctx, args), args.source)
    more = await ctx.run(read_related, ctx.workspace, args.source, data, args.format)
    answer = await ask(
        ctx,
        "describe",
        fresh=args.fresh,
        source_format=args.format,
        mode=args.mode,
        **as_argument("source", data),
        **more,
    )
    return Result.ok(answer)
