"""Checking a transformation without running it."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mcp_core import READS, Example, Result, ToolArguments, ToolContext
from rolltop.workspace import Workspace

__all__ = ["ValidateUtlx", "validate_utlx"]

PROGRAM = "UTL-X expression; the header is optional."
SCHEMA = "JSON Schema or structure from {tool:get_input_schema}; a property per input."


class Finding(TypedDict):
    line: int
    column: int
    severity: Literal["error", "warning", "info"]
    message: str
    code: NotRequired[str]
    suggestion: NotRequired[str]


class Warned(TypedDict):
    line: int
    column: int
    message: str
    code: NotRequired[str]
    suggestion: NotRequired[str]


class Edit(TypedDict):
    line: int
    column: int
    endLine: int
    endColumn: int
    old: str
    new: str


class Repair(TypedDict):
    transformation: str
    edits: list[Edit]
    reasons: list[str]
    complete: NotRequired[bool]


class Validation(TypedDict):
    valid: bool
    errors: list[Finding]
    warnings: list[Warned]
    repair: NotRequired[Repair]


class ValidateUtlx(ToolArguments):
    transformation: str = Field(description=PROGRAM)
    input_schema: dict[str, Any] | None = Field(default=None, alias="inputSchema", description=SCHEMA)
    strict_mode: bool = Field(
        default=True,
        alias="strictMode",
        description="A mismatch of types is an error.",
    )


_PROGRAM = """%utlx 1.0
input json
output json
---
{
  name: $input.customer.name,
  total: sum($input.items |> map(i => i.price))
}"""
_ITEMS = {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}}


@ToolArguments.declare(
    toolset="transform",
    annotations=READS,
    examples=[
        Example(
            {"transformation": "{ total: sum($input.items"},
            why="Find out why a program does not parse.",
            expect="valid is false; every syntax error with line, column, code and suggestion.",
        ),
        Example(
            {"transformation": _PROGRAM, "inputSchema": {"type": "object", "properties": {"items": _ITEMS}}},
            why="Check a draft against the input before running it.",
            expect="valid is true; a warning at 7:40 that price is optional, and how to give it a default.",
        ),
    ],
    usage="Take repair if it is what you meant, else correct the errors; call again. Warnings: fails for some inputs.",
)
async def validate_utlx(args: ValidateUtlx, ctx: ToolContext[Workspace]) -> Result[Validation]:
    """Check a UTL-X transformation.

    Finds syntax errors, unknown names, wrong types. Before the first program read utlx://language.

    Use it to check the syntax of a program, and to find errors and mistakes.
    """
    answer = await ctx.workspace.transform.ask(
        "validate", transformation=args.transformation, input_schema=args.input_schema, strict=args.strict_mode
    )
    return Result.ok(answer)
