"""Examples that are like the task at hand."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from pydantic import Field
from typing_extensions import TypedDict

from mcp_core import READS, Example, Result, ToolArguments, ToolContext
from rolltop.transform.examples import Example as Found
from rolltop.transform.examples import Wanted
from rolltop.workspace import Workspace

__all__ = ["GetExamples", "get_examples"]


class ExampleInfo(TypedDict):
    name: str
    description: str
    transformation: str
    input: str
    output: str
    relevance: float


class Examples(TypedDict):
    examples: list[ExampleInfo]


class GetExamples(ToolArguments):
    input_format: str = Field(alias="inputFormat", max_length=40, description="Such as xml.")
    output_format: str = Field(alias="outputFormat", max_length=40, description="Such as json.")
    functions: list[str] = Field(default=[], max_length=100, description="Functions to use.")
    description: str | None = Field(default=None, max_length=2000, description="The task in your words.")
    limit: int = Field(default=5, ge=1, le=50, description="Most examples.")


@ToolArguments.declare(
    toolset="transform",
    annotations=READS,
    examples=[
        Example(
            {"inputFormat": "xml", "outputFormat": "json", "description": "order items to invoice"},
            why="See how others did something like it.",
            expect="Complete examples; the first turns XML orders into JSON invoices.",
        )
    ],
    usage="Describe the task in a few words and take the program of the best example as a start.",
)
async def get_examples(args: GetExamples, ctx: ToolContext[Workspace]) -> Result[Examples]:
    """Find example transformations.

    Programs with input and output, for a task in words.

    Every example was run: its output is what the program gives for its input. The syntax is in the resource
    utlx://language.

    Use it to find a sample program for a mapping, as a template.
    """
    wanted = Wanted(
        args.input_format.lower(),
        args.output_format.lower(),
        tuple(args.functions),
        args.description or "",
        args.limit,
    )
    found = await ctx.run(ctx.workspace.transform.examples, wanted)
    return Result.ok({"examples": [_info(example, relevance) for example, relevance in found]})


def _info(example: Found, relevance: float) -> ExampleInfo:
    return {
        "name": example.name,
        "description": example.description,
        "transformation": example.transformation,
        "input": example.input,
        "output": example.output,
        "relevance": relevance,
    }
