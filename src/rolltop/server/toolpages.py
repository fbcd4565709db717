"""`tool://NAME`: the full documentation of a tool, whatever the list shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_core import Page, Registry, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource
from mcp_core.description import describe

__all__ = ["ToolPages"]

PAGE = 100


class ToolPages:
    schemes: tuple[str, ...] = ("tool",)

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]:
        return Page([])  # the tools are listed by tools/list; one list of them is enough

    def templates(self) -> Sequence[TemplateInfo]:
        return [
            TemplateInfo(
                "tool://{name}",
                "Documentation of a tool",
                description="Description, JSON Schema, usage and examples of a tool.",
                mime_type="text/markdown",
            )
        ]

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        name = uri.partition("://")[2].rstrip("/")
        registered = self._registry.by_plain_name(name)
        if registered is None:
            near = self._registry.nearest(name)
            raise UnknownResource(uri, hint=f"Did you mean tool://{near}?" if near else None)
        text = f"# {registered.name}\n\n{describe(registered.spec, 'full', self._registry.name_of)}\n"
        return [ResourceContent(uri, text, "text/markdown")]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        return [each.name for each in self._registry if each.name.startswith(value)]
