"""Tools that look: which documents there are, and what one says."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import BaseModel, Field

from mcp_core import FROM_DOCUMENTS, READS, Example, Result, ToolArguments, ToolContext
from rolltop.reports.files.documents import source_text
from rolltop.reports.files.versions import Version
from rolltop.reports.names import figure_uri, output_uri, source_uri, stem_of
from rolltop.tools.reports.example import CREATED
from rolltop.workspace import Workspace

__all__ = ["list_rmd", "read_rmd"]

VERSIONS = 20
"""Versions that an answer lists; the command line lists them all."""


class ListRmd(ToolArguments):
    cursor: str | None = Field(default=None, description="next_cursor of the last page.")
    limit: int = Field(default=100, ge=1, le=500, description="Most documents.")


class Entry(BaseModel):
    filename: str = Field(description="The document's file name.")
    title: str | None = Field(description="The title in its front matter.")
    uri: str = Field(description="Where to read it.")
    size: int = Field(description="Bytes.")
    modified: datetime = Field(description="When it was last changed.")
    outputs: list[str] = Field(description="URIs of what was rendered from it.")


class Documents(BaseModel):
    documents: list[Entry] = Field(description="The documents by name.")
    next_cursor: str | None = Field(description="Where the rest begins; null when this is all.")


@ToolArguments.declare(
    toolset="reports",
    annotations=READS,
    examples=[Example({}, why="See which documents there are.", expect="Names, titles, and what was rendered.")],
    usage="Page with cursor when next_cursor is not null.",
    tags=[FROM_DOCUMENTS],
)
async def list_rmd(args: ListRmd, ctx: ToolContext[Workspace]) -> Result[Documents]:
    """List the R Markdown files.

    With titles and rendered outputs.

    Use it to see which reports there are.
    """
    reports = ctx.workspace.reports
    found = [each for each in await ctx.run(reports.documents.all) if args.cursor is None or each.name > args.cursor]
    outputs = await ctx.run(reports.outputs.all)
    page = found[: args.limit]
    entries = [
        Entry(
            filename=each.name,
            title=each.title,
            uri=source_uri(each.name),
            size=each.size,
            modified=datetime.fromtimestamp(each.modified, UTC),
            outputs=[output_uri(f.name) for f in outputs if f.name.rpartition(".")[0] == stem_of(each.name)],
        )
        for each in page
    ]
    return Result.ok(Documents(documents=entries, next_cursor=page[-1].name if len(found) > len(page) else None))


class ReadRmd(ToolArguments):
    filename: str = Field(description="R Markdown file to read")
    version: int | None = Field(default=None, ge=1, description="An earlier version instead.")


class VersionInfo(BaseModel):
    version: int = Field(description="Its number: pass it to read it, or to update_rmd to go back to it.")
    size: int = Field(description="Bytes.")
    modified: datetime = Field(description="When this text was written.")


class Content(BaseModel):
    filename: str = Field(description="The document's file name.")
    content: str = Field(description="Its text, front matter included.")
    side_files: list[str] = Field(description="Side files that its code can read.")
    figures: list[str] = Field(description="URIs of the plots of its latest render.")
    versions: list[VersionInfo] = Field(description="Its latest earlier versions, the newest first.")


@ToolArguments.declare(
    toolset="reports",
    annotations=READS,
    examples=[
        Example(
            {"filename": "example"},
            why="See the text of a document.",
            expect="Its text and side files.",
            before=CREATED,
        )
    ],
    usage="The name with or without .Rmd.",
    tags=[FROM_DOCUMENTS],
)
async def read_rmd(args: ReadRmd, ctx: ToolContext[Workspace]) -> Result[Content]:
    """Read an R Markdown file.

    Its text, side files and versions.

    Use it to see the source or text of a report.
    """
    reports = ctx.workspace.reports
    name = await ctx.run(reports.documents.existing, args.filename)
    stem = stem_of(name)
    if args.version is None:
        text = await ctx.run(reports.documents.text, name)
    else:
        text = source_text(name, await ctx.run(reports.documents.version, name, args.version))
    return Result.ok(
        Content(
            filename=name,
            content=text,
            side_files=[file.name for file in await ctx.run(reports.documents.side_files, name)],
            figures=[figure_uri(stem, figure.name) for figure in await ctx.run(reports.outputs.figures, stem)],
            versions=[_version(each) for each in (await ctx.run(reports.documents.versions, name))[:VERSIONS]],
        )
    )


def _version(each: Version) -> VersionInfo:
    return VersionInfo(version=each.number, size=each.size, modified=datetime.fromtimestamp(each.modified, UTC))
