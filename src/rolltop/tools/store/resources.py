"""Documents as resources: `doc://<hash or name>`, whole, by lines or by page; completions for names and tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from mcp_core import Page, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource
from mcp_core.result import DATA
from rolltop.errors import InvalidInput, NotFound
from rolltop.store import Document, Extracted, Library, Listing, decoded, is_hash_prefix, lines_in
from rolltop.tools.store.operations import document_holding
from rolltop.workspace import Workspace

__all__ = ["StoreResources"]

_PER_PAGE = 100


class StoreResources:
    """The stored documents, the latest first."""

    schemes = ("doc",)

    async def list(self, cursor: str | None, ctx: ToolContext[Workspace]) -> Page[ResourceInfo]:
        query = Listing(limit=_PER_PAGE, cursor=cursor)
        page = await ctx.run(ctx.workspace.store.documents.page, query)
        return Page([_info(document) for document in page.documents], page.next_cursor)

    def templates(self) -> Sequence[TemplateInfo]:
        return [
            TemplateInfo("doc://{name}", "document", "A stored document", "By hash, name or path."),
            TemplateInfo(
                "doc://{name}{?start_line,end_line,page,raw}",
                "part",
                "Lines or a page of a stored document",
                "They count from 1. Of a PDF or the like you get its text; raw=true gives the bytes.",
            ),
            TemplateInfo("doc://?tag={tag}", "tagged", "Documents with a tag", "Their paths, one per line."),
        ]

    async def read(self, uri: str, ctx: ToolContext[Workspace]) -> Sequence[ResourceContent]:
        return await ctx.run(_read, ctx.workspace.store, uri)

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        library: Library = ctx.workspace.store
        if argument == "tag":
            counts = await ctx.run(library.catalog.tags.counts)
            return [tag for tag in counts if tag.startswith(value)][:100]
        if argument == "name":
            return await ctx.run(library.catalog.listings.names, value, 100)
        return []


def _info(document: Document) -> ResourceInfo:
    return ResourceInfo(
        uri=f"doc://{quote(document.path)}",
        name=document.name,
        description=document.path,
        mime_type=document.mime,
        size=document.size,
    )


def _read(library: Library, uri: str) -> list[ResourceContent]:
    parts = urlsplit(uri)
    options = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    if "tag" in options:
        return [ResourceContent(uri, _tagged(library, options["tag"]), "text/plain", DATA)]
    name = unquote(parts.netloc + parts.path)
    try:
        number, document = _find(library, name)
    except (NotFound, InvalidInput) as error:
        raise UnknownResource(uri, error.hint) from None
    raw = options.get("raw", "") not in ("", "0", "false")
    extracted = None if raw else library.texts.readable(document_holding(library, document, number))
    if extracted is not None:
        return [ResourceContent(uri, _lines(_page(extracted, options), options), "text/plain", DATA)]
    data = library.documents.read_object(number)
    if raw or document.kind != "text":
        return [ResourceContent(uri, data, document.mime, DATA)]
    text = data.decode("utf-8", "replace") if document.is_text else decoded(data)
    mime = document.mime if document.is_text else document.mime.partition(";")[0]
    return [ResourceContent(uri, _lines(text, options), mime, DATA)]


def _find(library: Library, name: str) -> tuple[int, Document]:
    if is_hash_prefix(name) and (found := library.documents.by_hash(name)):
        return found.object.id, found.document
    document = library.documents.get(name)
    return document.object, document


def _page(text: Extracted, options: dict[str, str]) -> str:
    if "page" not in options:
        return text.body
    pages, number = text.pages(), _number(options, "page", 1)
    if number not in pages:
        raise InvalidInput(f"there is no text on page {number}")
    first, last = pages[number]
    return text.body[first:last]


def _lines(text: str, options: dict[str, str]) -> str:
    if not {"start_line", "end_line"} & options.keys():
        return text
    lines = lines_in(text)
    first, last = _number(options, "start_line", 1), _number(options, "end_line", len(lines))
    return "".join(lines[max(0, first - 1) : last])


def _tagged(library: Library, tag: str) -> str:
    return "".join(f"{document.path}\n" for document in library.documents.select(Listing(tags=(tag,))))


def _number(options: dict[str, str], name: str, default: int) -> int:
    text = options.get(name, "")
    if text and not text.isdecimal():
        raise InvalidInput(f"{name} must be a number")
    return int(text) if text else default
