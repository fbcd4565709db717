"""Tools that read documents."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, Field, model_validator

from mcp_core import (
    DESTROYS,
    FROM_DOCUMENTS,
    READS,
    Consent,
    Effect,
    Example,
    Result,
    ToolArguments,
    ToolContext,
    quoted,
)
from rolltop.errors import Conflict, ConsentMissing
from rolltop.files import Target
from rolltop.store import Document, Library
from rolltop.tools.store.models import Content, From0, From1
from rolltop.tools.store.operations import document_by, find_hash
from rolltop.tools.store.reading import Wanted, read_part
from rolltop.tools.store.relations import RelatedDocument, origin_of, related_to
from rolltop.workspace import Workspace

__all__ = ["CatDocument", "GetByName", "RetrieveDocument", "Retrieved", "content_of", "replacement", "retrieve"]

OVERWRITE = "OVERWRITE_FILE"
SHARE = 0.8
"""How much of an answer's budget content may take; the rest is for escapes and the other fields."""


class RetrieveDocument(ToolArguments):
    hash: str = Field(description="Document hash")
    output_path: str | None = Field(
        default=None,
        alias="outputPath",
        validation_alias=AliasChoices("outputPath", "output_path"),
        description="Output file path (optional)",
    )
    graph: bool = Field(default=False, description="Include related documents in response")
    depth: int = Field(default=2, ge=1, le=5, description="Graph traversal depth (1-5)")
    include_content: bool = Field(default=False, description="Include full document content in response")
    offset: From0 = Field(default=0, description="First byte.")
    length: From0 | None = Field(default=None, description="Bytes.")
    start_line: From1 | None = Field(default=None, description="First line, from 1.")
    end_line: From1 | None = Field(default=None, description="Last line.")


class Retrieved(BaseModel):
    found: bool = Field(description="Whether there is a document with this hash.")
    size: int | None = Field(default=None, description="Bytes of the whole content.")
    path: str | None = Field(default=None, description="The file that was written, else the document's path.")
    hash: str | None = Field(default=None, description="SHA-256 of the content.")
    name: str | None = Field(default=None, description="Name of the document.")
    mime_type: str | None = Field(default=None, description="MIME type.")
    current: bool | None = Field(default=None, description="False: this is an earlier version of the document.")
    content: str | None = Field(default=None, description="The text, when asked for and text.")
    blob: str | None = Field(default=None, description="The bytes in base64, when asked for and not text.")
    start: int | None = Field(default=None, description="First byte of the part.")
    end: int | None = Field(default=None, description="Byte after the last one of the part.")
    start_line: int | None = Field(default=None, description="First line of the part.")
    end_line: int | None = Field(default=None, description="Last line of the part.")
    complete: bool | None = Field(default=None, description="Whether all that was asked for is here.")
    next_offset: int | None = Field(default=None, description="Pass it as offset to get the next part.")
    extracted: bool | None = Field(default=None, description="True: the text in the document, not its bytes.")
    pages: int | None = Field(default=None, description="Number of its last page.")
    text_note: str | None = Field(default=None, description="Why it has no text to search, or not all.")
    made_by: dict[str, Any] | None = Field(
        default=None, description="The call that made it: tool, time, client, principal, versions."
    )
    made_from: list[dict[str, Any]] | None = Field(default=None, description="Its inputs: role, uri, hash.")
    graph_enabled: bool | None = Field(default=None, description="Whether related documents were looked up.")
    related_documents: list[RelatedDocument] | None = Field(default=None, description="The nearest first.")
    related_complete: bool | None = Field(default=None, description="False: more are related, or not yet known.")
    related_note: str | None = Field(default=None, description="What is missing, and what to do.")


class GetByName(ToolArguments):
    name: str = Field(description="Name, path or end of the path.", min_length=1)
    offset: From0 = Field(default=0, description="First byte.")
    length: From0 | None = Field(default=None, description="Bytes.")
    start_line: From1 | None = Field(default=None, description="First line, from 1.")
    end_line: From1 | None = Field(default=None, description="Last line.")


class CatDocument(ToolArguments):
    hash: str | None = Field(default=None, description="Hash, or 8 or more digits.")
    name: str | None = Field(default=None, description="Name, path or end of the path.")
    offset: From0 = Field(default=0, description="First byte.")
    length: From0 | None = Field(default=None, description="Bytes.")
    start_line: From1 | None = Field(default=None, description="First line, from 1.")
    end_line: From1 | None = Field(default=None, description="Last line.")
    page: From1 | None = Field(default=None, description="Page of a PDF.")
    raw: bool = Field(default=False, description="Bytes, not its text.")

    @model_validator(mode="after")
    def _one_of(self) -> CatDocument:
        if (self.hash is None) == (self.name is None):
            raise ValueError("give either hash or name")
        return self


def _wanted(args: RetrieveDocument | GetByName | CatDocument, budget: int) -> Wanted:
    part = Wanted(args.offset, args.length, args.start_line, args.end_line, max(1000, int(budget * SHARE)))
    return replace(part, page=args.page, raw=args.raw) if isinstance(args, CatDocument) else part


def retrieve(
    workspace: Workspace, args: RetrieveDocument, budget: int, write: Callable[[str, bytes], Path] | None = None
) -> Retrieved:
    """Content by its hash; not finding it is an answer, not an error. `write` writes the output, where it may."""
    library = workspace.store
    found = library.documents.by_hash(args.hash.strip())
    if found is None:
        return Retrieved(found=False)
    entry, document = found.object, found.document
    path = document.path
    if args.output_path is not None:
        write = write or workspace.files.write_bytes
        path = str(write(args.output_path, library.documents.read_object(entry.id)))
    answer = Retrieved(
        found=True,
        size=entry.size,
        path=path,
        hash=entry.hex,
        name=document.name,
        mime_type=document.mime,
        current=found.current,
        text_note=library.extracts.note(document) if found.current else None,
        **origin_of(workspace, entry.hex),
    )
    ranged = args.offset or args.length is not None or args.start_line or args.end_line
    if args.include_content or ranged:
        part = read_part(library, document, entry.id, entry.size, _wanted(args, budget))
        answer = answer.model_copy(update={name: getattr(part, name) for name in part.__slots__})
    if args.graph:
        answer = answer.model_copy(update=related_to(workspace, found, args.depth, budget))
    return answer


def content_of(library: Library, document: Document, wanted: Wanted) -> Content:
    """A document with the part of its content that was asked for."""
    part = read_part(library, document, document.object, document.size, wanted)
    fields = {name: getattr(part, name) for name in part.__slots__}
    return Content(
        hash=document.hash,
        name=document.name,
        path=document.path,
        size=document.size,
        mime_type=document.mime,
        **fields,
    )


_OVERWRITE = Consent(
    OVERWRITE,
    "replaces or makes that file",
    always=False,
    when="outputPath exists, or lies outside the temporary directory",
)


def replacement(target: Target, digest: str) -> Effect:
    """A file that is replaced or made from content of the store; bound to what is there now."""
    if target.state is None:
        return Effect(
            f"writes the new file {quoted(target.place)}",
            (f"{quoted(target.place)}, a new file, with content {digest[:12]} of the store",),
            facts=[str(target.place), None, digest],
            summary="writes a new file",
        )
    size = target.state[2]
    return Effect(
        f"replaces the file {quoted(target.place)}",
        (f"{quoted(target.place)}, {size} bytes now, by content {digest[:12]} of the store",),
        facts=[str(target.place), target.state, digest],
        summary="replaces a file",
    )


_TEXT = {"content": "first\nsecond\nthird\n", "name": "notes/three.txt"}
_TEXT_HASH = "f5c962601b413ccda2fc14d64d98479d9fc74c90c2dde15f25ee9922e57f5074"


@ToolArguments.declare(
    toolset="store",
    annotations=DESTROYS,
    writes_with="outputPath",
    consent=_OVERWRITE,
    examples=[
        Example(
            {"hash": _TEXT_HASH[:12], "outputPath": "output.txt"},
            why="Write a stored document to a file.",
            expect="found: true, its size and the path that was written.",
            before=(("store_text", _TEXT),),
        ),
        Example(
            {"hash": _TEXT_HASH, "include_content": True, "start_line": 2, "end_line": 2},
            why="Read one line.",
            expect="The second line as content.",
            before=(("store_text", _TEXT),),
        ),
        Example(
            {"hash": _TEXT_HASH, "graph": True, "depth": 1},
            why="See what belongs to a document.",
            expect="related_documents, each with distance, relations and the reason.",
            before=(("store_text", _TEXT), ("store_text", {"content": "See three.txt.", "name": "notes/index.md"})),
        ),
        Example(
            {"hash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
            why="Ask for what may not be there.",
            expect="found: false, no error.",
        ),
    ],
    usage="Pass the hash that a search gave. Large content comes in parts: follow next_offset while complete is false.",
    tags=[FROM_DOCUMENTS],
)
async def retrieve_document(args: RetrieveDocument, ctx: ToolContext[Workspace]) -> Result[Retrieved]:
    """Retrieve a document by its content hash.

    Writes it to a file (outputPath), reads it (include_content), finds what belongs to it (graph). By name:
    {tool:get_by_name}.

    Use it to export or download a stored document to disk, or to see which documents are related to it.
    """
    try:
        return Result.ok(await ctx.run(retrieve, ctx.workspace, args, ctx.budget))
    except (Conflict, ConsentMissing):
        target = await ctx.run(ctx.workspace.files.target, args.output_path or "")
        if not target.asks and not target.place.is_file():  # agreeing would change nothing
            raise
    exact = args.model_copy(update={"hash": (await ctx.run(find_hash, ctx.workspace.store, args.hash)).object.hex})
    await ctx.require_consent(OVERWRITE, replacement(target, exact.hash), given=_OVERWRITE.given_in(args))
    write = partial(ctx.workspace.files.write_bytes, expected=target)
    return Result.ok(await ctx.run(retrieve, ctx.workspace, exact, ctx.budget, write))


@ToolArguments.declare(
    toolset="store",
    annotations=READS,
    examples=[
        Example(
            {"name": "three.txt"}, why="Read a note by its name.", expect="Its text.", before=(("store_text", _TEXT),)
        ),
        Example({"name": "nothing.txt"}, why="No such name.", expect="An error.", fails="document_not_found"),
    ],
    usage="A whole path is exact; a name or the end of a path must be unambiguous.",
    tags=[FROM_DOCUMENTS],
)
async def get_by_name(args: GetByName, ctx: ToolContext[Workspace]) -> Result[Content]:
    """Retrieve document content by name.

    Reads the one document that the user names; by hash: {tool:cat_document}.

    Use it to open, read or get the text of a document or note by its name, such as notes/today.md.
    """
    return Result.ok(await ctx.run(_by_name, ctx.workspace.store, args, ctx.budget))


def _by_name(library: Library, args: GetByName | CatDocument, budget: int) -> Content:
    digest = args.hash if isinstance(args, CatDocument) else None
    if digest is None:
        return content_of(library, document_by(library, args.name, None), _wanted(args, budget))
    found = find_hash(library, digest)  # whoever has it, the content is the same
    if found.current:
        return content_of(library, found.document, _wanted(args, budget))
    part = read_part(library, found.document, found.object.id, found.object.size, _wanted(args, budget))
    shown = content_of(library, found.document, Wanted(length=0, raw=True))
    fields = {name: getattr(part, name) for name in part.__slots__}
    return shown.model_copy(update={**fields, "hash": found.object.hex, "size": found.object.size})


@ToolArguments.declare(
    toolset="store",
    annotations=READS,
    examples=[
        Example({"name": "notes/three.txt"}, why="Show a document.", expect="Text.", before=(("store_text", _TEXT),)),
        Example({"hash": _TEXT_HASH}, why="Show it by hash.", expect="Text.", before=(("store_text", _TEXT),)),
    ],
    usage="Give hash or name; offset and length, or start_line and end_line, for a part.",
    tags=[FROM_DOCUMENTS],
)
async def cat_document(args: CatDocument, ctx: ToolContext[Workspace]) -> Result[Content]:
    """Display document content directly.

    Reads content by hash or name; files and relations: {tool:retrieve_document}.

    Of a PDF or the like it is the text; raw gives the bytes. Bytes come as base64 in blob.

    Use it to print or show what is in a document.
    """
    return Result.ok(await ctx.run(_by_name, ctx.workspace.store, args, ctx.budget))
