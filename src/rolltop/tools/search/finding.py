"""Search, describe, call: everything behind three tools, for agents that pay for every token of a list."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from mcp_core import READS, RUNS, Example, Registered, Result, ToolArguments, ToolContext
from mcp_core.description import describe
from mcp_core.search import ToolIndex
from rolltop.errors import NotFound
from rolltop.workspace import Workspace

__all__ = [
    "CallTool",
    "DescribeTool",
    "Description",
    "FoundTools",
    "SearchTools",
    "call_tool",
    "describe_tool",
    "search_tools",
]

TOOLSET = "search"


class SearchTools(ToolArguments):
    query: str = Field(description="What you want to do, in a few words.", min_length=1, max_length=1000)
    limit: int = Field(default=8, description="How many tools to show.", ge=1, le=50)


class FoundTool(BaseModel):
    name: str = Field(description="Name to describe or call it by.")
    purpose: str = Field(description="What it does.")
    arguments: list[str] = Field(description="Its arguments; required ones end with an asterisk.")
    score: float = Field(description="How well it fits; higher is better.")


class FoundTools(BaseModel):
    tools: list[FoundTool] = Field(description="The best first.")
    total: int = Field(description="How many tools there are in all.")


def _others(ctx: ToolContext[Workspace]) -> list[Registered]:
    return [each for each in ctx.registry if each.spec.toolset != TOOLSET and not each.spec.hidden]


@ToolArguments.declare(
    toolset=TOOLSET,
    annotations=READS,
    sections_in_list=True,
    examples=[
        Example(
            {"query": "read a link from an answer"},
            why="Find the tool for a task.",
            expect="read_resource first, with its arguments.",
        )
    ],
    usage="Search in the words of the task; then describe the best tool, or call it if its arguments are clear.",
)
async def search_tools(args: SearchTools, ctx: ToolContext[Workspace]) -> Result[FoundTools]:
    """Find the tool for a task.

    Start here: every other tool is found by it and called with {tool:call_tool}.
    """
    others = _others(ctx)
    found = [
        FoundTool(name=tool.name, purpose=tool.spec.summary, arguments=_arguments(tool), score=score)
        for tool, score in ToolIndex(others).search(args.query, args.limit)
    ]
    return Result.ok(FoundTools(tools=found, total=len(others)))


def _arguments(tool: Registered) -> list[str]:
    required = tool.spec.input_schema.get("required", [])
    return [f"{name}*" if name in required else name for name in tool.spec.input_schema.get("properties", {})]


class DescribeTool(ToolArguments):
    name: str = Field(description="Name of the tool, as a search gave it.", min_length=1, max_length=200)


class Description(BaseModel):
    name: str = Field(description="Name to call it by.")
    description: str = Field(description="Purpose, schema, usage and examples.")
    input_schema: dict[str, Any] = Field(alias="inputSchema", description="JSON Schema of its arguments.")


@ToolArguments.declare(
    toolset=TOOLSET,
    annotations=READS,
    sections_in_list=True,
    examples=[
        Example({"name": "read_resource"}, why="Read how a tool is called.", expect="Its four sections and its schema.")
    ],
    usage="Pass a name from a search.",
)
async def describe_tool(args: DescribeTool, ctx: ToolContext[Workspace]) -> Result[Description]:
    """Describe a tool in full.

    Use it before the first call of a tool whose arguments are not obvious.
    """
    tool = ctx.registry.by_plain_name(args.name)
    if tool is None:
        near = ctx.registry.nearest(args.name)
        raise NotFound(f"there is no tool {args.name}", hint=f"Did you mean {near}?" if near else None)
    text = describe(tool.spec, "full", ctx.registry.name_of)
    return Result.ok(Description(name=tool.name, description=text, inputSchema=tool.spec.input_schema))


class CallTool(ToolArguments):
    name: str = Field(description="Name of the tool, as a search gave it.", min_length=1, max_length=200)
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments.")


@ToolArguments.declare(
    toolset=TOOLSET,
    annotations=RUNS,
    sections_in_list=True,
    examples=[
        Example(
            {"name": "read_resource", "arguments": {"uri": "tool://read_resource"}},
            why="Call a tool that a search found.",
            expect="The tool's own answer, as if it had been called directly.",
        )
    ],
    usage="Pass the name and the arguments; the answer is the tool's own.",
)
async def call_tool(args: CallTool, ctx: ToolContext[Workspace]) -> Result[Any]:
    """Call a tool by its name.

    The answer, its shape and the questions to the user are those of the tool that is called.
    """
    # The dispatcher turns such a call into the call of the named tool; what arrives here names no tool.
    near = ctx.registry.nearest(args.name)
    raise NotFound(f"there is no tool {args.name}", hint=f"Did you mean {near}?" if near else None)
