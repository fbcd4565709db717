"""Resources that the conformance suite reads."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from conformance_set.fixture import PIXEL
from mcp_core import Page, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource

__all__ = ["Fixtures"]

STATIC: dict[str, tuple[str | bytes, str]] = {
    "test://static-text": ("This is the content of the static text resource.", "text/plain"),
    "test://static-binary": (PIXEL, "image/png"),
    "test://watched-resource": ("Watched resource content", "text/plain"),
}
_DATA = re.compile(r"test://template/([^/?#]+)/data")


class Fixtures:
    schemes: tuple[str, ...] = ("test",)

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]:
        return Page([
            ResourceInfo(uri, uri.rpartition("/")[2], description="A fixture.", mime_type=kind)
            for uri, (_, kind) in STATIC.items()
        ])  # fmt: skip

    def templates(self) -> Sequence[TemplateInfo]:
        template = "test://template/{id}/data"
        return [TemplateInfo(template, "Data by id", description="A fixture.", mime_type="application/json")]

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        if uri in STATIC:
            content, kind = STATIC[uri]
            return [ResourceContent(uri, content, kind)]
        if (match := _DATA.fullmatch(uri)) is None:
            raise UnknownResource(uri)
        data = {"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"}
        return [ResourceContent(uri, json.dumps(data), "application/json")]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        return [each for each in ("1", "12", "123") if each.startswith(value)]
