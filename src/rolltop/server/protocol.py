"""The desk behind the official SDK's low-level server, for both protocol eras."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from rolltop.server.desk import Desk
from rolltop.server.fastlane import FastLane
from rolltop.server.guard import guarded
from rolltop.server.handlers import Handlers
from rolltop.server.listing import DESCRIPTION, SERVER_INFO, TTL_MS, Listing
from rolltop.server.news import News
from rolltop.server.params import Explained

__all__ = ["Built", "build", "initialization_options"]


class Built(NamedTuple):
    """The SDK's server, and the list that a transport of ours may answer from."""

    server: Server[Any]
    listing: Listing


def build(desk: Desk, transport: str, listing: Listing | None = None) -> Built:
    """A server with every method of the desk; it lives as long as one run of a transport."""
    listing = listing or Listing(desk)
    handlers = Handlers(desk, transport)
    news = News(desk)
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
