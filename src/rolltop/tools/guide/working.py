"""Which project a call is about, and the arguments that all tools about projects share."""

from __future__ import annotations

from pydantic import Field

from mcp_core import ToolArguments, ToolContext
from rolltop.guide import Clues, Session
from rolltop.workspace import Workspace

__all__ = ["ProjectArguments", "is_shared", "session_for"]


class ProjectArguments(ToolArguments):
    project: str | None = Field(
        default=None,
        description="Default: the current one.",
    )


async def session_for(ctx: ToolContext[Workspace], project: str | None) -> Session:
    """The guide's session for a call; without a project it still has the global flags."""
    guide = ctx.workspace.guide
    clues = Clues(explicit=project)
    if project is None:
        started_in = ctx.workspace.settings.started_in
        session = ctx.client.session
        clues = guide.clues(shared=is_shared(ctx), roots=await ctx.roots(), started_in=started_in, session=session)
    return guide.session(await ctx.run(guide.detect, clues))


def is_shared(ctx: ToolContext[Workspace]) -> bool:
    """Over HTTP many clients share one process: what it remembers or was started in is nobody's project."""
    return ctx.client.transport == "http"
