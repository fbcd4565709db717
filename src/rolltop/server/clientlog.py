"""Lines for the client's own log.

Up to 2025-11-25 a client sets the least severe level for its connection (`logging/setLevel`; until it
does, it gets info and above); from 2026-07-28 on it asks for lines with each request, or gets none.
"""

from __future__ import annotations

import weakref
from typing import Any, cast

import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from rolltop.server.loglevels import LEVELS, Threshold

__all__ = ["ClientLog"]

Context = ServerRequestContext[Any, Any]


class ClientLog:
    """Remembers each connection's level for as long as the connection lives."""

    def __init__(self) -> None:
        self._wanted: dict[int, Threshold] = {}

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        introduced = ctx.session.client_params
        if introduced is not None:
            if id(introduced) not in self._wanted:
                weakref.finalize(introduced, self._wanted.pop, id(introduced), None)
                self._wanted[id(introduced)] = Threshold()
            self._wanted[id(introduced)].set(params.level)
        return types.EmptyResult()

    async def send(self, ctx: Context, message: str, level: str) -> None:
        wanted = cast(types.LoggingLevel, level if level in LEVELS else "info")
        if not self._is_wanted(ctx, wanted):
            return
        line = types.LoggingMessageNotificationParams(level=wanted, data=message, logger="rolltop")
        await ctx.session.send_notification(types.LoggingMessageNotification(params=line), ctx.request_id)

    def _is_wanted(self, ctx: Context, level: types.LoggingLevel) -> bool:
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return level in allowed_log_levels(ctx.protocol_version, ctx.meta)
        return self._wanted.get(id(ctx.session.client_params), Threshold()).passes(level)
