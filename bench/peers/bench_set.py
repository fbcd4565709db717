"""The same tools as a tool set of rolltop, with everything a tool of ours has."""

import os

from pydantic import BaseModel, Field

from mcp_core import READS, Result, ToolArguments, ToolSet

TOOLSET = ToolSet("bench", "Benchmark tools.", modules=("bench_set",))


class Echo(ToolArguments):
    text: str = Field(description="What to say.")


class Echoed(BaseModel):
    result: str


class Find(ToolArguments):
    query: str = Field(description="The query of the thing to look for, as the user gave it.")
    limit: int = Field(default=1, description="The limit of the thing to look for, as the user gave it.")
    fuzzy: bool = Field(default=False, description="The fuzzy of the thing to look for, as the user gave it.")
    tags: str = Field(default="", description="The tags of the thing to look for, as the user gave it.")
    after: str = Field(default="", description="The after of the thing to look for, as the user gave it.")


@ToolArguments.declare(toolset="bench", annotations=READS)
async def echo(args: Echo) -> Result[Echoed]:
    """Echo."""
    return Result.ok(Echoed(result=args.text))


for number in range(1, int(os.environ.get("BENCH_TOOLS", "1"))):

    async def tool(args: Find) -> Result[Echoed]:
        """Finds things. Use it when the user asks for something that may have been kept before.

        Finds things. Use it when the user asks for something that may have been kept before. Finds things.
        """
        return Result.ok(Echoed(result=args.query))

    tool.__name__ = tool.__qualname__ = f"tool_{number}"
    ToolArguments.declare(toolset="bench", annotations=READS)(tool)
