"""`rmd:///`, `rmd-output:///` and `rmd-figure:///`: listed as the directories are, read byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_core import Page, ProtocolFault, ResourceContent, ResourceInfo, TemplateInfo, ToolContext, UnknownResource
from mcp_core.result import DATA, TEXT_AT
from rolltop.errors import InvalidInput, NotFound
from rolltop.reports.listing import Listed
from rolltop.reports.names import figure_uri, output_uri, parse_uri, stem_of
from rolltop.reports.results.knitted_text import figure_links

__all__ = ["ReportResources"]

INVALID_REQUEST = -32600
PAGE = 200
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
NOTEBOOK = "application/x-ipynb+json"


class ReportResources:
    schemes: tuple[str, ...] = ("rmd", "rmd-output", "rmd-figure")

    async def list(self, cursor: str | None, ctx: ToolContext[Any]) -> Page[ResourceInfo]:
        """By URI from the cursor on, so that a file that comes or goes in between moves nothing."""
        found = sorted(await ctx.run(lambda: [*ctx.workspace.reports.listing.all()]), key=_order)
        rest = [item for item in found if cursor is None or _key(item) > cursor]
        following = _key(rest[PAGE - 1]) if len(rest) > PAGE else None
        return Page([_info(item) for item in rest[:PAGE]], following)

    def templates(self) -> Sequence[TemplateInfo]:
        return [
            TemplateInfo(
                "rmd:///{filename}.Rmd",
                "R Markdown file",
                description="An R Markdown document by its name.",
                mime_type="text/markdown",
            ),
            *(
                TemplateInfo(
                    f"rmd-output:///{{filename}}.{ending}",
                    f"Rendered {kind}",
                    description=f"A document rendered to {kind}.",
                    mime_type=mime_type,
                )
                for ending, kind, mime_type in (
                    ("html", "HTML", "text/html"),
                    ("pdf", "PDF", "application/pdf"),
                    ("docx", "Word", DOCX),
                    ("pptx", "PowerPoint", PPTX),
                    ("ipynb", "a Jupyter notebook", NOTEBOOK),
                    ("md", "Markdown, the text with the results of its code,", "text/markdown"),
                )
            ),
            TemplateInfo(
                "rmd-figure:///{filename}/{figure}", "Figure", description="A plot of the latest render of a document."
            ),
        ]

    async def read(self, uri: str, ctx: ToolContext[Any]) -> Sequence[ResourceContent]:
        try:
            mime_type, data = await ctx.run(ctx.workspace.reports.listing.read, uri)
        except InvalidInput as error:
            raise ProtocolFault(INVALID_REQUEST, error.message, {"uri": uri, "hint": error.hint}) from None
        except NotFound as error:
            raise UnknownResource(uri, hint=error.hint) from None
        content = _text_or_bytes(mime_type, data)
        stem, ending = _output_parts(uri)
        if ending == "md" and isinstance(content, str):
            return [ResourceContent(uri, figure_links(content, stem, figure_uri(stem, "")), mime_type, DATA)]
        text = f"{stem}.md"
        readable = ending and any(each.name == text for each in await ctx.run(ctx.workspace.reports.outputs.all))
        meta = {**DATA, TEXT_AT: output_uri(text)} if readable else DATA
        return [ResourceContent(uri, content, mime_type, meta)]

    async def complete(self, template: str, argument: str, value: str, ctx: ToolContext[Any]) -> Sequence[str]:
        reports = ctx.workspace.reports
        if argument == "figure":
            figures = [f.name for stem in reports.outputs.figured() for f in reports.outputs.figures(stem)]
            return [name for name in dict.fromkeys(figures) if name.startswith(value)]
        documents = await ctx.run(reports.documents.all)
        return [stem for stem in (stem_of(each.name) for each in documents) if stem.startswith(value)]


def _text_or_bytes(mime_type: str, data: bytes) -> str | bytes:
    """Text as text where it is text, everything else as it is."""
    if mime_type.startswith("text/") or mime_type in ("image/svg+xml", NOTEBOOK):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data
    return data


def _output_parts(uri: str) -> tuple[str, str]:
    """The name of a rendered document and its ending; none for what is not one."""
    reference = parse_uri(uri)
    stem, _, ending = reference.name.rpartition(".")
    return (stem, ending) if reference.kind == "output" else ("", "")


def _info(item: Listed) -> ResourceInfo:
    return ResourceInfo(item.uri, item.name, description=item.description, mime_type=item.mime_type, size=item.size)


def _order(item: Listed) -> str:
    return _key(item)


def _key(item: Listed) -> str:
    """Documents, then what was rendered, then figures; each by name."""
    rank = {"rmd": "0", "rmd-output": "1"}.get(item.uri.partition(":")[0], "2")
    return rank + item.uri
