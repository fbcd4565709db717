"""Changes, passed on to clients: by `subscriptions/listen` streams, and by notification to clients of 2025.

A client is remembered while its connection is open and no longer; the SDK drops what is sent to one that has gone.
"""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)

from mcp_core import Change
from rolltop.server.application import Application

__all__ = ["Notifications"]

Context = ServerRequestContext[Any, Any]

_LISTS: dict[str, type[ToolsListChanged | PromptsListChanged | ResourcesListChanged]] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}


class Notifications:
    """Passes the changes of one application on."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._subscribed: dict[Connection, set[str]] = {}
        """The clients of 2025 that are connected, and the resources that each has subscribed to."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def connected(self, ctx: Context, params: types.NotificationParams | None) -> None:
        connection = self._remembered(ctx)
        if self._application.list_was_stale:
            self._application.list_was_stale = False
            await connection.send_tool_list_changed()

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._subscribed[self._remembered(ctx)].add(str(params.uri))
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscribed[self._remembered(ctx)].discard(str(params.uri))
        return types.EmptyResult()

    def from_any_thread(self, change: Change) -> None:
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._start, change)

    def _remembered(self, ctx: Context) -> Connection:
        """The client's connection; a session of the SDK is one request's view of it."""
        connection = ctx.session._connection
        if connection not in self._subscribed:
            self._subscribed[connection] = set()
            connection.exit_stack.callback(self._subscribed.pop, connection, None)
        return connection

    def _start(self, change: Change) -> None:
        task = asyncio.get_running_loop().create_task(self._deliver(change))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, change: Change) -> None:
        uri = change.uri or ""
        if change.kind == "resource":
            await self._bus.publish(ResourceUpdated(uri))
            receivers = [connection for connection, uris in self._subscribed.items() if uri in uris]
        else:
            event: ServerEvent = _LISTS[change.kind]()
            await self._bus.publish(event)
            receivers = list(self._subscribed)
        # Each by itself: one that does not read keeps no other waiting.
        await asyncio.gather(*(_tell(connection, change.kind, uri) for connection in receivers))


async def _tell(connection: Connection, kind: str, uri: str) -> None:
    match kind:
        case "resource":
            await connection.send_resource_updated(uri)
        case "tools":
            await connection.send_tool_list_changed()
        case "prompts":
            await connection.send_prompt_list_changed()
        case _:
            await connection.send_resource_list_changed()
