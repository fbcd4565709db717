"""`utlx://language`: the language card as a resource."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_core import Page, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource
from rolltop.transform.language import language_card

__all__ = ["CARD", "LanguageResources"]

CARD = "utlx://language"
_MIME = "text/markdown"


class LanguageResources:
    schemes: tuple[str, ...] = ("utlx",)

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]:
        described = "UTL-X in one page: the whole syntax by example, and what differs from other languages."
        return Page([ResourceInfo(CARD, "UTL-X language card", description=described, mime_type=_MIME)])

    def templates(self) -> Sequence[TemplateInfo]:
        return []

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        if uri.rstrip("/") != CARD:
            raise UnknownResource(uri, hint=f"Did you mean {CARD}?")
        return [ResourceContent(uri, language_card(), _MIME)]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        return []
