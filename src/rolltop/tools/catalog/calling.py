"""Attach catalogs at run time, keep state, call tools."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from mcp_core import (
    FOR_OWNER,
    FROM_DOCUMENTS,
    RUNS,
    WRITES,
    Consent,
    Effect,
    Example,
    InvalidArguments,
    Result,
    ToolArguments,
    ToolContext,
    quoted,
)
from mcp_core.display import listing
from mcp_core.envelope import invalid_arguments_result
from mcp_core.jsonable import to_json_bytes
from rolltop.catalog.arguments import served_schema
from rolltop.recorder import Recorder
from rolltop.references import KEEP, Keep, keep_wanted
from rolltop.tools.catalog.given import with_documents
from rolltop.tools.catalog.live import CallAnswer, agree_to_call, call_served, checked
from rolltop.tools.catalog.places import allowed_place
from rolltop.workspace import Workspace

if TYPE_CHECKING:
    from rolltop.catalog.live.catalog import Served

__all__ = ["attach_tool", "call_tool", "state_factory_tool"]


_ATTACH = Consent("ATTACH_CATALOG", "lets agents run the package's functions, in a sandbox", always=False)


class AttachArguments(ToolArguments):
    pkg: str = Field(description="Package, or path of sources with built definitions.")


class Attached(BaseModel):
    tools: list[str] = Field(description="Names to call with mcptool_call; listed after the next start.")


@ToolArguments.declare(
    name="mcptool_attach",
    toolset="catalog",
    annotations=WRITES,
    tags=[FOR_OWNER],
    consent=_ATTACH,
    examples=[
        Example(
            {"pkg": "./orchard", "confirm": "ATTACH_CATALOG"},
            why="Attach the tools that were built there.",
            expect="A failure of type not_found, because there is nothing at that path.",
            fails="not_found",
        ),
    ],
    usage="Build the definitions first with {tool:mcptool_build}; call the tools with {tool:mcptool_call}.",
)
async def attach_tool(args: AttachArguments, ctx: ToolContext[Workspace]) -> Result[Attached]:
    """Make the tools of a package callable.

    Serves built definitions: by {tool:mcptool_call} at once, as tools of their own after the next start.

    Use it to serve R or Python functions, so that they can be called.
    """
    place = allowed_place(ctx, args.pkg)
    offered = await ctx.run(ctx.workspace.catalog.offered, place)
    agreement = await ctx.require_consent(_ATTACH.literal, _attachment(place, offered), given=_ATTACH.given_in(args))
    ctx.workspace.prepare()
    served = await ctx.run(
        ctx.workspace.catalog.attach, place, check=lambda now: agreement.check(_attachment(place, now))
    )
    return Result.ok(Attached(tools=[each.definition.name for each in served]))


def _attachment(place: str, offered: Sequence[Served]) -> Effect:
    """What becomes callable; bound to the definitions and the code."""
    from rolltop.catalog.live.code_stamp import code_stamp  # noqa: PLC0415 - what runs code is loaded when it is to run

    stamps = sorted({repr(code_stamp(each.origin)) for each in offered})
    return Effect(
        f"lets an agent run {len(offered)} functions of {quoted(place)} in a sandbox, now and after each start",
        listing(each.definition.name for each in offered),
        facts=[place, [each.definition.to_dict() for each in offered], stamps],
        summary=_ATTACH.effect,
    )


class StateArguments(ToolArguments):
    initialize: dict[str, Any] = Field(default_factory=dict, description="What the state begins with.")


class StateHandle(BaseModel):
    state: str = Field(description="The handle: pass it to mcptool_call. Whoever has it can use the state.")
    seconds: float = Field(description="How long the state is kept after its last use.")


@ToolArguments.declare(
    name="mcptool_state_factory",
    toolset="catalog",
    annotations=RUNS,
    examples=[
        Example(
            {"initialize": {"subject": "YAB", "count": 3}},
            why="Keep state between calls under a handle of its own.",
            expect="A handle, and how long the state is kept.",
        )
    ],
    usage="Over stdio calls share one state without this; over HTTP, or for a second state, pass the handle.",
)
async def state_factory_tool(args: StateArguments, ctx: ToolContext[Workspace]) -> Result[StateHandle]:
    """Make a new state for tools that keep one.

    Gives a handle for {tool:mcptool_call}.

    Tools find the state in `.state_env` (R) or `_state_env` (Python) when they are called with the handle.
    """
    catalog = ctx.workspace.catalog
    return Result.ok(StateHandle(state=catalog.open_state(args.initialize), seconds=catalog.settings.state_seconds))


class CallArguments(ToolArguments):
    name: str = Field(description="Tool, package-function, as listed.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments; doc://NAME gives a file.")
    state: str | None = Field(default=None, description="Handle of mcptool_state_factory.")
    keep: Keep | None = Field(default=None, description=KEEP)
    confirm: str | None = Field(default=None, description="The user's consent: the literal that a refusal names.")


@ToolArguments.declare(
    name="mcptool_call",
    toolset="catalog",
    annotations=RUNS,
    examples=[
        Example(
            {"name": "orchard-mcp_tool_variety_list", "arguments": {"season": "early"}},
            why="Call a tool of an attached catalog.",
            expect="A failure of type not_found when no attached catalog has it.",
            fails="not_found",
        )
    ],
    usage="Look at the parameters with {tool:mcptool_load}. A failure in R or Python comes back as an error.",
    tags=[FROM_DOCUMENTS],
)
async def call_tool(args: CallArguments, ctx: ToolContext[Workspace]) -> Result[CallAnswer]:
    """Call a tool of an attached catalog.

    Runs in a sandbox without network. Plots come as images.

    Use it to run or execute an R or Python function or tool. It sees no files but its own package, and has a time
    limit.
    """
    ctx.refuse_excluded(args.name)
    wanted, recorder = keep_wanted(ctx, args.keep), Recorder(ctx, args)
    served = ctx.workspace.catalog.find(args.name)
    schema = served_schema(served.definition)
    read = partial(recorder.read, "argument")
    given = await with_documents(schema, args.arguments, read)
    try:
        checked(schema, given)
    except InvalidArguments as error:
        return invalid_arguments_result(error)
    await agree_to_call(served, args.arguments, ctx, args.confirm)
    answer = await call_served(args.name, given, ctx, args.state, read)
    if wanted is None or answer.value is None:
        return answer
    result = answer.value.result
    kept = await recorder.keep(wanted, result if isinstance(result, str) else to_json_bytes(result))
    code = await ctx.run(ctx.workspace.catalog.code_hash, args.name)
    recorder.used("program", f"catalog:///{args.name}", code, 0)
    await recorder.record({"language": served.definition.language})
    value = answer.value.model_copy(update={"kept": kept.told()})
    return replace(answer, value=value, content=(*answer.content, kept.link()))
