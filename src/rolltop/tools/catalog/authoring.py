"""Build definitions from documented functions, and look at them."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from mcp_core import (
    DESTROYS,
    FOR_OWNER,
    FROM_DOCUMENTS,
    READS,
    Consent,
    Effect,
    Example,
    Result,
    ToolArguments,
    ToolContext,
    quoted,
)
from mcp_core.display import escaped
from rolltop.base.interruption import interruptible
from rolltop.catalog import (
    check,
    diff,
    mcptool_build,
    mcptool_list,
    mcptool_load,
    mcptool_load_all,
)
from rolltop.catalog.changes import Change
from rolltop.errors import InvalidInput
from rolltop.tools.catalog.places import allowed_place
from rolltop.workspace import Workspace

__all__ = ["build_tool", "check_tool", "diff_tool", "list_tool", "load_all_tool", "load_tool"]

REPLACE = "REPLACE_DEFINITIONS"
_REPLACE = Consent(
    REPLACE,
    "writes those files",
    always=False,
    when="it changes definitions, or writes outside the temporary directory",
)
_PKG = "Package, or a path with a slash."
_GROUPS = "Regular expressions for what follows mcp_tool_ in names."
_MISSING = "packages/forestry"


class BuildArguments(ToolArguments):
    path: str = Field(default=".", description="R or Python package, folder, .R or .py file.")
    run_examples: bool = Field(default=True, description="Run examples in the sandbox, keep their output.")
    dry_run: bool = Field(default=False, description="Only say what would change.")


class Built(BaseModel):
    directory: str = Field(description="Where the definitions are.")
    tools: list[str] = Field(description="Names of the tools that the sources define.")
    written: list[str] = Field(description="Files that are new or changed.")
    unchanged: int = Field(description="Files that already said the same.")
    removed: list[str] = Field(description="Files of tools that are gone.")
    remarks: list[str] = Field(description="What was noticed, such as examples that fail.")
    dry_run: bool = Field(default=False, description="Whether nothing was written.")


@ToolArguments.declare(
    name="mcptool_build",
    toolset="catalog",
    annotations=DESTROYS,
    tags=[FOR_OWNER],
    consent=_REPLACE,
    examples=[
        Example(
            {"path": _MISSING, "dry_run": True},
            why="See what a build would change.",
            expect="A failure of type not_found, because there is nothing at that path.",
            fails="not_found",
        ),
    ],
    usage="Build first with dry_run to see what changes; then build, and attach with {tool:mcptool_attach}.",
)
async def build_tool(args: BuildArguments, ctx: ToolContext[Workspace]) -> Result[Built]:
    """Build tool definitions from documentation.

    Writes YAML from R and Python sources to inst/mcp/tools; to call them: {tool:mcptool_attach}.

    Reads roxygen2 comments (functions marked `@keywords mcp-tool`) and Python docstrings (functions named
    `mcp_tool_*`) without running them, and writes one YAML file per tool.

    Use it to make or generate tools from an R or Python package.
    """
    path = allowed_place(ctx, args.path if "/" in args.path else f"./{args.path}")
    changes = await ctx.compute(interruptible(diff, ctx.check_cancelled), path)
    replaced = [change for change in changes if change.action != "add"]
    if args.dry_run:
        return Result.ok(_would_build(changes))
    agreed: Callable[[], None] | None = None
    # New files are asked about where tools may not write unasked.
    asks_for_new = bool(changes) and not ctx.workspace.files.is_unasked(changes[0].path)
    if asked := changes if asks_for_new else replaced:
        agreement = await ctx.require_consent(REPLACE, _rebuild(path, asked), given=_REPLACE.given_in(args))

        def agreed() -> None:
            agreement.check(_rebuild(path, [each for each in diff(path) if asks_for_new or each.action != "add"]))

    from rolltop.catalog.live import ExampleRuns  # noqa: PLC0415 - what runs code is loaded when it is to run

    runner = ExampleRuns() if args.run_examples else None
    catalog = ctx.workspace.catalog
    with catalog.writing():
        built = await ctx.run(lambda: mcptool_build(path, run_examples=runner, check=agreed))
        changed = catalog.note_written([*built.written, *built.unchanged, *built.removed])
    return Result.ok(
        Built(
            directory=str(built.directory),
            tools=list(built.definitions),
            written=[file.name for file in built.written],
            unchanged=len(built.unchanged),
            removed=[file.name for file in built.removed],
            remarks=[str(remark) for remark in built.remarks],
        ),
        message=_what_changed(changed),
    )


def _rebuild(path: str, replaced: list[Change]) -> Effect:
    """The files that come, go or change, with the differences; bound to all of them."""
    lines = [
        line
        for number, change in enumerate(replaced, 1)
        for line in (f"{number}. {change.action} {quoted(change.path.name)}", *map(escaped, change.diff.splitlines()))
    ]
    verb = "writes" if any(change.action == "add" for change in replaced) else "replaces or removes"
    return Effect(
        f"{verb} {len(replaced)} definition files of {quoted(path)}",
        tuple(lines),
        facts=[(change.action, str(change.path), change.diff) for change in replaced],
        summary=f"{verb} definition files",
    )


def _what_changed(served: list[str]) -> str | None:
    """What a caller has to know of tools that are being served: the list of tools does not change by a call."""
    if not served:
        return None
    return (
        f"Being served, and other ones now: {', '.join(served)}. Calls follow the new definitions at once, the list of "
        "tools after the next start; until then call what is new with mcptool_call."
    )


def _would_build(changes: list[Any]) -> Built:
    return Built(
        directory=str(changes[0].path.parent) if changes else "",
        tools=[change.tool for change in changes if change.action != "remove"],
        written=[change.path.name for change in changes if change.action != "remove"],
        unchanged=0,
        removed=[change.path.name for change in changes if change.action == "remove"],
        remarks=[],
        dry_run=True,
    )


class ListArguments(ToolArguments):
    pkg: str = Field(description=_PKG)
    groups: str | list[str] | None = Field(default=None, description=_GROUPS)


class Names(BaseModel):
    tools: list[str] = Field(description="Names of the tools, package-function.")


@ToolArguments.declare(
    name="mcptool_list",
    toolset="catalog",
    annotations=READS,
    examples=[
        Example({"pkg": "stats"}, why="See whether an installed package has tools.", expect="No names: it has none."),
        Example(
            {"pkg": "no.such.package", "groups": ["pipeline", "config"]},
            why="List two groups of a package.",
            expect="A failure of type not_found, because that package is not installed.",
            fails="not_found",
        ),
    ],
    usage="Give groups to narrow the list: several are combined with or.",
    tags=[FROM_DOCUMENTS],
)
async def list_tool(args: ListArguments, ctx: ToolContext[Workspace]) -> Result[Names]:
    """List the tools that a package defines.

    Names only; {tool:mcptool_load} shows one.

    Use it to see which functions a package offers as tools.
    """
    tools = await ctx.compute(mcptool_list, allowed_place(ctx, args.pkg), args.groups)
    return Result.ok(Names(tools=tools), message=None if tools else _nothing(args.pkg, args.groups))


def _nothing(pkg: str, groups: str | list[str] | None) -> str:
    if groups:
        return f"{pkg} has no tools of these groups, or none at all: list it without groups."
    return f"{pkg} has no definitions; mcptool_build makes them from a package's sources."


class LoadArguments(ToolArguments):
    pkg: str = Field(description=_PKG + " A YAML file needs no name.")
    name: str | None = Field(default=None, description="Tool, with or without its package: pkg-function.")


class Loaded(BaseModel):
    definition: dict[str, Any] = Field(description="The definition, as its YAML file has it.")


@ToolArguments.declare(
    name="mcptool_load",
    toolset="catalog",
    annotations=READS,
    examples=[
        Example(
            {"pkg": "./orchard", "name": "mcp_tool_variety_list"},
            why="Read one definition.",
            expect="A failure of type not_found, because there is nothing at that path.",
            fails="not_found",
        ),
    ],
    usage="Take the name from {tool:mcptool_list}.",
    tags=[FROM_DOCUMENTS],
)
async def load_tool(args: LoadArguments, ctx: ToolContext[Workspace]) -> Result[Loaded]:
    """Show the definition of one tool.

    Parameters, what it returns, an example with output.

    Use it to see which parameters or arguments a tool of a package takes.
    """
    place = allowed_place(ctx, args.pkg)
    if args.name is None and not place.endswith((".yaml", ".yml")):
        raise InvalidInput("name is required unless pkg is a YAML file", hint="List the names with mcptool_list.")
    definition = await ctx.compute(mcptool_load, place, args.name)
    return Result.ok(Loaded(definition=definition.to_dict()))


class LoadAllArguments(ToolArguments):
    pkg: str = Field(description=_PKG)
    groups: str | list[str] | None = Field(default=None, description=_GROUPS)
    limit: int = Field(default=20, ge=1, le=200, description="Most definitions.")
    after: str | None = Field(default=None, description="next of the last answer.")


class Definitions(BaseModel):
    definitions: list[dict[str, Any]] = Field(description="Definitions by name.")
    total: int = Field(description="How many there are in all.")
    next: str | None = Field(default=None, description="What to pass as after for the next part.")


@ToolArguments.declare(
    name="mcptool_load_all",
    toolset="catalog",
    annotations=READS,
    examples=[Example({"pkg": "stats"}, why="Read all definitions of a package.", expect="None: stats has no tools.")],
    usage="Narrow with groups, or read in parts: pass next as after.",
    tags=[FROM_DOCUMENTS],
)
async def load_all_tool(args: LoadAllArguments, ctx: ToolContext[Workspace]) -> Result[Definitions]:
    """Show the definitions of a package's tools.

    In full, a part at a time.

    Files that are no definitions are left out; {tool:mcptool_check} names them.

    Use it to load every definition of a package at once.
    """
    found = await ctx.compute(mcptool_load_all, allowed_place(ctx, args.pkg), args.groups)
    names = [name for name in found if args.after is None or name > args.after]
    shown = names[: args.limit]
    following = shown[-1] if len(names) > len(shown) else None
    return Result.ok(
        Definitions(definitions=[found[name].to_dict() for name in shown], total=len(found), next=following),
        message=None if found else _nothing(args.pkg, args.groups),
    )


class PlaceArguments(ToolArguments):
    pkg: str = Field(description=_PKG)


class Finding(BaseModel):
    kind: str = Field(description="invalid, stale, missing, orphan, undescribed, types, example or source.")
    tool: str = Field(description="The tool it is about.")
    message: str = Field(description="What is wrong.")
    serious: bool = Field(description="Whether the definition should not be used as it is.")


class Findings(BaseModel):
    problems: list[Finding] = Field(description="Everything that is wrong.")


@ToolArguments.declare(
    name="mcptool_check",
    toolset="catalog",
    annotations=READS,
    examples=[Example({"pkg": "stats"}, why="Check a package's definitions.", expect="No problems: it has none.")],
    usage="Check after editing sources; {tool:mcptool_build} repairs what is stale or missing.",
)
async def check_tool(args: PlaceArguments, ctx: ToolContext[Workspace]) -> Result[Findings]:
    """Check definitions against their sources.

    Lists what is stale, invalid, undescribed or violates its types; as a diff: {tool:mcptool_diff}.

    Use it to see whether definitions are up to date and correct, and to find problems.
    """
    problems = await ctx.compute(interruptible(check, ctx.check_cancelled), allowed_place(ctx, args.pkg))
    found = [Finding(kind=p.kind, tool=p.tool, message=p.message, serious=p.is_serious) for p in problems]
    return Result.ok(Findings(problems=found))


class FileChange(BaseModel):
    action: str = Field(description="add, change or remove.")
    file: str = Field(description="Name of the definition's file.")
    diff: str = Field(description="Unified diff.")


class FileChanges(BaseModel):
    changes: list[FileChange] = Field(description="What a rebuild would do.")


@ToolArguments.declare(
    name="mcptool_diff",
    toolset="catalog",
    annotations=READS,
    examples=[
        Example(
            {"pkg": _MISSING},
            why="See what a rebuild would change.",
            expect="A failure of type not_found, because there is nothing at that path.",
            fails="not_found",
        ),
    ],
    usage="Look at this before {tool:mcptool_build}.",
)
async def diff_tool(args: PlaceArguments, ctx: ToolContext[Workspace]) -> Result[FileChanges]:
    """Show what a rebuild would change.

    As a diff of definition files; problems: {tool:mcptool_check}.

    Examples are not run: their output is kept where the code is the same.

    Use it before a rebuild, to see what would be different.
    """
    place = allowed_place(ctx, args.pkg)
    changes = await ctx.compute(interruptible(diff, ctx.check_cancelled), Path(place))
    return Result.ok(FileChanges(changes=[FileChange(action=c.action, file=c.path.name, diff=c.diff) for c in changes]))
