"""Resources for clients that cannot read them by themselves."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import base64

from pydantic import BaseModel, Field

from mcp_core import FROM_DOCUMENTS, READS, Example, Result, ToolArguments, ToolContext
from rolltop.workspace import Workspace

__all__ = ["ReadResource", "Resource", "ResourcePart", "read_resource"]


class ReadResource(ToolArguments):
    uri: str = Field(description="URI, as an answer or list gave it.", min_length=3, max_length=4096)


class ResourcePart(BaseModel):
    uri: str = Field(description="Where this part came from.")
    mime_type: str | None = Field(default=None, description="Type of the content.")
    text: str | None = Field(default=None, description="The content, when it is text.")
    blob: str | None = Field(default=None, description="The content in base64, when it is not text.")
    next: str | None = Field(default=None, description="URI of the next part, when there is one.")


class Resource(BaseModel):
    contents: list[ResourcePart] = Field(description="The parts that were read.")


@ToolArguments.declare(
    toolset="desk",
    annotations=READS,
    examples=[
        Example(
            {"uri": "tool://read_resource"},
            why="Read the documentation of a tool.",
            expect="Its description, JSON Schema, usage and examples, as markdown.",
        ),
        Example(
            {"uri": "tool://no_such_tool"},
            why="Ask for something that is not there.",
            expect="A failure of type not_found that names what may have been meant.",
            fails="not_found",
        ),
    ],
    usage="Pass a URI from an answer as it is. When `next` is set, call again with it for the next part.",
    tags=[FROM_DOCUMENTS],
)
async def read_resource(args: ReadResource, ctx: ToolContext[Workspace]) -> Result[Resource]:
    """Read a resource by its URI.

    Any link of an answer, such as answer:// or tool://; a stored document by name: {tool:get_by_name}.

    Use it to fetch or open what a link or URI stands for.
    """
    contents = await ctx.read_resource(args.uri)
    parts = [
        ResourcePart(
            uri=each.uri,
            mime_type=each.mime_type,
            text=each.content if isinstance(each.content, str) else None,
            blob=base64.b64encode(each.content).decode("ascii") if isinstance(each.content, bytes) else None,
            next=each.meta.get("next"),
        )
        for each in contents
    ]
    return Result.ok(Resource(contents=parts))
