"""`made://NAME`: how something was made, from what, and what was made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, unquote

import orjson

from mcp_core import Page, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource
from mcp_core.result import DATA
from rolltop.errors import InvalidInput, NotFound
from rolltop.origin import Lineage, as_dot, as_prov, as_tree, lineage
from rolltop.recorder import lineage_dict, thing_named
from rolltop.remake import find_stale
from rolltop.workspace import Workspace

__all__ = ["MadeResources"]

_STALE = "made://?stale"
_FORMS = ("tree", "json", "dot", "prov")


class MadeResources:
    """Origins by the name, hash or URI of a thing; `made://?stale` is what is out of date."""

    schemes: tuple[str, ...] = ("made",)

    async def list(self, cursor: str | None, ctx: ToolContext[Workspace]) -> Page[ResourceInfo]:
        if not await ctx.run(ctx.workspace.origins.recent, 1):
            return Page([])
        return Page([ResourceInfo(_STALE, "Out of date", "What was made from inputs that changed", "text/plain")])

    def templates(self) -> Sequence[TemplateInfo]:
        said = "The call, its inputs and theirs, for a document, hash or URI. format: tree (default), json, dot, prov."
        return [TemplateInfo("made://{+name}{?format}", "Origin", "How something was made", said)]

    async def read(self, uri: str, ctx: ToolContext[Workspace]) -> Sequence[ResourceContent]:
        if uri == _STALE:
            found = [f"{each.making.name}: {each.reason}" for each in await find_stale(ctx)]
            return [ResourceContent(uri, "\n".join(found) or "Nothing is out of date.", "text/plain", DATA)]
        name, _, query = uri.removeprefix("made://").partition("?")
        form = parse_qs(query).get("format", ["tree"])[-1]
        if form not in _FORMS:
            raise InvalidInput(f"there is no format {form}", hint=f"One of {', '.join(_FORMS)}.")
        try:
            known = await ctx.run(_lineage, ctx.workspace, unquote(name))
        except NotFound as error:
            raise UnknownResource(uri, hint=error.hint) from None
        mime = "application/json" if form in ("json", "prov") else "text/plain"
        return [ResourceContent(uri, _shown(known, form), mime, DATA)]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        if argument == "format":
            return [form for form in _FORMS if form.startswith(value)]
        names = [each.name for each in await ctx.run(ctx.workspace.origins.recent, 200)]
        return [name for name in dict.fromkeys(names) if name.startswith(value)]


def _lineage(workspace: Workspace, name: str) -> Lineage:
    return lineage(workspace.origins, thing_named(workspace, name))


def _shown(known: Lineage, form: str) -> str:
    if form in ("json", "prov"):
        return orjson.dumps(as_prov(known) if form == "prov" else lineage_dict(known)).decode()
    return as_dot(known) if form == "dot" else "\n".join(as_tree(known))
