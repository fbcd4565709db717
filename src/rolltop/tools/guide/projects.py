"""The current project, and the others."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from pydantic import BaseModel, Field

from mcp_core import READS, WRITES, Example, Result, ToolArguments, ToolContext
from rolltop.guide import Clues, Project
from rolltop.guide.errors import ArgumentInvalid
from rolltop.tools.guide.working import ProjectArguments, is_shared, session_for
from rolltop.workspace import Workspace

__all__ = ["ProjectInfo", "get_project", "list_projects", "set_project"]


class ProjectInfo(BaseModel):
    key: str = Field(description="Its key: unique, also where two projects share a name.")
    name: str = Field(description="Its name.")
    path: str = Field(description="Its directory.")
    categories: dict[str, str] = Field(description="Categories with their descriptions.")
    collections: dict[str, str] = Field(description="Collections with their descriptions.")

    @staticmethod
    def of(project: Project) -> ProjectInfo:
        return ProjectInfo(
            key=project.key,
            name=project.name,
            path=str(project.path),
            categories={name: category.description for name, category in project.categories.items()},
            collections={name: collection.description for name, collection in project.collections.items()},
        )


class GetProject(ProjectArguments):
    pass


class SetProject(ToolArguments):
    project: str = Field(description="Absolute path, name or key.")


@ToolArguments.declare(
    toolset="guide",
    annotations=READS,
    examples=[
        Example(
            {"project": "/srv/my-app"},
            why="See what there is to know about a project.",
            expect="Its key, name and directory, its categories and collections.",
        )
    ],
    usage="Without arguments it tells which project is the current one. Use the names for {tool:get_content}.",
)
async def get_project(args: GetProject, ctx: ToolContext[Workspace]) -> Result[ProjectInfo]:
    """Get the current project and its names.

    Use it first: which categories and collections there are.

    Use it to see which project is current, and what it has.
    """
    return Result.ok(ProjectInfo.of(await (await session_for(ctx, args.project)).get_project()))


@ToolArguments.declare(
    toolset="guide",
    annotations=WRITES,
    examples=[
        Example(
            {"project": "/srv"},
            why="Work in another project from now on.",
            expect="The project; calls without a project argument are about it until the connection ends.",
        )
    ],
    usage="It counts for this connection; over HTTP for the session, and without one pass project with each call.",
)
async def set_project(args: SetProject, ctx: ToolContext[Workspace]) -> Result[ProjectInfo]:
    """Choose the current project.

    For this connection; nothing is written.

    Use it when the current project is unknown or the wrong one.

    Use it to switch to another project.
    """
    if is_shared(ctx) and not ctx.client.session:
        raise ArgumentInvalid(
            "this client has no session, so no project can be chosen for it",
            hint="Pass project with each call.",
        )
    guide = ctx.workspace.guide
    project = await ctx.run(guide.detect, Clues(explicit=args.project))
    assert project is not None
    if not project.path.is_dir() and not await ctx.run(guide.config.is_stored, project):
        raise ArgumentInvalid(
            f"there is no directory {project.path}", hint="{tool:list_projects} shows what is set up."
        )
    guide.choose(project, ctx.client.session if is_shared(ctx) else None)
    ctx.resources_changed()
    project = await ctx.run(guide.effective, project)
    return Result.ok(ProjectInfo.of(project), message=f"The current project is {project.name}.")


@ToolArguments.declare(
    toolset="guide",
    annotations=READS,
    examples=[Example({}, why="See which projects are set up.", expect="Each with key, name and directory.")],
    usage="Pass a key or name from the answer as project to the other tools.",
)
async def list_projects(ctx: ToolContext[Workspace]) -> Result[list[ProjectInfo]]:
    """List the projects that are set up.

    With key, name and directory.

    Use it to see which projects are known.
    """
    projects = await ctx.run(ctx.workspace.guide.config.projects)
    return Result.ok([ProjectInfo.of(project) for project in projects])
