"""The tool for earlier states: versions, differences, deletions, snapshots."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from mcp_core import FROM_DOCUMENTS, WRITES, Example, Result, ToolArguments, ToolContext
from rolltop.store import Document, Library, Version, format_time
from rolltop.tools.store.budget import SHARE, how_many_fit
from rolltop.tools.store.models import From1
from rolltop.tools.store.operations import document_by
from rolltop.workspace import Workspace

__all__ = ["DocumentHistory", "History", "history"]

_NAMED = ("list", "diff", "restore")


class DocumentHistory(ToolArguments):
    action: Literal["list", "diff", "restore", "undo", "deleted", "snapshots"] = Field(
        default="list", description="undo: of a deletion."
    )
    name: str | None = Field(default=None, description="Document.")
    version: From1 | None = Field(default=None, description="restore: it; diff: from it.")
    to: From1 | None = Field(default=None, description="diff: to it.")
    snapshot: str | None = Field(default=None, description="Label: take it; diff: since it.")

    @model_validator(mode="after")
    def _complete(self) -> DocumentHistory:
        if self.action in _NAMED and self.name is None and not (self.action == "diff" and self.snapshot):
            raise ValueError(f"{self.action} needs name")
        if self.action == "restore" and self.version is None:
            raise ValueError("restore needs version")
        return self


class VersionInfo(BaseModel):
    version: int = Field(description="Number, from 1.")
    time: str = Field(description="When it was stored.")
    hash: str = Field(description="SHA-256 of the content; read it by this.")
    size: int = Field(description="Bytes.")


class SnapshotInfo(BaseModel):
    label: str = Field(description="Its name.")
    time: str = Field(description="When it was taken.")
    documents: int = Field(description="Documents in it.")
    size: int = Field(description="Bytes.")
    below: str | None = Field(default=None, description="Only documents below this path.")


class Gone(BaseModel):
    path: str = Field(description="Path of the document.")
    deleted: str | None = Field(default=None, description="When it was deleted.")
    hash: str = Field(description="SHA-256 of its content.")


class Changed(BaseModel):
    change: str = Field(description="added, removed, changed or renamed.")
    path: str = Field(description="Path of the document.")
    before: str | None = Field(default=None, description="Its old path, when renamed.")


class History(BaseModel):
    path: str | None = Field(default=None, description="Path of the document.")
    total: int | None = Field(default=None, description="How many entries there are in all.")
    versions: list[VersionInfo] | None = Field(default=None, description="The latest first.")
    next_version: int | None = Field(default=None, description="Pass it as version for the earlier ones.")
    diff: str | None = Field(default=None, description="Unified diff; empty when nothing differs.")
    complete: bool | None = Field(default=None, description="False: the rest did not fit into the answer.")
    version: int | None = Field(default=None, description="Version that is current now.")
    hash: str | None = Field(default=None, description="Its hash.")
    restored: list[str] | None = Field(default=None, description="Paths that are there again.")
    deleted: list[Gone] | None = Field(default=None, description="What undo brings back, the latest first.")
    changes: list[Changed] | None = Field(default=None, description="What differs from the snapshot.")
    snapshots: list[SnapshotInfo] | None = Field(default=None, description="The snapshots.")
    note: str | None = Field(default=None, description="What was not done as asked.")


def history(library: Library, args: DocumentHistory, budget: int) -> History:
    """What is known of the past, or a step back to it."""
    return _ACTIONS[args.action](library, args, budget)


def _document(library: Library, args: DocumentHistory) -> Document:
    return document_by(library, args.name, None)


def _list(library: Library, args: DocumentHistory, budget: int) -> History:
    document = _document(library, args)
    found = library.documents.versions(document)
    wanted = [_info(each) for each in reversed(found) if args.version is None or each.number <= args.version]
    fit = how_many_fit(wanted, budget)
    return History(
        path=document.path,
        total=len(found),
        versions=wanted[:fit],
        next_version=wanted[fit].version if fit < len(wanted) else None,
    )


def _info(version: Version) -> VersionInfo:
    return VersionInfo(version=version.number, time=format_time(version.indexed), hash=version.hash, size=version.size)


def _diff(library: Library, args: DocumentHistory, budget: int) -> History:
    if args.name is None:
        return _changes(library, args.snapshot or "", budget)
    document = _document(library, args)
    new = args.to or document.version
    old = args.version or max(1, new - 1)
    lines = library.history.version_diff(document, old, new)
    if lines is None:
        return History(path=document.path, note="One of the versions has no text, or is too large to compare.")
    text, most = "\n".join(lines), int(budget * SHARE)
    return History(path=document.path, diff=text[:most], complete=len(text) <= most)


def _changes(library: Library, label: str, budget: int) -> History:
    found = [
        Changed(change=each.kind, path=each.path, before=each.before if each.kind == "renamed" else None)
        for each in library.history.changes(label)
    ]
    fit = how_many_fit(found, budget)
    return History(total=len(found), changes=found[:fit], complete=fit == len(found))


def _restore(library: Library, args: DocumentHistory, _: int) -> History:
    assert args.version is not None
    after = library.history.put_back(_document(library, args), args.version)
    return History(path=after.path, version=after.version, hash=after.hash, restored=[after.path])


def _undo(library: Library, args: DocumentHistory, budget: int) -> History:
    paths = [document.path for document in library.documents.undo(args.name)]
    return History(total=len(paths), restored=paths[: how_many_fit(paths, budget)])


def _deleted(library: Library, _: DocumentHistory, budget: int) -> History:
    found = [
        Gone(path=each.path, deleted=format_time(each.deleted) if each.deleted else None, hash=each.hash)
        for each in library.documents.deleted()
    ]
    return History(total=len(found), deleted=found[: how_many_fit(found, budget)])


def _snapshots(library: Library, args: DocumentHistory, budget: int) -> History:
    taken = None if args.snapshot is None else library.history.take_snapshot(args.snapshot)
    kept = library.history.snapshots() if taken is None else [taken]
    found = [
        SnapshotInfo(
            label=each.label,
            time=format_time(each.created),
            documents=each.documents,
            size=each.bytes,
            below=each.prefix or None,
        )
        for each in kept
    ]
    return History(total=len(found), snapshots=found[: how_many_fit(found, budget)])


_ACTIONS: dict[str, Callable[[Library, DocumentHistory, int], History]] = {
    "list": _list,
    "diff": _diff,
    "restore": _restore,
    "undo": _undo,
    "deleted": _deleted,
    "snapshots": _snapshots,
}

_TWICE = (
    ("store_text", {"content": "Buy milk\n", "name": "todo.md"}),
    ("store_text", {"content": "Buy bread\n", "name": "todo.md"}),
)


def _only_reads(arguments: Mapping[str, Any]) -> bool:
    action = arguments.get("action", "list")
    return action in ("list", "diff", "deleted") or (action == "snapshots" and arguments.get("snapshot") is None)


@ToolArguments.declare(
    toolset="store",
    annotations=WRITES,
    reads_when=_only_reads,
    examples=[
        Example({"name": "todo.md", "action": "diff"}, why="What changed last?", expect="A diff.", before=_TWICE),
        Example({"name": "todo.md"}, why="List versions.", expect="Two versions with hashes.", before=_TWICE),
        Example(
            {"name": "todo.md", "action": "restore", "version": 1},
            why="Go back.",
            expect="Version 3 with the content of version 1.",
            before=_TWICE,
        ),
        Example({"action": "snapshots", "snapshot": "monday"}, why="Remember all of it.", expect="One snapshot."),
        Example({"action": "diff"}, why="Of what?", expect="An error.", fails="invalid_arguments"),
    ],
    usage="Read an earlier version by its hash. diff without numbers: the last change. list with version: up to it. "
    "undo without name: the last deletion.",
    tags=[FROM_DOCUMENTS],
)
async def document_history(args: DocumentHistory, ctx: ToolContext[Workspace]) -> Result[History]:
    """Versions, diffs, undo and snapshots of documents.

    Restoring makes a new version.

    Use it to see what a document was or what changed, to go back to an earlier version, to undo a deletion and to take
    a snapshot.
    """
    found = await ctx.run(history, ctx.workspace.store, args, ctx.budget)
    if found.restored:
        ctx.resources_changed()
    return Result.ok(found)
