"""Find what is out of date, and make things again by the calls that made them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from mcp_core import ToolContext
from rolltop.errors import NotFound, RolltopError
from rolltop.origin import Making, Stale, differences, stale_makings
from rolltop.recorder import current_hashes, thing_named
from rolltop.workspace import Workspace

__all__ = ["Call", "Remade", "find_stale", "making_named", "remake", "remake_stale"]

Call = Callable[[str, dict[str, Any]], Awaitable[str | None]]
"""Calls a tool through the request path; what went wrong, in words, or None."""


@dataclass(frozen=True, slots=True)
class Remade:
    """How it went to make a thing again."""

    name: str
    tool: str
    is_equal: bool = False
    """The same bytes as before."""
    changes: tuple[str, ...] = ()
    """Inputs, programs and engines that are other ones than before."""
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


async def find_stale(ctx: ToolContext[Workspace]) -> list[Stale]:
    """What was made from inputs that are other ones now, in the order in which to make it again."""
    makings = await ctx.run(ctx.workspace.origins.newest)
    uris = {part.uri for making in makings for part in (*making.inputs, *making.outputs)}
    return stale_makings(makings, await current_hashes(ctx, sorted(uris)))


def making_named(workspace: Workspace, name: str) -> Making:
    """The making behind a thing; raises `NotFound` for what nobody made here."""
    thing = thing_named(workspace, name)
    found = workspace.origins.made(uri=thing.uri) or workspace.origins.made(digest=thing.hash)
    if found is None:
        raise NotFound(f"{thing.uri} was not made by a tool here", hint="It was stored as it is.")
    return found


async def remake(ctx: ToolContext[Workspace], making: Making, call: Call) -> Remade:
    """Call the tool again with the same arguments on the inputs as they are now, and compare."""
    origins = ctx.workspace.origins
    try:
        arguments = await ctx.run(origins.arguments, making)
        failed = await call(making.tool, arguments | ({"fresh": True} if making.takes_fresh else {}))
    except RolltopError as error:
        failed = f"{error.message}. {error.hint or ''}".strip()
    if failed is not None:
        return Remade(making.name, making.tool, error=failed)
    new = await ctx.run(lambda: origins.made(uri=making.outputs[0].uri)) or making
    before = {part.uri: part.hash for part in making.outputs}
    is_equal = all(before.get(part.uri) == part.hash for part in new.outputs)
    return Remade(making.name, making.tool, is_equal, tuple(differences(making, new)))


async def remake_stale(ctx: ToolContext[Workspace], call: Call) -> list[Remade]:
    """Bring everything up to date, in the right order; what depends on a failure is not tried."""
    done: list[Remade] = []
    failed: set[str] = set()
    for stale in await find_stale(ctx):
        making = stale.making
        blocked = [uri for uri in stale.after if uri in failed]
        if blocked or stale.missing:
            why = f"{blocked[0]} could not be made again" if blocked else f"{stale.missing[0]} is gone"
            done.append(Remade(making.name, making.tool, error=why))
        else:
            done.append(await remake(ctx, making, call))
        if done[-1].error is not None:
            failed |= {part.uri for part in making.outputs}
    return done
