"""Collections: expressions under one name."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from pydantic import BaseModel, Field

from mcp_core import (
    DESTROYS,
    FOR_OWNER,
    READS,
    WRITES,
    Consent,
    Effect,
    Example,
    Result,
    ToolArguments,
    ToolContext,
    quoted,
)
from rolltop.guide import Collection, Project, arrange
from rolltop.tools.guide.working import ProjectArguments, session_for
from rolltop.workspace import Workspace

__all__ = ["CollectionInfo", "add_collection", "change_collection", "list_collections", "remove_collection"]

_REMOVE = Consent("REMOVE_COLLECTION", "removes a collection; categories and documents stay", always=False)
_MEMBERS = "Expressions in order: docs/api, lang/python+rust."


class CollectionInfo(BaseModel):
    name: str = Field(description="Its name in expressions.")
    members: list[str] = Field(description="The expressions that it stands for, in order.")
    description: str = Field(description="What it is for.")

    @staticmethod
    def of(collection: Collection) -> CollectionInfo:
        return CollectionInfo(
            name=collection.name, members=list(collection.members), description=collection.description
        )


class AddCollection(ProjectArguments):
    name: str = Field(description="1 to 30 letters, digits, - or _.")
    members: list[str] = Field(description=_MEMBERS, min_length=1)
    description: str = Field(default="", description="What it is for.", max_length=500)


class ChangeCollection(ProjectArguments):
    name: str = Field(description="The collection to change.")
    members: list[str] | None = Field(default=None, description=_MEMBERS, min_length=1)
    description: str | None = Field(default=None, description="What it is for.", max_length=500)


class RemoveCollection(ProjectArguments):
    name: str = Field(description="The collection to remove.")


class ListCollections(ProjectArguments):
    pass


_CATEGORY = ("add_category", {"name": "docs", "patterns": ["**/*.md"], "project": "/srv/my-app"})
_COLLECTION = ("add_collection", {"name": "review", "members": ["docs/api"], "project": "/srv/my-app"})


@ToolArguments.declare(
    toolset="guide",
    annotations=READS,
    examples=[
        Example(
            {"project": "/srv/my-app"},
            why="See which sets of documents there are.",
            expect="Each collection with its expressions and description.",
        )
    ],
    usage="Use the names in expressions for {tool:get_content}.",
)
async def list_collections(args: ListCollections, ctx: ToolContext[Workspace]) -> Result[list[CollectionInfo]]:
    """List the collections of the project.

    Names for expressions, with their members.

    Use it to see which collections the project has.
    """
    project = await (await session_for(ctx, args.project)).get_project()
    return Result.ok([CollectionInfo.of(collection) for collection in project.collections.values()])


@ToolArguments.declare(
    toolset="guide",
    annotations=WRITES,
    tags=[FOR_OWNER],
    examples=[
        Example(
            {"name": "review", "members": ["docs/api", "docs/guide/"], "project": "/srv/my-app"},
            why="Have everything for reviews under one name.",
            expect="The collection as stored; the expression review now gives those documents in that order.",
            before=(_CATEGORY,),
        )
    ],
    usage="Add the categories first: a collection may only name what exists.",
)
async def add_collection(args: AddCollection, ctx: ToolContext[Workspace]) -> Result[CollectionInfo]:
    """Add a collection to the project.

    Several expressions under one name.

    A name that a category or collection has is refused.

    Use it to group documents of several categories.
    """
    session = await session_for(ctx, args.project)
    collection = Collection(args.name, tuple(args.members), args.description)
    added = await ctx.run(arrange.add_collection, session.guide.config, await session.stored_project(), collection)
    ctx.resources_changed()
    return Result.ok(CollectionInfo.of(added), message=f"Collection {added.name} is added.")


@ToolArguments.declare(
    toolset="guide",
    annotations=WRITES,
    tags=[FOR_OWNER],
    examples=[
        Example(
            {"name": "review", "description": "For code reviews", "project": "/srv/my-app"},
            why="Say what a collection is for.",
            expect="The collection with its new description; its members stay.",
            before=(_CATEGORY, _COLLECTION),
        )
    ],
    usage="Pass only what is to change. Members are replaced as a whole.",
)
async def change_collection(args: ChangeCollection, ctx: ToolContext[Workspace]) -> Result[CollectionInfo]:
    """Change a collection of the project.

    Its members or description; what is absent stays.

    Use it to correct or edit a collection.
    """
    session = await session_for(ctx, args.project)
    changed = await ctx.run(
        arrange.change_collection,
        session.guide.config,
        await session.stored_project(),
        args.name,
        members=args.members,
        description=args.description,
    )
    ctx.resource_changed(f"guide://{changed.name}")
    return Result.ok(CollectionInfo.of(changed), message=f"Collection {changed.name} is changed.")


def _removal(project: Project, collection: Collection) -> Effect:
    return Effect(
        f"removes the collection {quoted(collection.name)} from the project {quoted(project.name)}; "
        "categories and documents stay",
        tuple(f"{quoted(collection.name)} names {quoted(member)}" for member in collection.members),
        facts=[project.name, collection.name, collection.members],
        summary="removes a collection from a project",
    )


@ToolArguments.declare(
    toolset="guide",
    annotations=DESTROYS,
    tags=[FOR_OWNER],
    consent=_REMOVE,
    examples=[
        Example(
            {"name": "review", "confirm": "REMOVE_COLLECTION", "project": "/srv/my-app"},
            why="The user no longer wants a collection.",
            expect="The names of other collections that no longer mention it.",
            before=(_CATEGORY, _COLLECTION),
        )
    ],
    usage="Name the collection. Other collections that mention it lose that part.",
)
async def remove_collection(args: RemoveCollection, ctx: ToolContext[Workspace]) -> Result[list[str]]:
    """Remove a collection from the project.

    Other collections lose it too.

    Use it when the user no longer wants a collection.
    """
    session = await session_for(ctx, args.project)
    project = await session.stored_project()
    collection = project.collection(args.name)
    effect = _removal(project, collection)
    agreement = await ctx.require_consent(_REMOVE.literal, effect, given=_REMOVE.given_in(args))
    touched = await ctx.run(
        arrange.remove_collection,
        session.guide.config,
        project,
        args.name,
        check=lambda current: agreement.check(_removal(current, current.collection(args.name))),
    )
    ctx.resources_changed()
    return Result.ok(touched, message=f"Collection {args.name} is removed.")
