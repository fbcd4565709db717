"""`guide://EXPRESSION`: content as resources, for clients that attach instead of call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode

from mcp_core import Page, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource
from rolltop.guide import Content
from rolltop.guide.errors import NameUnknown, NoProject
from rolltop.guide.formats import media_type
from rolltop.tools.guide.working import session_for

__all__ = ["GuideResources"]

SCHEME = "guide://"
_PARAMETERS = ("project", "offset")


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
                SCHEME + "{+expression}{?project,offset}",
                "Content by expression",
                description="Documents of a project, such as guide://lang/python+rust,docs/api.",
                mime_type="text/plain",
            )
        ]

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        expression, _, query = uri.partition("://")[2].partition("#")[0].partition("?")
        asked = _asked(uri, query)
        session = await session_for(ctx, asked.get("project"))
        try:
            content = await session.get_content(unquote(expression), offset=_offset(uri, asked.get("offset", "0")))
        except NameUnknown as error:
            raise UnknownResource(uri, hint=f"{error}. {error.hint or ''}".strip()) from None
        if not content.documents:
            raise UnknownResource(uri, hint=f"Nothing matches {', '.join(content.unmatched) or expression}.")
        return [ResourceContent(uri, content.text, _media_type(content), _meta(content, expression, asked))]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        session = await session_for(ctx, ctx.beside.get("project") if argument == "expression" else None)
        if argument == "project":
            projects = await ctx.run(session.guide.config.projects)
            return [project.key for project in projects if project.key.startswith(value)]
        return await session.complete(value) if argument == "expression" else []


def _info(name: str, description: str) -> ResourceInfo:
    return ResourceInfo(f"{SCHEME}{name}", name, description=description or None, mime_type="text/plain")


def _media_type(content: Content) -> str:
    """One document has its own type; several are plain text."""
    return media_type(content.documents[0].path) if len(content.documents) == 1 else "text/plain"


def _asked(uri: str, query: str) -> dict[str, str]:
    """The parameters of an address. Another one is a slip, or a `?` of a pattern: both would give other documents."""
    asked = {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}
    for name in asked:
        if name not in _PARAMETERS:
            known = " and ".join(_PARAMETERS)
            raise UnknownResource(uri, hint=f"{name!r} is no parameter; {known} are. A ? in a pattern is written %3F.")
    return asked


def _offset(uri: str, text: str) -> int:
    if not text.isdecimal():
        raise UnknownResource(uri, hint="offset is the number of documents to leave out.")
    return int(text)


def _meta(content: Content, expression: str, asked: dict[str, str]) -> dict[str, Any]:
    """What the text does not say: which documents it is of, what is missing, and where to go on."""
    meta: dict[str, Any] = {"documents": [document.name for document in content.documents]}
    if content.unmatched:
        meta["unmatched"] = list(content.unmatched)
    if content.unreadable:
        meta["unreadable"] = list(content.unreadable)
    if content.truncated:
        meta.update(truncated=True, omitted=content.omitted)
    if content.next_offset is not None:
        following = urlencode({**asked, "offset": content.next_offset})
        meta["next"] = f"{SCHEME}{expression}?{following}"
    return meta
