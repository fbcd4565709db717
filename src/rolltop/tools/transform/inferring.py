"""What a transformation will put out."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mcp_core import READS, Example, Result, ToolArguments, ToolContext
from rolltop.tools.transform.memory import FRESH, ask
from rolltop.tools.transform.validating import PROGRAM, SCHEMA
from rolltop.workspace import Workspace

__all__ = ["InferOutputSchema", "infer_output_schema"]


class Inferred(TypedDict):
    outputSchema: dict[str, Any]
    confidence: Literal["high", "medium", "low"]
    uncertainFields: NotRequired[list[str]]
    summary: str
    memoised: NotRequired[bool]


class InferOutputSchema(ToolArguments):
    transformation: str = Field(description=PROGRAM)
    input_schema: dict[str, Any] = Field(alias="inputSchema", description=SCHEMA)
    fresh: bool = Field(default=False, description=FRESH)


_PRICE = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}


@ToolArguments.declare(
    toolset="transform",
    annotations=READS,
    examples=[
        Example(
            {"transformation": "{ net: $input.price / 1.21 }", "inputSchema": _PRICE},
            why="See what a program will give before running it.",
            expect="An object with net (number), required; confidence high.",
        )
    ],
    usage="Take inputSchema from {tool:get_input_schema}. Look at uncertainFields: their types depend on the data.",
)
async def infer_output_schema(args: InferOutputSchema, ctx: ToolContext[Workspace]) -> Result[Inferred]:
    """Infer the schema of a program's output.

    From the program and its input's schema; nothing is run.

    Use it to predict what type of output or result a program or mapping produces, without running it.
    """
    answer = await ask(
        ctx, "infer", fresh=args.fresh, transformation=args.transformation, input_schema=args.input_schema
    )
    return Result.ok(answer)
