"""The tool that answers a task with what is known about it."""

# Documentation of tools follows src/rolltop/tools/README.md.

from __future__ import annotations

from pydantic import BaseModel, Field

from mcp_core import FROM_DOCUMENTS, READS, Example, Result, ToolArguments, ToolContext
from mcp_core.tokens import characters_of, tokens_of
from rolltop.store import Library, format_time
from rolltop.store import recall as recalled
from rolltop.tools.store.budget import SHARE
from rolltop.workspace import Workspace

__all__ = ["Recall", "Recollection"]


class Recall(ToolArguments):
    task: str = Field(description="What you begin.", min_length=1)
    tokens: int = Field(default=1500, ge=100, description="Budget.")
    tags: list[str] = Field(default_factory=list, description="All of these.")


class RecalledPassage(BaseModel):
    path: str = Field(description="Path of the document.")
    hash: str = Field(description="SHA-256 of its content.")
    place: str | None = Field(default=None, description='Where it stands: "line 12", "page 3".')
    pinned: bool | None = Field(default=None, description="True: it has the tag pinned.")
    text: str = Field(description="The passage.")


class Recent(BaseModel):
    path: str = Field(description="Path of the document.")
    stored: str = Field(description="When it was stored.")


class Recollection(BaseModel):
    passages: list[RecalledPassage] = Field(description="Pinned ones first, then the best.")
    recent: list[Recent] = Field(description="What was stored last.")
    tokens: int = Field(description="About what the passages cost.")
    left: int | None = Field(default=None, description="Documents that fit the task but not the budget.")
    note: str | None = Field(default=None, description="What may be missing.")


def _recall(library: Library, args: Recall, budget: int) -> Recollection:
    found = recalled(library, args.task, min(characters_of(args.tokens), int(budget * SHARE)), args.tags)
    return Recollection(
        passages=[
            RecalledPassage(
                path=each.document.path,
                hash=each.document.hash,
                place=each.place or None,
                pinned=each.pinned or None,
                text=each.text,
            )
            for each in found.passages
        ],
        recent=[Recent(path=each.path, stored=format_time(each.indexed)) for each in found.recent],
        tokens=tokens_of(sum(len(each.text) for each in found.passages)),
        left=found.left or None,
        note=found.note,
    )


_NOTES = (
    ("store_text", {"content": "Apples are picked in week 38.\n", "name": "orchard.md"}),
    ("store_text", {"content": "Always answer in Dutch.\n", "name": "rules.md", "tags": ["pinned"]}),
)


@ToolArguments.declare(
    toolset="store",
    annotations=READS,
    examples=[
        Example({"task": "plan the apple harvest"}, why="Begin.", expect="Passages of both.", before=_NOTES),
    ],
    usage="Documents with the tag pinned come first. Follow a passage with its path.",
    tags=[FROM_DOCUMENTS],
)
async def recall(args: Recall, ctx: ToolContext[Workspace]) -> Result[Recollection]:
    """Recall the passages that matter for a task.

    From several documents, pinned ones first.

    Use it when you begin a task, to know what was written about it, what is pinned and what is new.
    """
    return Result.ok(await ctx.run(_recall, ctx.workspace.store, args, ctx.budget))
