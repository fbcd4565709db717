"""Running a transformation on sample data."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mcp_core import READS, Example, Result, ToolArguments, ToolContext
from rolltop.errors import InvalidInput
from rolltop.tools.transform.validating import PROGRAM
from rolltop.workspace import Workspace

__all__ = ["ExecuteTransformation", "execute_transformation"]

DataFormat = Literal["xml", "json", "csv", "yaml", "xsd", "json-schema", "avro", "protobuf"]
AnyFormat = Literal[
    "xml", "json", "csv", "yaml", "xsd", "json-schema", "avro", "protobuf", "jsonl", "odata", "osch", "tsch"
]  # fmt: skip


class Executed(TypedDict):
    success: bool
    output: str
    executionTime: float


class NamedInput(BaseModel):
    data: str = Field(description="The data itself.")
    format: str = Field(max_length=40, description="Such as csv.")


class ExecuteTransformation(ToolArguments):
    transformation: str = Field(description=PROGRAM)
    input_data: str = Field(alias="inputData", description="The data itself.")
    input_format: AnyFormat = Field(alias="inputFormat", description="Format of inputData.")
    output_format: AnyFormat = Field(alias="outputFormat", description="Format of the output.")
    inputs: dict[str, NamedInput] = Field(
        default={},
        max_length=20,
        description="Further inputs by name; inputData is the one not named.",
    )


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
            {
                "transformation": "%utlx 1.0\ninput: orders json, names csv\noutput json\n---\n"
                "$orders |> map(o => { id: o.id, name: lookupBy(o.id, $names, n => n.id)?.name })",
                "inputData": '[{"id": 1}]',
                "inputFormat": "json",
                "outputFormat": "json",
                "inputs": {"names": {"data": "id,name\n1,Ann\n", "format": "csv"}},
            },
            why="Join two inputs.",
            expect="One object with id 1 and name Ann.",
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

    Use it to see that a program does what it should. It runs with limits on time and memory, without files or network.
    Syntax: the resource utlx://language.
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
        **({"inputs": {name: given.model_dump() for name, given in args.inputs.items()}} if args.inputs else {}),
    )
    return Result.ok(answer)
