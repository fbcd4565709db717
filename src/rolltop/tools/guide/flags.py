"""Flags: a project's own over the global ones, and the global ones by themselves."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, StrictBool, StrictStr

from mcp_core import FOR_OWNER, READS, WRITES, Example, Result, ToolArguments, ToolContext
from rolltop.guide import ANY, Flag
from rolltop.guide.flagtables import matching
from rolltop.guide.session import AsyncFlags
from rolltop.tools.guide.working import ProjectArguments, session_for
from rolltop.workspace import Workspace

__all__ = [
    "get_feature_flag",
    "get_project_flag",
    "list_feature_flags",
    "list_project_flags",
    "set_feature_flag",
    "set_project_flag",
]

WireValue = StrictBool | StrictStr | list[StrictStr]
Listed = WireValue | dict[str, WireValue] | None

_NAME = "Flag: letters, digits, - and _."
_VALUE = "true, false (on, off), text, or a list (content-exclude); null removes it."
_EXPECTED = "Set only if this is its value now (null: not set)."
_FILTER = "A name: its value alone; content-*: all that match."


class SetFeatureFlag(ToolArguments):
    feature_name: str = Field(description=_NAME)
    value: WireValue | None = Field(default=True, description=_VALUE)
    expected: WireValue | None = Field(default=None, description=_EXPECTED, json_schema_extra={"nullable": True})


class SetProjectFlag(ProjectArguments):
    feature_name: str = Field(description=_NAME)
    value: WireValue | None = Field(default=True, description=_VALUE)
    expected: WireValue | None = Field(default=None, description=_EXPECTED, json_schema_extra={"nullable": True})


class GetFeatureFlag(ToolArguments):
    feature_name: str = Field(description=_NAME)


class GetProjectFlag(ProjectArguments):
    feature_name: str = Field(description=_NAME)


class ListFeatureFlags(ToolArguments):
    feature_name: str | None = Field(default=None, description=_FILTER)


class ListProjectFlags(ProjectArguments):
    feature_name: str | None = Field(default=None, description=_FILTER)
    active: bool = Field(default=True, description="false: only the project's own.")


@ToolArguments.declare(
    toolset="guide",
    annotations=WRITES,
    tags=[FOR_OWNER],
    sections_in_list=True,
    examples=[
        Example(
            {"feature_name": "workflow", "value": False, "project": "/srv/my-app"},
            why="Switch something off here.",
            expect="value false; the global flag no longer counts.",
        ),
        Example(
            {"feature_name": "workflow", "value": None, "project": "/srv/my-app"},
            why="Go back to the global value.",
            expect="The flag is removed from the project.",
            before=(("set_project_flag", {"feature_name": "workflow", "project": "/srv/my-app"}),),
        ),
    ],
    usage="Set a flag only when the user wants it.",
)
async def set_project_flag(args: SetProjectFlag, ctx: ToolContext[Workspace]) -> Result[WireValue | None]:
    """Set or remove a flag of the project.

    It wins over the global flag, also when false; removing it brings the global one back. The answer is the value as
    stored.
    """
    session = await session_for(ctx, args.project)
    stored = await _set(session.project_flags(), args)
    return _was_set(args.feature_name, stored, "project")


@ToolArguments.declare(
    toolset="guide",
    annotations=READS,
    sections_in_list=True,
    examples=[
        Example(
            {"feature_name": "workflow", "project": "/srv/my-app"},
            why="See whether it is wanted here.",
            expect="The value, data.source: project or global; null when not set.",
        )
    ],
    usage="One exact name; {tool:list_project_flags} lists all.",
)
async def get_project_flag(args: GetProjectFlag, ctx: ToolContext[Workspace]) -> Result[WireValue | None]:
    """Get the value of a flag in the project.

    The value that holds here: the project's own, else the global one. {tool:get_feature_flag} ignores projects.
    """
    session = await session_for(ctx, args.project)
    return _got(args.feature_name, await session.resolve_flag(args.feature_name))


@ToolArguments.declare(
    toolset="guide",
    annotations=READS,
    sections_in_list=True,
    examples=[
        Example(
            {"project": "/srv/my-app"},
            why="See all flags that hold in the project.",
            expect="Names and values; data.sources: where each comes from.",
        ),
        Example(
            {"feature_name": "content-*", "active": False, "project": "/srv/my-app"},
            why="See what the project itself sets.",
            expect="Its own flags that begin with content-.",
        ),
    ],
    usage="Without arguments: all that hold in the current project.",
)
async def list_project_flags(args: ListProjectFlags, ctx: ToolContext[Workspace]) -> Result[Listed]:
    """List the flags that hold in the project.

    The project's own over the global ones. Use it at the start of work.
    """
    session = await session_for(ctx, args.project)
    flags = await session.resolved_flags()
    if not args.active:
        flags = {name: flag for name, flag in flags.items() if flag.source == "project"}
    return _listed(flags, args.feature_name)


@ToolArguments.declare(
    toolset="guide",
    annotations=WRITES,
    tags=[FOR_OWNER],
    sections_in_list=True,
    examples=[
        Example(
            {"feature_name": "content-format", "value": "mime"},
            why="Choose for all projects how documents are joined.",
            expect="value mime, source global.",
        ),
        Example(
            {"feature_name": "content-format", "value": None},
            why="Go back to the default.",
            expect="The flag is removed.",
        ),
    ],
    usage="Holds in every project that does not say otherwise.",
)
async def set_feature_flag(args: SetFeatureFlag, ctx: ToolContext[Workspace]) -> Result[WireValue | None]:
    """Set or remove a global flag.

    For what the user decides about all projects; for one: {tool:set_project_flag}. The answer is the value as stored.
    """
    stored = await _set(ctx.workspace.guide.session(None).feature_flags(), args)
    return _was_set(args.feature_name, stored, "global")


@ToolArguments.declare(
    toolset="guide",
    annotations=READS,
    sections_in_list=True,
    examples=[
        Example(
            {"feature_name": "content-format"},
            why="See the global value of a flag.",
            expect="The value; null when not set.",
        )
    ],
    usage="One exact name.",
)
async def get_feature_flag(args: GetFeatureFlag, ctx: ToolContext[Workspace]) -> Result[WireValue | None]:
    """Get the value of a global flag.

    What holds where no project says otherwise. What holds in a project: {tool:get_project_flag}.
    """
    value = await ctx.workspace.guide.session(None).feature_flags().get(args.feature_name)
    return _got(args.feature_name, Flag(value, None if value is None else "global"))


@ToolArguments.declare(
    toolset="guide",
    annotations=READS,
    sections_in_list=True,
    examples=[
        Example({}, why="See all global flags.", expect="Names with their values."),
        Example(
            {"feature_name": "content-*"},
            why="See the global flags about content.",
            expect="Those that begin with content-.",
        ),
    ],
    usage="Without arguments: all of them.",
)
async def list_feature_flags(args: ListFeatureFlags, ctx: ToolContext[Workspace]) -> Result[Listed]:
    """List the global flags.

    What holds where no project says otherwise.
    """
    values = await ctx.workspace.guide.session(None).feature_flags().list()
    return _listed({name: Flag(value, "global") for name, value in values.items()}, args.feature_name)


async def _set(flags: AsyncFlags, args: SetFeatureFlag | SetProjectFlag) -> WireValue | None:
    expected = args.expected if "expected" in args.model_fields_set else ANY
    return await flags.set(args.feature_name, args.value, expected=expected)


def _was_set(name: str, stored: WireValue | None, source: str) -> Result[WireValue | None]:
    if stored is None:
        return Result.ok(None, message=f"The {source} flag {name} is removed.", data={"name": name, "source": None})
    return Result.ok(stored, message=f"The {source} flag {name} is set.", data={"name": name, "source": source})


def _got(name: str, flag: Flag) -> Result[WireValue | None]:
    message = f"The flag {name} is not set." if flag.source is None else None
    return Result.ok(flag.value, message=message, data={"name": name, "source": flag.source})


def _listed(flags: Mapping[str, Flag], wanted: str | None) -> Result[Listed]:
    """A dictionary; for an exact name its value alone."""
    chosen = matching(flags, wanted)
    sources: dict[str, Any] = {name: flag.source for name, flag in chosen.items()}
    values = {name: flag.value for name, flag in chosen.items() if flag.value is not None}
    if wanted is not None and not any(character in wanted for character in "*?["):
        return Result.ok(values.get(wanted), data={"sources": sources})
    return Result.ok(values, data={"sources": sources})
