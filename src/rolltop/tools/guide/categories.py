"""Categories: directories of documents, under names."""

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
from rolltop.guide import Category, Project, arrange
from rolltop.tools.guide.working import ProjectArguments, session_for
from rolltop.workspace import Workspace

__all__ = ["CategoryInfo", "add_category", "change_category", "list_categories", "remove_category"]

_NAME = "1 to 30 letters, digits, - or _."
_DIR = "Directory below the document root."
_REMOVE = Consent("REMOVE_CATEGORY", "removes a category; its documents stay", always=False)
_PATTERNS = "Default patterns: *.md, **/*.md."


class CategoryInfo(BaseModel):
    name: str = Field(description="Its name in expressions.")
    dir: str = Field(description="Its directory below the document root; absolute for a category of the team.")
    patterns: list[str] = Field(description="What it gives when no pattern is asked for.")
    description: str = Field(description="What it is for.")

    @staticmethod
    def of(category: Category) -> CategoryInfo:
        return CategoryInfo(
            name=category.name,
            dir=f"{category.root / category.dir}/" if category.root else category.dir,
            patterns=list(category.patterns),
            description=category.description,
        )


class AddCategory(ProjectArguments):
    name: str = Field(description=_NAME)
    dir: str | None = Field(default=None, description=_DIR + " Default: the name.")
    patterns: list[str] = Field(default=[], description=_PATTERNS)
    description: str = Field(default="", description="What it is for.", max_length=500)


class ChangeCategory(ProjectArguments):
    name: str = Field(description="The category to change.")
    dir: str | None = Field(default=None, description=_DIR)
    patterns: list[str] | None = Field(default=None, description=_PATTERNS)
    description: str | None = Field(default=None, description="What it is for.", max_length=500)


class RemoveCategory(ProjectArguments):
    name: str = Field(description="The category to remove.")


class ListCategories(ProjectArguments):
    pass


_EXISTS = (("add_category", {"name": "lang", "patterns": ["*.md"], "project": "/srv/my-app"}),)


@ToolArguments.declare(
    toolset="guide",
    annotations=READS,
    examples=[
        Example(
            {"project": "/srv/my-app"},
            why="See where documents come from.",
            expect="Each category with its directory, patterns and description.",
        )
    ],
    usage="Use the names in expressions for {tool:get_content}.",
)
async def list_categories(args: ListCategories, ctx: ToolContext[Workspace]) -> Result[list[CategoryInfo]]:
    """List the categories of the project.

    Names for expressions, with directory and patterns.

    Use it to see which categories the project has.
    """
    project = await (await session_for(ctx, args.project)).get_project()
    return Result.ok([CategoryInfo.of(category) for category in project.categories.values()])


@ToolArguments.declare(
    toolset="guide",
    annotations=WRITES,
    tags=[FOR_OWNER],
    examples=[
        Example(
            {"name": "lang", "patterns": ["*.md"], "description": "Language rules", "project": "/srv/my-app"},
            why="Make the documents in lang/ available.",
            expect="The category as stored; lang/python now finds lang/python.md.",
        )
    ],
    usage="The directory need not exist yet: put documents there, and they are found.",
)
async def add_category(args: AddCategory, ctx: ToolContext[Workspace]) -> Result[CategoryInfo]:
    """Add a category to the project.

    Gives the documents of a directory a name.

    A name that a category or collection has is refused.

    Use it to make a directory of documents available under a name.
    """
    session = await session_for(ctx, args.project)
    category = Category(
        args.name, args.dir if args.dir is not None else args.name, tuple(args.patterns), args.description
    )
    added = await ctx.run(arrange.add_category, session.guide.config, await session.stored_project(), category)
    ctx.resources_changed()
    return Result.ok(CategoryInfo.of(added), message=f"Category {added.name} is added.")


@ToolArguments.declare(
    toolset="guide",
    annotations=WRITES,
    tags=[FOR_OWNER],
    examples=[
        Example(
            {"name": "lang", "patterns": ["python", "rust"], "project": "/srv/my-app"},
            why="Give fewer documents by default.",
            expect="The category with the new patterns; directory and description stay.",
            before=_EXISTS,
        )
    ],
    usage="Pass only what is to change. Patterns are replaced as a whole.",
)
async def change_category(args: ChangeCategory, ctx: ToolContext[Workspace]) -> Result[CategoryInfo]:
    """Change a category of the project.

    Its directory, patterns or description; what is absent stays.

    Use it to correct or edit a category.
    """
    session = await session_for(ctx, args.project)
    changed = await ctx.run(
        arrange.change_category,
        session.guide.config,
        await session.stored_project(),
        args.name,
        directory=args.dir,
        patterns=args.patterns,
        description=args.description,
    )
    ctx.resource_changed(f"guide://{changed.name}")
    return Result.ok(CategoryInfo.of(changed), message=f"Category {changed.name} is changed.")


def _removal(project: Project, category: Category) -> Effect:
    return Effect(
        f"removes the category {quoted(category.name)} from the project {quoted(project.name)}; "
        "its documents stay on disk",
        (f"directory {quoted(category.dir)}, patterns {quoted(', '.join(category.patterns))}",),
        facts=[project.name, category.name, category.dir, category.patterns],
        summary="removes a category from a project",
    )


@ToolArguments.declare(
    toolset="guide",
    annotations=DESTROYS,
    tags=[FOR_OWNER],
    consent=_REMOVE,
    examples=[
        Example(
            {"name": "lang", "confirm": "REMOVE_CATEGORY", "project": "/srv/my-app"},
            why="The user no longer wants a category.",
            expect="The names of the collections that no longer mention it.",
            before=_EXISTS,
        )
    ],
    usage="Name the category. Collections that mention it lose that part.",
)
async def remove_category(args: RemoveCategory, ctx: ToolContext[Workspace]) -> Result[list[str]]:
    """Remove a category from the project.

    Collections lose it too.

    Use it when the user no longer wants a category.
    """
    session = await session_for(ctx, args.project)
    project = await session.stored_project()
    category = project.category(args.name)
    effect = _removal(project, category)
    agreement = await ctx.require_consent(_REMOVE.literal, effect, given=_REMOVE.given_in(args))
    touched = await ctx.run(
        arrange.remove_category,
        session.guide.config,
        project,
        args.name,
        check=lambda current: agreement.check(_removal(current, current.category(args.name))),
    )
    ctx.resources_changed()
    return Result.ok(touched, message=f"Category {args.name} is removed.")
