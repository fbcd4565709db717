"""Running a transformation on sample data."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Literal, NotRequired

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mcp_core import WRITES, Example, Result, ToolArguments, ToolContext
from rolltop.recorder import Recorder
from rolltop.references import KEEP, Keep, keep_wanted
from rolltop.tools.transform.memory import FRESH, ask
from rolltop.tools.transform.sources import as_argument, read_data
from rolltop.tools.transform.validating import PROGRAM
from rolltop.workspace import Workspace

__all__ = ["ExecuteTransformation", "execute_transformation"]

DataFormat = Literal["xml", "json", "csv", "yaml", "xsd", "json-schema", "avro", "protobuf"]
AnyFormat = Literal[
    "xml", "json", "csv", "yaml", "xsd", "json-schema", "avro", "protobuf",
    "jsonl", "odata", "osch", "tsch", "toml", "xlsx",
]  # fmt: skip


class Executed(TypedDict):
    success: bool
    output: str
    executionTime: float
    logs: NotRequired[list[dict[str, str]]]
    kept: NotRequired[dict[str, str]]
    memoised: NotRequired[bool]


class NamedInput(BaseModel):
    data: str = Field(description="As inputData.")
    format: str = Field(max_length=40, description="Such as csv.")


class ExecuteTransformation(ToolArguments):
    transformation: str = Field(description=PROGRAM)
    input_data: str = Field(alias="inputData", description="Data, doc://NAME or another URI.")
    input_format: AnyFormat = Field(alias="inputFormat", description="Its format.")
    output_format: AnyFormat = Field(alias="outputFormat", description="Format.")
    inputs: dict[str, NamedInput] = Field(default={}, max_length=20, description="Further inputs by name.")
    keep: Keep | None = Field(default=None, description=KEEP)
    fresh: bool = Field(default=False, description=FRESH)


@ToolArguments.declare(
    toolset="transform",
    annotations=WRITES,
    writes_with="keep",
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

    Converts one input: XML, JSON, CSV or YAML to another format. Many: {tool:transform_batch}. Syntax: utlx://language.

    It runs with limits on time and memory, without files or network.

    Use it to turn data of one format into another, and to try a program on a sample.
    """
    wanted, recorder = keep_wanted(ctx, args.keep), Recorder(ctx, args)
    inputs = {
        name: {**given.model_dump(), "data": await recorder.text(f"input {name}", given.data)}
        for name, given in args.inputs.items()
    }
    answer = await ask(
        ctx,
        "execute",
        fresh=args.fresh,
        transformation=await recorder.text("program", args.transformation),
        **as_argument("data", await read_data(recorder, args.input_data)),
        input_format=args.input_format,
        output_format=args.output_format,
        **({"inputs": inputs} if inputs else {}),
    )
    links = []
    if wanted is not None:
        kept = await recorder.keep(wanted, answer["output"])
        await recorder.record()
        answer["kept"], links = kept.told(), [kept.link()]
    return Result.ok(answer, content=links)
