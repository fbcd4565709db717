"""Lines for the client's own log.

Up to 2025-11-25 a client sets the least severe level for its connection (`logging/setLevel`; until it
does, it gets info and above); from 2026-07-28 on it asks for lines with each request, or gets none.
"""

from __future__ import annotations

import weakref
from typing import Any, get_args

import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

__all__ = ["ClientLog"]

LEVELS: tuple[types.LoggingLevel, ...] = get_args(types.LoggingLevel)
"""From debug to emergency."""

Context = ServerRequestContext[Any, Any]


class ClientLog:
    """Remembers each connection's level for as long as the connection lives."""

    def __init__(self) -> None:
        self._least: dict[int, int] = {}

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        introduced = ctx.session.client_params
        if introduced is not None:
            if id(introduced) not in self._least:
                weakref.finalize(introduced, self._least.pop, id(introduced), None)
            self._least[id(introduced)] = LEVELS.index(params.level)
        return types.EmptyResult()

    async def send(self, ctx: Context, message: str, level: str) -> None:
        wanted: types.LoggingLevel = next((each for each in LEVELS if each == level), "info")
        if not self._is_wanted(ctx, wanted):
            return
        line = types.LoggingMessageNotificationParams(level=wanted, data=message, logger="rolltop")
        await ctx.session.send_notification(types.LoggingMessageNotification(params=line), ctx.request_id)

    def _is_wanted(self, ctx: Context, level: types.LoggingLevel) -> bool:
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return level in allowed_log_levels(ctx.protocol_version, ctx.meta)
        least = self._least.get(id(ctx.session.client_params), LEVELS.index("info"))
        return LEVELS.index(level) >= least
