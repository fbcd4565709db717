"""`tools/list` as bytes that do not change while the tools do not, and the stamp of 2026 results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from mcp_core import ProtocolFault
from rolltop import __version__
from rolltop.server.desk import Desk
from rolltop.server.paging import PAGE, page_of

__all__ = ["DESCRIPTION", "SERVER_INFO", "TTL_MS", "Listing"]

TTL_MS = 60_000
"""How long a client may believe a list that it has read."""
DESCRIPTION = "A desk for AI agents: keep documents, transform data, render reports, serve functions."
SERVER_INFO = {"name": "rolltop", "title": "rolltop", "version": __version__, "description": DESCRIPTION}
_META = {"io.modelcontextprotocol/serverInfo": SERVER_INFO}


class Listing:
    """The list of one desk, serialised once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._plain: list[dict[str, Any]] | None = None
        self._ready: dict[str | None, orjson.Fragment] = {}
        desk.changes.subscribe(lambda change: self._forget() if change.kind == "tools" else None)

    def result(self, cursor: str | None = None, *, modern: bool, ready_made: bool = True) -> dict[str, Any] | None:
        """The list, or the page of it that `cursor` asks for; None when the cursor is not one of ours.

        `ready_made`: for our own transports, whose JSON writer takes JSON that is there already.
        """
        try:
            tools, following = page_of(self._tools(), cursor, PAGE)
        except ProtocolFault:
            return None
        listed: dict[str, Any] = {"tools": self._made(cursor, tools) if ready_made else tools}
        if following is not None:
            listed["nextCursor"] = following
        return self.stamped(listed | {"ttlMs": TTL_MS, "cacheScope": "public"}) if modern else listed

    def _made(self, cursor: str | None, tools: Sequence[dict[str, Any]]) -> orjson.Fragment:
        if cursor not in self._ready:
            self._ready[cursor] = orjson.Fragment(orjson.dumps(tools))
        return self._ready[cursor]

    @staticmethod
    def stamped(result: dict[str, Any]) -> dict[str, Any]:
        """A result as 2026-07-28 wants it: complete, and signed by the server."""
        return {**result, "resultType": "complete", "_meta": _META}

    def _tools(self) -> list[dict[str, Any]]:
        if self._plain is None:
            self._plain = [each.wire for each in self._desk.listed()]
        return self._plain

    def _forget(self) -> None:
        self._plain = None
        self._ready = {}
