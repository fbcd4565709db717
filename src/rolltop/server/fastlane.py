"""The two methods that agents use all day, as a middleware that spares the SDK its detours.

`tools/list` comes from what was made once, and `tools/call` goes straight to the dispatcher, which checks
arguments against the tool's own model; the SDK would validate the same message against its general models
twice. Everything unusual (malformed parameters, a client that has not introduced itself) takes
the SDK's way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from rolltop.server.guard import guarded
from rolltop.server.handlers import Handlers
from rolltop.server.listing import Listing

__all__ = ["FastLane"]


class FastLane:
    def __init__(self, handlers: Handlers, listing: Listing) -> None:
        self._listing = listing
        self._call_tool = guarded(handlers.call_raw)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method == "tools/call":
            params = ctx.params
            if params is not None and self._introduced(ctx) and _is_plain_call(params):
                return await self._call(ctx, params)
        elif ctx.method == "tools/list" and self._introduced(ctx):
            known = self._listing.result(_cursor(ctx.params), modern=_is_modern(ctx), ready_made=False)
            if known is not None:
                return known
        return await call_next(ctx)

    def _introduced(self, ctx: ServerRequestContext[Any, Any]) -> bool:
        return _is_modern(ctx) or ctx.session.client_params is not None

    async def _call(self, ctx: ServerRequestContext[Any, Any], params: Mapping[str, Any]) -> HandlerResult:
        result = await self._call_tool(ctx, params)
        if isinstance(result, dict) and _is_modern(ctx):
            return self._listing.stamped(result)
        return result  # type: ignore[no-any-return]


def _cursor(params: Mapping[str, Any] | None) -> str | None:
    """The cursor; one that is no text is answered as one that is not ours."""
    given = (params or {}).get("cursor")
    return given if isinstance(given, str | None) else "?"


def _is_modern(ctx: ServerRequestContext[Any, Any]) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def _is_plain_call(params: Mapping[str, Any]) -> bool:
    return type(params.get("name")) is str and isinstance(params.get("arguments"), dict | None)
