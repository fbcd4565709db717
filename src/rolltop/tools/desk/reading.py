"""Resources for clients that cannot read them by themselves."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import base64

from pydantic import BaseModel, Field

from mcp_core import FROM_DOCUMENTS, READS, Example, Image, ResourceContent, Result, ToolArguments, ToolContext
from mcp_core.result import TEXT_AT
from rolltop.workspace import Workspace

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
SHARE = 0.7
"""How much of an answer's budget a text may take; the rest is for escapes."""

__all__ = ["ReadResource", "Resource", "ResourcePart", "read_resource"]


class ReadResource(ToolArguments):
    uri: str = Field(description="URI, as an answer or list gave it.", min_length=3, max_length=4096)
    offset: int = Field(default=0, ge=0, description="next_offset of the last answer.")
    raw: bool = Field(default=False, description="The file itself, not its text.")


class ResourcePart(BaseModel):
    uri: str = Field(description="Where this part came from.")
    mime_type: str | None = Field(default=None, description="Type of the content.")
    text: str | None = Field(default=None, description="The content, when it is text.")
    next_offset: int | None = Field(default=None, description="Where the rest of the text begins.")
    blob: str | None = Field(default=None, description="The content in base64, when it is neither text nor a picture.")
    size: int | None = Field(default=None, description="Bytes of a picture, which comes as an image.")
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
    usage="Pass a URI from an answer as it is. A page, PDF or Word file that was rendered here gives its text, a "
    "picture comes as an image. When `next` or `next_offset` is set, call again with it for the next part.",
    tags=[FROM_DOCUMENTS],
)
async def read_resource(args: ReadResource, ctx: ToolContext[Workspace]) -> Result[Resource]:
    """Read a resource by its URI.

    Any link of an answer, such as answer:// or tool://; a stored document by name: {tool:get_by_name}.

    Use it to fetch or open what a link or URI stands for.
    """
    contents = await ctx.read_resource(args.uri)
    if not args.raw and len(contents) == 1 and (text := contents[0].meta.get(TEXT_AT)):
        contents = await ctx.read_resource(text)
    room = int(ctx.budget * SHARE)
    pictures = [] if args.raw else [Image(each.content, each.mime_type) for each in contents if _is_picture(each)]
    return Result.ok(Resource(contents=[_part(each, args, room) for each in contents]), content=pictures)


def _part(each: ResourceContent, args: ReadResource, room: int) -> ResourcePart:
    part = ResourcePart(uri=each.uri, mime_type=each.mime_type, next=each.meta.get("next"))
    if isinstance(each.content, str):
        end = args.offset + room
        part.text = each.content[args.offset : end]
        part.next_offset = end if len(each.content) > end else None
    elif _is_picture(each) and not args.raw:
        part.size = len(each.content)
    else:
        part.blob = base64.b64encode(each.content).decode("ascii")
    return part


def _is_picture(each: ResourceContent) -> bool:
    return isinstance(each.content, bytes) and each.mime_type in PICTURES
