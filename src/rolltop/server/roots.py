"""The client's roots: the directories it works in, where it offers to tell.

Roots are deprecated since 2026-07-28, and from that revision on a server cannot ask without ending the
call: only clients of the older revisions are asked, and only those that declare the capability.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_core import CannotAsk
from rolltop.server.asking import Asker, capabilities_of

__all__ = ["roots_of"]

PATIENCE = 2.0
"""Seconds; a client that does not answer has no roots."""


async def roots_of(ctx: ServerRequestContext[Any, Any], asker: Asker) -> Sequence[str]:
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS or "roots" not in capabilities_of(ctx):
        return ()
    try:
        async with asyncio.timeout(PATIENCE):
            answer = await asker.many({"roots": {"method": "roots/list"}})
    except (CannotAsk, TimeoutError):
        return ()
    return [str(root["uri"]) for root in answer["roots"]["roots"]]
