"""The client's roots: the directories it works in, where it offers to tell.

Roots are deprecated since 2026-07-28, and from that revision on a server cannot ask without ending the
call: only clients of the older revisions are asked, and only those that declare the capability.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

__all__ = ["roots_of"]

PATIENCE = 2.0
"""Seconds; a client that does not answer has no roots."""


async def roots_of(ctx: ServerRequestContext[Any, Any]) -> Sequence[str]:
    capabilities = ctx.session.client_capabilities
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS or capabilities is None or capabilities.roots is None:
        return ()
    try:
        async with asyncio.timeout(PATIENCE):
            answer = await ctx.session.list_roots()
    except (MCPError, TimeoutError):
        return ()
    return [str(root.uri) for root in answer.roots]
