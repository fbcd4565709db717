"""`guide://EXPRESSION`: content as resources, for clients that attach instead of call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, unquote

from mcp_core import Page, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource
from rolltop.guide import Content
from rolltop.guide.errors import NameUnknown, NoProject
from rolltop.guide.formats import media_type
from rolltop.tools.guide.working import session_for

__all__ = ["GuideResources"]

SCHEME = "guide://"


class GuideResources:
    """One resource per category and collection of the current project; every expression can be read."""

    schemes: tuple[str, ...] = ("guide",)

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]:
        try:
            project = await (await session_for(ctx, None)).get_project()
        except NoProject:
            return Page([])
        named = {name: category.description for name, category in project.categories.items()}
        named.update({name: collection.description for name, collection in project.collections.items()})
        return Page([_info(name, description) for name, description in named.items()])

    def templates(self) -> Sequence[TemplateInfo]:
        return [
            TemplateInfo(
                SCHEME + "{+expression}{?project}",
                "Content by expression",
                description="Documents of a project, such as guide://lang/python+rust,docs/api.",
                mime_type="text/plain",
            )
        ]

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        expression, _, query = uri.partition("://")[2].partition("#")[0].partition("?")
        project = parse_qs(query).get("project", [None])[0]
        session = await session_for(ctx, project)
        try:
            content = await session.get_content(unquote(expression))
        except NameUnknown as error:
            raise UnknownResource(uri, hint=f"{error}. {error.hint or ''}".strip()) from None
        if not content.documents:
            raise UnknownResource(uri, hint=f"Nothing matches {', '.join(content.unmatched) or expression}.")
        return [ResourceContent(uri, content.text, _media_type(content), _meta(content))]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        session = await session_for(ctx, None)
        if argument == "project":
            projects = await ctx.run(session.guide.config.projects)
            return [project.key for project in projects if project.key.startswith(value)]
        return await session.complete(value)


def _info(name: str, description: str) -> ResourceInfo:
    return ResourceInfo(f"{SCHEME}{name}", name, description=description or None, mime_type="text/plain")


def _media_type(content: Content) -> str:
    """One document has its own type; several are plain text."""
    return media_type(content.documents[0].path) if len(content.documents) == 1 else "text/plain"


def _meta(content: Content) -> dict[str, Any]:
    meta: dict[str, Any] = {"documents": [document.name for document in content.documents]}
    if content.truncated:
        meta.update(truncated=True, omitted=content.omitted)
    return meta
