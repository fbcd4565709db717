"""The tool that changes, moves and copies a document."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, model_validator

from mcp_core import WRITES, Example, Result, ToolArguments, ToolContext
from rolltop.store import Document, Library
from rolltop.tools.store.operations import document_by
from rolltop.workspace import Workspace

__all__ = ["EditDocument", "Edited", "edit"]


class EditDocument(ToolArguments):
    name: str = Field(description="Document.", min_length=1)
    append: str | None = Field(default=None, description="Text to add.")
    old: str | None = Field(default=None, description="Unique passage, exactly.", min_length=1)
    new: str | None = Field(default=None, description="Its replacement.")
    move_to: str | None = Field(default=None, description="New path.", min_length=1)
    copy_to: str | None = Field(default=None, description="Path of a copy.", min_length=1)

    @model_validator(mode="after")
    def _one_edit(self) -> EditDocument:
        edits = (self.append, self.old, self.move_to, self.copy_to)
        if sum(each is not None for each in edits) != 1 or (self.old is None) != (self.new is None):
            raise ValueError("give exactly one of append, old with new, move_to and copy_to")
        return self


class Edited(BaseModel):
    outcome: Literal["version", "unchanged", "moved", "copied"] = Field(description="What became of it.")
    path: str = Field(description="Path of the document, or of the copy.")
    hash: str = Field(description="SHA-256 of its content.")
    size: int = Field(description="Bytes.")
    version: int = Field(description="Its version.")


def edit(library: Library, args: EditDocument) -> Edited:
    """Do the one edit that was asked for."""
    document = document_by(library, args.name, None)
    if args.move_to is not None:
        return _edited("moved", library.edits.move(document, args.move_to))
    if args.copy_to is not None:
        return _edited("copied", library.edits.copy(document, args.copy_to))
    if args.old is not None and args.new is not None:
        added = library.edits.replace(document, args.old, args.new)
    else:
        added = library.edits.append(document, args.append or "")
    return _edited("unchanged" if added.outcome == "unchanged" else "version", added.document)


def _edited(outcome: Literal["version", "unchanged", "moved", "copied"], document: Document) -> Edited:
    return Edited(outcome=outcome, path=document.path, hash=document.hash, size=document.size, version=document.version)


_NOTE = (("store_text", {"content": "Buy milk\nBuy milk\nCall Ada\n", "name": "todo.md"}),)


@ToolArguments.declare(
    toolset="store",
    annotations=WRITES,
    examples=[
        Example(
            {"name": "todo.md", "old": "Call Ada", "new": "Call Grace"},
            why="Change a line.",
            expect="outcome: version.",
            before=_NOTE,
        ),
        Example({"name": "todo.md", "append": "Buy tea\n"}, why="Add a line.", expect="Version 2.", before=_NOTE),
        Example({"name": "todo.md", "move_to": "done/todo.md"}, why="Move it.", expect="moved.", before=_NOTE),
        Example(
            {"name": "todo.md", "old": "Buy milk", "new": "Buy tea"},
            why="A passage that is there twice.",
            expect="An error with the count.",
            fails="invalid",
            before=_NOTE,
        ),
    ],
    usage="Give one of append, old and new, move_to and copy_to. Earlier versions stay.",
)
async def edit_document(args: EditDocument, ctx: ToolContext[Workspace]) -> Result[Edited]:
    """Change, move or copy a document.

    Each edit is a new version.

    Use it to append to a note, to correct or replace a passage, to rename or move a document, or to copy it.
    """
    edited = await ctx.run(edit, ctx.workspace.store, args)
    ctx.resources_changed()
    return Result.ok(edited)
