"""Tools that store documents and say something about them."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema, model_validator

from mcp_core import WRITES, Example, Result, ToolArguments, ToolContext
from rolltop.errors import InvalidInput
from rolltop.store import Gather, Library, parse_pairs
from rolltop.tools.store.folder import store_folder
from rolltop.tools.store.models import Stored
from rolltop.tools.store.operations import document_by, store_file
from rolltop.workspace import Workspace

__all__ = ["StoreDocument", "StoreText", "UpdateMetadata", "Updated", "apply_metadata", "store_path"]


class StoreDocument(ToolArguments):
    path: str = Field(description="File path, or a directory's", min_length=1)
    tags: list[str] = Field(default_factory=list, description="Document tags")
    metadata: dict[str, Any] = Field(default_factory=dict, description="Additional metadata")
    include: list[str] = Field(default_factory=list, description="Globs, of a directory.")
    exclude: list[str] = Field(default_factory=list, description="Likewise.")


def store_path(workspace: Workspace, args: StoreDocument) -> Stored:
    """Store a file, or what is in a directory."""
    if workspace.files.stat(args.path).kind != "directory":
        if args.include or args.exclude:
            raise InvalidInput("include and exclude are for directories", hint="Leave them out to store one file.")
        return Stored.of(store_file(workspace.store, workspace.files, args.path, args.tags, args.metadata))
    gather = Gather(recursive=True, include=args.include, exclude=args.exclude)
    library, files = workspace.store, workspace.files
    return store_folder(library, files, args.path, gather, tags=args.tags, metadata=args.metadata)


class StoreText(ToolArguments):
    content: str = Field(description="The text to keep.")
    name: str = Field(description="Such as notes/today.md.", min_length=1, max_length=4096)
    tags: list[str] = Field(default_factory=list, description="a/b lies under a.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="forget_after: 7d expires.")
    mime_type: str | None = Field(default=None, description="Default: by the name.")


class UpdateMetadata(ToolArguments):
    hash: str | None = Field(default=None, description="Hash of the document to update")
    name: str | None = Field(default=None, description="Name of the document to update")
    metadata: Annotated[
        list[str] | dict[str, Any], WithJsonSchema({"type": ["array", "object"], "items": {"type": "string"}})
    ] = Field(default_factory=list, description="Metadata key=value pairs to update, or an object")
    verbose: bool = Field(default=False, description="Enable verbose output")
    remove: list[str] = Field(default_factory=list, description="Keys to remove.")
    add_tags: list[str] = Field(default_factory=list, description="Tags to add.")
    remove_tags: list[str] = Field(default_factory=list, description="Tags to remove.")

    @model_validator(mode="after")
    def _one_of(self) -> UpdateMetadata:
        if (self.hash is None) == (self.name is None):
            raise ValueError("give either hash or name")
        if not self.model_fields_set & {"metadata", "remove", "add_tags", "remove_tags"}:
            raise ValueError("give metadata, remove, add_tags or remove_tags")
        return self


class Updated(BaseModel):
    success: bool = Field(description="True: the document says what was asked for.")
    hash: str = Field(description="SHA-256 of the document.")
    name: str = Field(description="Name of the document.")
    path: str = Field(description="Path of the document.")
    updated: list[str] = Field(description="Keys whose value changed.")
    tags: list[str] = Field(description="Tags of the document now.")
    metadata: dict[str, Any] | None = Field(default=None, description="All metadata now (verbose).")
    previous: dict[str, Any] | None = Field(default=None, description="All metadata before (verbose).")


_NOTE = {"content": "Stand-up moved to 9:30.\n", "name": "meeting-notes.txt"}


@ToolArguments.declare(
    toolset="store",
    annotations=WRITES,
    examples=[
        Example(
            {
                "path": "meeting-notes.txt",
                "tags": ["meeting", "project-x", "2024-01"],
                "metadata": {"author": "John Doe", "department": "Engineering"},
            },
            why="Keep a file with tags and metadata.",
            expect="Its hash, and how many bytes were new.",
            before=(
                ("store_text", _NOTE),
                (
                    "retrieve_document",
                    {
                        "hash": "e0c6c4ae6d51157de7ba494e662122abcd897935f2573c1785475293616eccaf",
                        "outputPath": "meeting-notes.txt",
                    },
                ),
            ),
        ),
        Example({"path": "no-such-file.txt"}, why="A file that is not there.", expect="An error.", fails="not_found"),
    ],
    usage="Pass the path of a file or directory; .gitignore holds. Storing again what changed keeps both versions.",
)
async def store_document(args: StoreDocument, ctx: ToolContext[Workspace]) -> Result[Stored]:
    """Store a document with optional metadata.

    Keeps a file; the same content is stored once, every version stays.

    Use it to save, keep, upload or archive a file: a copy stays when the file changes.
    """
    stored = await ctx.run(store_path, ctx.workspace, args)
    ctx.resources_changed()
    return Result.ok(stored)


@ToolArguments.declare(
    toolset="store",
    annotations=WRITES,
    examples=[
        Example(
            {"content": "Buy milk\n", "name": "todo.md", "tags": ["errand"]}, why="Keep a note.", expect="Its hash."
        ),
        Example(
            {"content": "Buy bread\n", "name": "errands/"},
            why="A name that is none.",
            expect="An error.",
            fails="invalid_arg",
        ),
    ],
    usage="Give a name that you would look for later. Storing under the same name makes a new version.",
)
async def store_text(args: StoreText, ctx: ToolContext[Workspace]) -> Result[Stored]:
    """Keep a text under a name.

    Remembers what is no file. {tool:get_by_name} reads it.

    Use it for notes, snippets and whatever the user wants remembered, saved or written down.
    """
    added = await ctx.run(
        ctx.workspace.store.documents.add_text,
        args.name,
        args.content,
        tags=args.tags,
        metadata=args.metadata,
        mime=args.mime_type,
    )
    ctx.resources_changed()
    return Result.ok(Stored.of(added))


def apply_metadata(library: Library, args: UpdateMetadata) -> Updated:
    """Set the metadata of one document."""
    values = args.metadata if isinstance(args.metadata, dict) else parse_pairs(args.metadata)
    if set(values) & set(args.remove):
        raise InvalidInput("a key cannot be set and removed in one call")
    document = document_by(library, args.name, args.hash)
    after, changed = library.edits.set_metadata(document, values, args.remove)
    if args.add_tags or args.remove_tags:
        after = library.edits.tag(after, args.add_tags, args.remove_tags)
    return Updated(
        success=True,
        hash=after.hash,
        name=after.name,
        path=after.path,
        updated=changed,
        tags=list(after.tags),
        metadata=dict(after.metadata) if args.verbose else None,
        previous=dict(document.metadata) if args.verbose else None,
    )


@ToolArguments.declare(
    toolset="store",
    annotations=WRITES,
    examples=[
        Example(
            {"name": "todo.md", "metadata": {"priority": 1}, "add_tags": ["done"]},
            why="Say more about a note.",
            expect="The keys that changed, and its tags.",
            before=(("store_text", {"content": "Buy milk\n", "name": "todo.md"}),),
        ),
        Example(
            {"name": "todo.md", "metadata": ["status=completed", "priority=high", "author=John Doe"], "verbose": True},
            why="Mark a note as done.",
            expect="The keys that changed, and all metadata before and after.",
            before=(("store_text", {"content": "Buy milk\n", "name": "todo.md"}),),
        ),
        Example(
            {"metadata": ["status=completed"]},
            why="Neither hash nor name.",
            expect="An error.",
            fails="invalid_arguments",
        ),
    ],
    usage="Give hash or name, and pairs, an object or tags. In pairs, numbers, true, false and null keep their type.",
)
async def update_metadata(args: UpdateMetadata, ctx: ToolContext[Workspace]) -> Result[Updated]:
    """Update metadata for an existing document.

    Facts such as status, and tags. Give hash or name.

    Use it to mark a document, to set its author, status or priority, and to add or remove a tag.
    """
    return Result.ok(await ctx.run(apply_metadata, ctx.workspace.store, args))
