"""Running a transformation on sample data."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Literal

from pydantic import Field
from typing_extensions import TypedDict

from mcp_core import READS, Example, Result, ToolArguments, ToolContext
from rolltop.errors import InvalidInput
from rolltop.tools.transform.validating import PROGRAM
from rolltop.workspace import Workspace

__all__ = ["ExecuteTransformation", "execute_transformation"]

DataFormat = Literal["xml", "json", "csv", "yaml", "xsd", "json-schema", "avro", "protobuf"]


class Executed(TypedDict):
    success: bool
    output: str
    executionTime: float


class ExecuteTransformation(ToolArguments):
    transformation: str = Field(description=PROGRAM)
    input_data: str = Field(alias="inputData", description="The data itself.")
    input_format: DataFormat = Field(alias="inputFormat", description="Of inputData.")
    output_format: DataFormat = Field(alias="outputFormat", description="Of the output.")


@ToolArguments.declare(
    toolset="transform",
    annotations=READS,
    examples=[
        Example(
            {
                "transformation": "{ name: $input.customer.name }",
                "inputData": '{"customer": {"name": "John"}}',
                "inputFormat": "json",
                "outputFormat": "json",
            },
            why="Try a program on a sample.",
            expect="The output as text, and the time it took in milliseconds.",
        ),
        Example(
            {
                "transformation": "$input |> filter(row => row.age > 30) |> map(row => row.name)",
                "inputData": "name,age\nAnn,41\nBob,29\n",
                "inputFormat": "csv",
                "outputFormat": "yaml",
            },
            why="Read one format and write another.",
            expect="A YAML list with Ann.",
        ),
        Example(
            {"transformation": "1 / ", "inputData": "{}", "inputFormat": "json", "outputFormat": "json"},
            why="See how a wrong program is answered.",
            expect="VALIDATION_ERROR with line and column.",
            fails="VALIDATION_ERROR",
        ),
    ],
    usage="Pass a small sample that has the cases you care about. On an error read line, column and stackTrace.",
)
async def execute_transformation(args: ExecuteTransformation, ctx: ToolContext[Workspace]) -> Result[Executed]:
    """Run a UTL-X transformation on sample data.

    Converts one input: XML, JSON, CSV or YAML to another format. Many: {tool:transform_batch}. Syntax: utlx://language.

    It runs with limits on time and memory, without files or network.

    Use it to turn data of one format into another, and to try a program on a sample.
    """
    if args.input_data.startswith("doc://") and "\n" not in args.input_data.strip():
        raise InvalidInput(
            "inputData is the address of a document, not data",
            hint=f"{ctx.name_of('transform_batch')} takes doc://NAME; or read it first and pass its content.",
        )
    answer = await ctx.workspace.transform.ask(
        "execute",
        transformation=args.transformation,
        data=args.input_data,
        input_format=args.input_format,
        output_format=args.output_format,
    )
    return Result.ok(answer)
