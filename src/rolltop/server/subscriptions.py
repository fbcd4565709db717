"""Watch the resources that clients subscribed to, whichever process changes them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mcp_core import ToolContext, UnknownResource
from rolltop.errors import NotFound
from rolltop.references import stored_hash
from rolltop.workspace import Workspace

__all__ = ["ResourceWatch", "resource_state"]

logger = logging.getLogger("rolltop.server")

SECONDS = 1.0
"""Between two looks."""


@dataclass(slots=True)
class _Watched:
    context: ToolContext[Workspace]
    state: str | None
    subscriptions: int = 1


class ResourceWatch:
    """Looks at subscribed resources now and then, as long as there are any, and tells which changed."""

    def __init__(self, changed: Callable[[str], None]) -> None:
        self._changed = changed
        self._watched: dict[tuple[Path, str], _Watched] = {}
        self._task: asyncio.Task[None] | None = None

    async def add(self, uri: str, ctx: ToolContext[Workspace]) -> None:
        """Watch a resource; raises `UnknownResource` if there is none."""
        key = (ctx.workspace.root, uri)
        state = await resource_state(ctx, uri)
        if key in self._watched:
            self._watched[key].subscriptions += 1
        else:
            self._watched[key] = _Watched(ctx, state)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._look())

    def remove(self, uri: str, root: Path) -> None:
        watched = self._watched.get((root, uri))
        if watched is not None:
            watched.subscriptions -= 1
            if watched.subscriptions <= 0:
                del self._watched[root, uri]

    async def refresh(self, uri: str) -> None:
        """Note the present state of a resource whose change was told already."""
        for (_, watched_uri), watched in list(self._watched.items()):
            if watched_uri == uri:
                watched.state = await _state_or_none(watched.context, uri)

    def close(self) -> None:
        self._watched.clear()
        if self._task is not None:
            self._task.cancel()

    async def _look(self) -> None:
        while self._watched:
            await asyncio.sleep(SECONDS)
            for (_, uri), watched in list(self._watched.items()):
                state = await _state_or_none(watched.context, uri)
                if state != watched.state:
                    watched.state = state
                    self._changed(uri)


async def _state_or_none(ctx: ToolContext[Workspace], uri: str) -> str | None:
    try:
        return await resource_state(ctx, uri)
    except (Exception, SystemExit) as error:  # a tool set of somebody else's must not end the watch of others
        logger.debug("%s cannot be looked at: %s", uri, type(error).__name__)
        return None


async def resource_state(ctx: ToolContext[Workspace], uri: str) -> str:
    """A text that changes with the resource; raises `UnknownResource` if there is none."""
    if uri.startswith("doc://") and "?" not in uri:
        try:
            return await ctx.run(stored_hash, ctx.workspace, uri)
        except NotFound as error:
            raise UnknownResource(uri, hint=error.hint) from None
    if uri.startswith(("rmd:///", "rmd-output:///", "rmd-figure:///")):
        known = (await ctx.run(ctx.workspace.reports.listing.state)).get(uri)
        if known is not None:
            return repr(known)
    digest = hashlib.sha256()
    for each in await ctx.read_resource(uri):
        digest.update(each.content.encode("utf-8", "surrogatepass") if isinstance(each.content, str) else each.content)
    return digest.hexdigest()
