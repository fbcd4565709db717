"""Tools that delete documents and count what there is."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, model_validator

from mcp_core import DESTROYS, READS, Agreement, Consent, Effect, Example, Result, ToolArguments, ToolContext, quoted
from rolltop.store import Library, Writer
from rolltop.workspace import Workspace

__all__ = ["DeleteByName", "Deleted", "GetStats", "Statistics", "delete", "removal", "statistics"]

CONSENT = "DELETE_DOCUMENTS"
_DELETE = Consent(CONSENT, "removes documents", always=False)


class DeleteByName(ToolArguments):
    name: str | None = Field(default=None, description="Name or path.")
    names: list[str] = Field(default_factory=list, description="Several.")
    pattern: str | None = Field(default=None, description="Glob over paths: *.tmp, notes/**.")
    dry_run: bool = Field(default=False, description="Only say what would be deleted.")

    @model_validator(mode="after")
    def _something(self) -> DeleteByName:
        if not (self.name or self.names or self.pattern):
            raise ValueError("give name, names or pattern")
        return self


class DeletedDocument(BaseModel):
    name: str = Field(description="Name of the document.")
    path: str = Field(description="Path of the document.")
    hash: str = Field(description="SHA-256 of its content.")
    size: int = Field(description="Bytes.")
    kept_by: list[str] | None = Field(default=None, description="Snapshots that still keep the content.")


class Deleted(BaseModel):
    dry_run: bool = Field(description="Whether nothing was really deleted.")
    deleted: list[DeletedDocument] = Field(description="The documents.")
    count: int = Field(description="How many.")
    not_found: list[str] | None = Field(default=None, description="Names that no document has.")
    undo_days: float = Field(description="How long the deletion can be taken back on the command line.")


class GetStats(ToolArguments):
    detailed: bool = Field(default=False, description="Growth, largest documents, block sizes.")
    file_types: bool = Field(default=False, description="Include detailed file type analysis")


class Statistics(BaseModel):
    total_objects: int = Field(description="Documents.")
    total_bytes: int = Field(description="Bytes of all documents and their versions, before deduplication.")
    unique_blocks: int = Field(description="Different blocks of content on disk.")
    deduplicated_bytes: int = Field(description="Bytes that deduplication saved.")
    dedup_ratio: float = Field(description="deduplicated_bytes / total_bytes.")
    detailed: dict[str, Any] | None = Field(default=None, description="Disk, growth, largest documents, block sizes.")
    file_types: list[dict[str, Any]] | None = Field(default=None, description="Documents and bytes by type.")


def delete(library: Library, args: DeleteByName) -> Deleted:
    """Delete, or say what would be deleted."""
    chosen = library.documents.matching(name=args.name, names=args.names, pattern=args.pattern)
    wanted = [*([args.name] if args.name else []), *args.names]
    known = {each for document in chosen for each in (document.path, document.name)}
    missing = [name for name in wanted if name not in known]
    gone = chosen if args.dry_run else library.documents.delete(chosen)
    return Deleted(
        dry_run=args.dry_run,
        deleted=[
            DeletedDocument(
                name=document.name,
                path=document.path,
                hash=document.hash,
                size=document.size,
                kept_by=library.catalog.snapshots.holding(document.object) or None,
            )
            for document in gone
        ],
        count=len(gone),
        not_found=missing or None,
        undo_days=library.options.undo_days,
    )


def removal(deleted: list[DeletedDocument]) -> Effect:
    """What goes, for a human to agree to; bound to the paths and contents."""
    noun = "document" if len(deleted) == 1 else "documents"
    return Effect(
        f"deletes {len(deleted)} {noun}" + (f": {quoted(deleted[0].path)}" if len(deleted) == 1 else ""),
        tuple(
            f"{number}. {quoted(document.path)}, {document.size} bytes, {document.hash[:12]}"
            for number, document in enumerate(deleted, 1)
        ),
        facts=[(document.path, document.hash) for document in deleted],
        summary="deletes documents",
    )


def _delete_agreed(library: Library, args: DeleteByName, agreement: Agreement) -> Deleted:
    """Delete what was agreed to: nobody writes between the check and the deletion."""
    look = args.model_copy(update={"dry_run": True})

    def work(_: Writer) -> Deleted:
        agreement.check(removal(delete(library, look).deleted))
        return delete(library, args)

    return library.write(work)


def statistics(library: Library, args: GetStats) -> Statistics:
    """The figures that `rolltop store verify` proves."""
    stats = library.care.stats()
    figures = library.catalog.figures
    detailed = None
    if args.detailed:
        detailed = {
            "versions": stats.versions,
            "deleted_documents": stats.deleted_documents,
            "unique_bytes": stats.unique_bytes,
            "bytes_on_disk": stats.pack_bytes,
            "frames": stats.frames,
            "packs": stats.packs,
            "not_indexed_yet": library.search.unindexed(),
            "block_sizes": figures.block_sizes(),
            "growth": [dict(zip(("day", "documents", "bytes"), row, strict=True)) for row in figures.growth()],
            "largest": [dict(zip(("path", "size"), row, strict=True)) for row in figures.largest(10)],
        }
    names = ("extension", "mime_type", "type", "count", "bytes")
    types = [dict(zip(names, row, strict=True)) for row in figures.file_types()] if args.file_types else None
    return Statistics(
        total_objects=stats.documents,
        total_bytes=stats.logical_bytes,
        unique_blocks=stats.unique_blocks,
        deduplicated_bytes=stats.deduplicated_bytes,
        dedup_ratio=round(stats.dedup_ratio, 6),
        detailed=detailed,
        file_types=types,
    )


_NOTES = (
    ("store_text", {"content": "one\n", "name": "old/a.tmp"}),
    ("store_text", {"content": "two\n", "name": "old/b.tmp"}),
)


@ToolArguments.declare(
    toolset="store",
    annotations=DESTROYS,
    consent=_DELETE,
    examples=[
        Example({"pattern": "old/*.tmp", "dry_run": True}, why="See first.", expect="Two documents.", before=_NOTES),
        Example({"name": "a.tmp", "confirm": CONSENT}, why="Delete one.", expect="count: 1.", before=_NOTES),
        Example({"name": "a.tmp"}, why="Without consent.", expect="Nothing is done.", fails="consent", before=_NOTES),
    ],
    usage="Try dry_run first. A deletion can be taken back with `rolltop store undo` for some days.",
)
async def delete_by_name(args: DeleteByName, ctx: ToolContext[Workspace]) -> Result[Deleted]:
    """Delete documents by name, names or pattern.

    All that match go, with their versions.

    Use it when the user wants documents forgotten, removed or cleaned up.
    """
    library, look = ctx.workspace.store, args.model_copy(update={"dry_run": True})
    would = await ctx.run(delete, library, look)
    if args.dry_run or not would.deleted:
        return Result.ok(would.model_copy(update={"dry_run": args.dry_run}))
    agreement = await ctx.require_consent(CONSENT, removal(would.deleted), given=_DELETE.given_in(args))
    deleted = await ctx.run(_delete_agreed, library, args, agreement)
    ctx.resources_changed()
    return Result.ok(deleted)


@ToolArguments.declare(
    toolset="store",
    annotations=READS,
    examples=[
        Example({"detailed": True}, why="How large is the store?", expect="Counts, growth, the largest documents."),
        Example({"file_types": True}, why="What is in it?", expect="Counts by type.", before=_NOTES),
    ],
    usage="The figures are exact; `rolltop store verify` proves them against the disk.",
)
async def get_stats(args: GetStats, ctx: ToolContext[Workspace]) -> Result[Statistics]:
    """Get storage statistics.

    How much is stored, and what deduplication saves.

    Use it when the user asks how many documents there are, or how much space the store takes on disk.
    """
    return Result.ok(await ctx.run(statistics, ctx.workspace.store, args))
