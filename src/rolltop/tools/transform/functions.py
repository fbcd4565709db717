"""The standard library, to look up."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mcp_core import READS, Example, Result, ToolArguments, ToolContext
from rolltop.transform.stdlib.catalog import Entry
from rolltop.workspace import Workspace

__all__ = ["GetStdlibFunctions", "get_stdlib_functions"]

Category = Literal["string", "array", "math", "date", "object", "type", "serialization", "crypto"]


_SEALED = "Fails here: programs that run over MCP see no environment, files or facts about the machine."
_ELSEWHERE = "Described by the registry of functions, but programs here cannot call it."


class Parameter(TypedDict):
    name: str
    type: str
    optional: bool
    description: str


class FunctionInfo(TypedDict):
    name: str
    category: str
    signature: str
    description: str
    parameters: list[Parameter]
    returnType: str
    aliases: NotRequired[list[str]]
    examples: NotRequired[list[str]]
    callable: NotRequired[bool]
    note: NotRequired[str]


class Functions(TypedDict):
    functions: list[FunctionInfo]
    total: int


class GetStdlibFunctions(ToolArguments):
    category: Category | None = Field(default=None, description="Category.")
    search: str | None = Field(default=None, max_length=500, description="Words of name or description.")
    limit: int = Field(default=20, ge=1, le=1000, description="Most functions.")


@ToolArguments.declare(
    toolset="transform",
    annotations=READS,
    examples=[
        Example(
            {"category": "string", "limit": 10},
            why="See which functions work on texts.",
            expect="Ten functions with signatures, parameters and examples, and the total.",
        ),
        Example(
            {"search": "group items by key"},
            why="Find the function for a task.",
            expect="groupBy among the first.",
        ),
    ],
    usage="Search with the words of the task. Names in aliases can be called as well.",
)
async def get_stdlib_functions(args: GetStdlibFunctions, ctx: ToolContext[Workspace]) -> Result[Functions]:
    """Find functions of the UTL-X standard library.

    How they are called, best match first.

    Use it to look up a function: what joins strings, formats dates, sums numbers.
    """
    found = await ctx.run(ctx.workspace.transform.functions, args.search or "", args.category)
    return Result.ok({"functions": [_info(entry) for entry in found[: args.limit]], "total": len(found)})


def _info(entry: Entry) -> FunctionInfo:
    info: FunctionInfo = {
        "name": entry.name,
        "category": entry.category,
        "signature": entry.signature,
        "description": entry.description,
        "parameters": [_parameter(parameter) for parameter in entry.parameters],
        "returnType": entry.returnType,
    }
    if entry.aliases:
        info["aliases"] = entry.aliases
    if entry.examples:
        info["examples"] = entry.examples
    if not entry.callable or entry.asks_environment:
        info["callable"] = False
        info["note"] = _SEALED if entry.asks_environment else _ELSEWHERE
    return info


def _parameter(parameter: Mapping[str, Any]) -> Parameter:
    return {
        "name": parameter["name"],
        "type": parameter["type"],
        "optional": parameter["optional"],
        "description": parameter["description"],
    }
