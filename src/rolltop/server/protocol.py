"""The desk behind the official SDK's low-level server, for both protocol eras."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from mcp_core import Change
from rolltop.server.desk import Desk
from rolltop.server.fastlane import FastLane
from rolltop.server.guard import guarded
from rolltop.server.handlers import Handlers
from rolltop.server.listing import DESCRIPTION, SERVER_INFO, TTL_MS, Listing
from rolltop.server.params import Explained

__all__ = ["Built", "build", "initialization_options"]

logger = logging.getLogger("rolltop.server")

_LISTS: dict[str, type[ToolsListChanged | PromptsListChanged | ResourcesListChanged]] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}


class Built(NamedTuple):
    """The SDK's server, and the list that a transport of ours may answer from."""

    server: Server[Any]
    listing: Listing


def build(desk: Desk, transport: str, listing: Listing | None = None) -> Built:
    """A server with every method of the desk; it lives as long as one run of a transport."""
    listing = listing or Listing(desk)
    handlers = Handlers(desk, transport)
    news = _News(desk)
    schemas = desk.registry

    def input_schema(name: str) -> dict[str, Any] | None:
        # Without this lookup the SDK runs tools/list for every call over HTTP.
        registered = schemas.find(name)
        return registered.spec.input_schema if registered else None

    @contextlib.asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        news.loop = asyncio.get_running_loop()
        unsubscribe = desk.changes.subscribe(news.from_any_thread)
        try:
            yield {}
        finally:
            unsubscribe()
            news.listen.close()

    server = _Server(
        SERVER_INFO["name"],
        version=SERVER_INFO["version"],
        title=SERVER_INFO["title"],
        description=DESCRIPTION,
        instructions=desk.instructions,
        lifespan=lifespan,
        get_tool_input_schema=input_schema,
        cache_hints={
            "tools/list": CacheHint(ttl_ms=TTL_MS, scope="public"),
            "prompts/list": CacheHint(ttl_ms=60_000, scope="public"),
            "resources/templates/list": CacheHint(ttl_ms=60_000, scope="public"),
            "resources/list": CacheHint(ttl_ms=0, scope="private"),
            "resources/read": CacheHint(ttl_ms=0, scope="private"),
            "server/discover": CacheHint(ttl_ms=60_000, scope="public"),
        },
        on_list_tools=guarded(handlers.list_tools),
        on_call_tool=guarded(handlers.call_tool),
        on_list_resources=guarded(handlers.list_resources),
        on_list_resource_templates=guarded(handlers.list_templates),
        on_read_resource=guarded(handlers.read_resource),
        on_subscribe_resource=guarded(news.subscribe),
        on_unsubscribe_resource=guarded(news.unsubscribe),
        on_subscriptions_listen=news.listen,
        on_list_prompts=guarded(handlers.list_prompts),
        on_get_prompt=guarded(handlers.get_prompt),
        on_completion=guarded(handlers.complete),
    )
    server.add_notification_handler("notifications/initialized", types.NotificationParams, news.connected)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, guarded(handlers.client_log.set_level))
    server.middleware[:] = [
        Explained(),
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="rolltop"),
        FastLane(handlers, listing),
    ]
    _add_old_names(server, handlers)
    return Built(server, listing)


class _Server(Server[Any]):
    """Says on every transport that lists may change; the SDK's own HTTP transport would say that they do not."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *more: Any, **named: Any
    ) -> InitializationOptions:
        changes = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
        return super().create_initialization_options(notification_options or changes, *more, **named)


def initialization_options(server: Server[Any]) -> InitializationOptions:
    return server.create_initialization_options()


_OLD_NAMES = {
    "listTools": "tools/list",
    "callTool": "tools/call",
    "listResources": "resources/list",
    "readResource": "resources/read",
    "listResourceTemplates": "resources/templates/list",
}


def _add_old_names(server: Server[Any], handlers: Handlers) -> None:
    """Requirement 003 calls the methods by older names; they are aliases."""
    for old, new in _OLD_NAMES.items():
        entry = server.get_request_handler(new)
        assert entry is not None
        server.add_request_handler(old, entry.params_type, entry.handler)
    server.add_request_handler("callTool", types.CallToolRequestParams, guarded(handlers.call_by_old_name))


class _News:
    """Passes changes on: to `subscriptions/listen` streams, and to 2025 clients by notification."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._sessions: list[ServerSession] = []
        self._subscribed: dict[str, list[ServerSession]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def connected(self, ctx: ServerRequestContext[Any, Any], params: types.NotificationParams | None) -> None:
        self._sessions.append(ctx.session)
        if self._desk.list_was_stale:
            await ctx.session.send_tool_list_changed()

    async def subscribe(
        self, ctx: ServerRequestContext[Any, Any], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        sessions = self._subscribed.setdefault(str(params.uri), [])
        if not any(_same_client(each, ctx.session) for each in sessions):
            sessions.append(ctx.session)
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Any, Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        sessions = self._subscribed.get(str(params.uri), [])
        self._subscribed[str(params.uri)] = [each for each in sessions if not _same_client(each, ctx.session)]
        return types.EmptyResult()

    def from_any_thread(self, change: Change) -> None:
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._start, change)

    def _start(self, change: Change) -> None:
        task = asyncio.get_running_loop().create_task(self._deliver(change))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, change: Change) -> None:
        event: ServerEvent = ResourceUpdated(change.uri or "") if change.kind == "resource" else _LISTS[change.kind]()
        await self._bus.publish(event)
        if change.kind == "resource":
            receivers = self._subscribed.get(change.uri or "", [])
            await self._notify(receivers, lambda session: session.send_resource_updated(change.uri or ""))
        else:
            await self._notify(self._sessions, lambda session: _send_list_changed(session, change.kind))

    async def _notify(self, sessions: list[ServerSession], send: Any) -> None:
        for session in list(sessions):
            try:
                await send(session)
            except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
                sessions.remove(session)  # that client has gone


def _same_client(one: ServerSession, other: ServerSession) -> bool:
    return one.client_params is other.client_params


async def _send_list_changed(session: ServerSession, kind: str) -> None:
    match kind:
        case "tools":
            await session.send_tool_list_changed()
        case "prompts":
            await session.send_prompt_list_changed()
        case _:
            await session.send_resource_list_changed()
