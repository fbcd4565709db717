"""Tools that write documents and their side files."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

import base64
import binascii
import difflib
import hashlib
from functools import partial
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from mcp_core import DESTROYS, WRITES, Consent, Effect, Example, Result, ToolArguments, ToolContext, quoted
from mcp_core.display import escaped, listing
from rolltop.errors import Conflict, InvalidData, InvalidInput
from rolltop.recorder import Recorder, text_hash
from rolltop.reports.names import document_name, source_uri, stem_of
from rolltop.reports.source.gallery import from_template
from rolltop.tools.reports.example import CREATE, CREATED
from rolltop.workspace import Workspace

if TYPE_CHECKING:
    from rolltop.reports import Reports
    from rolltop.reports.files.documents import Documents

__all__ = ["attach_rmd_file", "create_rmd", "delete_rmd", "update_rmd"]


_OVERWRITE = Consent(
    "OVERWRITE_RMD",
    "replaces that document",
    always=False,
    when="overwrite replaces a document",
)
_DELETE = Consent("DELETE_RMD", "removes the document and its side files", always=False)


class CreateRmd(ToolArguments):
    filename: str = Field(description="Filename for the R Markdown file (without extension)")
    title: str = Field(description="Title for the R Markdown document")
    content: str = Field(description="Content of the R Markdown file")
    template: Literal["data_summary", "comparison", "dashboard", "slides", "paper"] | None = Field(
        default=None, description="Begin with this example; content follows it."
    )
    overwrite: bool = Field(default=False, description="Replace a document of that name.")


class Written(BaseModel):
    filename: str = Field(description="The document's file name, with its extension.")
    uri: str = Field(description="Where to read it.")
    previous_version: int | None = Field(default=None, description="Number of the version that has the text before.")


@ToolArguments.declare(
    toolset="reports",
    annotations=DESTROYS,
    consent=_OVERWRITE,
    examples=[
        Example(
            CREATE,
            why="Write a document with one plot; front matter with the title is added.",
            expect="Created R Markdown file: example.Rmd",
        )
    ],
    usage="Write Markdown with ```{r} chunks; front matter is added when there is none. Then {tool:render_rmd}.",
)
async def create_rmd(args: CreateRmd, ctx: ToolContext[Workspace]) -> Result[Written]:
    """Create a new R Markdown file.

    A report with R code in it.

    An existing document is kept unless `overwrite` is true.

    Use it to start, make or write a new report.
    """
    documents = ctx.workspace.reports.documents
    name = document_name(args.filename)
    content = from_template(args.template, args.title, args.content) if args.template else args.content
    create = partial(documents.create, args.filename, args.title, content)
    try:
        await ctx.run(create)
    except Conflict:
        if not (args.overwrite and await ctx.run(documents.has, name)):
            raise
        effect = await ctx.run(_replacement, documents, name, content)
        agreement = await ctx.require_consent(_OVERWRITE.literal, effect, given=_OVERWRITE.given_in(args))
        await ctx.run(
            create,
            overwrite=True,
            check=lambda: agreement.check(_replacement(documents, name, content)),
        )
    ctx.resources_changed()
    ctx.resource_changed(source_uri(name))
    return Result.ok(Written(filename=name, uri=source_uri(name)), f"Created R Markdown file: {name}")


def _replacement(documents: Documents, name: str, content: str) -> Effect:
    """One document for another; bound to the one that is there and to the new text."""
    before = documents.read(name).decode("utf-8", "replace")
    lines = difflib.unified_diff(before.splitlines(), content.splitlines(), "now", "then", lineterm="", n=1)
    return Effect(
        f"replaces the document {quoted(name)}; its text now is kept as a version",
        tuple(map(escaped, lines)),
        facts=[name, _digest(before), _digest(content)],
        summary="replaces an R Markdown document",
    )


def _removal(reports: Reports, name: str, with_outputs: bool) -> Effect:
    """A document with its side files; bound to their state."""
    stem = stem_of(name)
    outputs = [each.name for each in reports.outputs.all() if each.name.rpartition(".")[0] == stem]
    gone = [name, *(f"{stem}/{side.name}" for side in reports.documents.side_files(name))]
    gone += [f"output/{output}" for output in outputs] if with_outputs else []
    rendered = " and what was rendered from it" if with_outputs else ""
    return Effect(
        f"removes the document {quoted(name)}, its side files{rendered}",
        listing(gone),
        facts=[gone, [stamp for _, stamp in reports.documents.stamps(name)]],
        summary="removes the document and its side files",
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class UpdateRmd(ToolArguments):
    filename: str = Field(description="R Markdown file to change")
    content: str | None = Field(default=None, description="Whole new text, with front matter.")
    find: str | None = Field(default=None, description="Instead: text that occurs exactly once …", min_length=1)
    replace: str | None = Field(default=None, description="… and its replacement.")
    version: int | None = Field(default=None, ge=1, description="Instead: version to go back to.")


@ToolArguments.declare(
    toolset="reports",
    annotations=WRITES,
    examples=[
        Example(
            {"filename": "example", "find": "plot(cars)", "replace": "plot(cars, col = 'red')"},
            why="Change one line of code.",
            expect="Updated R Markdown file: example.Rmd",
            before=CREATED,
        )
    ],
    usage="Give content, or find and replace, or version. The text before stays as a version.",
)
async def update_rmd(args: UpdateRmd, ctx: ToolContext[Workspace]) -> Result[Written]:
    """Change the text of an R Markdown file.

    Whole or in part, or back to a version.

    Use it to correct a document after {tool:render_rmd} named a chunk and a line.

    Use it to fix, edit or correct a report: a typo, a chunk of code.
    """
    ways = [args.content is not None, args.find is not None, args.version is not None]
    if sum(ways) != 1 or (args.find is None) != (args.replace is None):
        raise InvalidInput("give either content, or find and replace, or version")
    documents = ctx.workspace.reports.documents
    if args.version is not None:
        name = await ctx.run(documents.restore, args.filename, args.version)
    elif args.content is not None:
        name = await ctx.run(documents.update, args.filename, args.content)
    else:
        name = await ctx.run(documents.edit, args.filename, lambda text: _edited(text, args))
    ctx.resource_changed(source_uri(name))
    ctx.resources_changed()
    before = await ctx.run(documents.versions, name)
    written = Written(filename=name, uri=source_uri(name), previous_version=before[0].number if before else None)
    return Result.ok(written, f"Updated R Markdown file: {name}")


def _edited(text: str, args: UpdateRmd) -> str:
    assert args.find is not None
    count = text.count(args.find)
    if count != 1:
        raise InvalidData(
            f"the text to find occurs {count} times in the document, not once",
            hint="Read the document and give a longer piece of it." if count else "Read the document again.",
        )
    return text.replace(args.find, args.replace or "")


class DeleteRmd(ToolArguments):
    filename: str = Field(description="R Markdown file to remove")
    outputs: bool = Field(default=False, description="Rendered files too.")


class Deleted(BaseModel):
    filename: str = Field(description="The document that was removed.")
    outputs: list[str] = Field(description="Rendered files that were removed with it.")


@ToolArguments.declare(
    toolset="reports",
    annotations=DESTROYS,
    consent=_DELETE,
    examples=[
        Example(
            {"filename": "example", "confirm": "DELETE_RMD"},
            why="The user said that the document is to be removed.",
            expect="Deleted R Markdown file: example.Rmd",
            before=CREATED,
        )
    ],
    usage="Pass outputs: true to remove what was rendered as well.",
)
async def delete_rmd(args: DeleteRmd, ctx: ToolContext[Workspace]) -> Result[Deleted]:
    """Remove an R Markdown file and its side files.

    Rendered files stay, unless `outputs` is true.

    Use it when the user no longer wants a report.
    """
    reports = ctx.workspace.reports
    name = await ctx.run(reports.documents.existing, args.filename)
    effect = await ctx.run(_removal, reports, name, args.outputs)
    agreement = await ctx.require_consent(_DELETE.literal, effect, given=_DELETE.given_in(args))
    name = await ctx.run(
        reports.documents.delete,
        name,
        check=lambda: agreement.check(_removal(reports, name, args.outputs)),
    )
    removed = await ctx.run(reports.outputs.delete, stem_of(name)) if args.outputs else []
    ctx.resources_changed()
    return Result.ok(Deleted(filename=name, outputs=removed), f"Deleted R Markdown file: {name}")


class AttachRmdFile(ToolArguments):
    filename: str = Field(description="R Markdown file that uses it")
    name: str = Field(description="Name that the code reads it by: data.csv.")
    content: str | None = Field(default=None, description="Text …")
    content_base64: str | None = Field(default=None, description="… or base64 …")
    source: str | None = Field(default=None, description="… or doc://NAME, rmd-output:///…, another URI …")
    version: int | None = Field(default=None, ge=1, description="… or version to go back to.")


class Attached(BaseModel):
    path: str = Field(description="Where it lies, below the directory of documents.")
    size: int = Field(description="Bytes.")
    replaced: bool = Field(description="Whether it took the place of an earlier one.")
    previous_version: int | None = Field(default=None, description="Number of the version that has the file before.")


@ToolArguments.declare(
    toolset="reports",
    annotations=WRITES,
    examples=[
        Example(
            {"filename": "example", "name": "data.csv", "content": "x,y\n1,2\n"},
            why="Give a document data to read with read.csv('data.csv').",
            expect="Attached example/data.csv",
            before=CREATED,
        )
    ],
    usage="Give exactly one of content, content_base64, source and version; a replaced file stays as a version.",
)
async def attach_rmd_file(args: AttachRmdFile, ctx: ToolContext[Workspace]) -> Result[Attached]:
    """Give an R Markdown file data to read.

    Data, image, bibliography or child document; its code sees no other files.

    Use it to include data, a CSV file or an image in a report.
    """
    recorder = Recorder(ctx, args)
    data = await _given_bytes(args, ctx, recorder)
    kept = await ctx.run(ctx.workspace.reports.documents.attach, args.filename, args.name, data)
    if args.source is not None:
        recorder.made("side file", source_uri(kept.path), text_hash(data), len(data))
        await recorder.record(is_copy=True)
    said = f"Attached {kept.path}" + (" in place of the earlier one" if kept.replaced else "")
    before = await ctx.run(ctx.workspace.reports.documents.versions, args.filename, args.name) if kept.replaced else []
    number = before[0].number if before else None
    return Result.ok(Attached(path=kept.path, size=len(data), replaced=kept.replaced, previous_version=number), said)


async def _given_bytes(args: AttachRmdFile, ctx: ToolContext[Workspace], recorder: Recorder) -> bytes:
    given = [value for value in (args.content, args.content_base64, args.source, args.version) if value is not None]
    if len(given) != 1:
        raise InvalidInput("give exactly one of content, content_base64, source and version")
    if args.version is not None:
        return await ctx.run(ctx.workspace.reports.documents.version, args.filename, args.version, args.name)
    if args.content is not None:
        return args.content.encode("utf-8", "replace")
    if args.content_base64 is not None:
        try:
            return base64.b64decode(args.content_base64, validate=True)
        except binascii.Error:
            raise InvalidInput("content_base64 is not valid base64") from None
    assert args.source is not None
    return (await recorder.read("input", args.source)).data
