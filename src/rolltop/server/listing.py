"""`tools/list` as bytes that do not change while the tools do not, and the stamp of 2026 results."""

from __future__ import annotations

from typing import Any

import orjson

from rolltop import __version__
from rolltop.server.desk import Desk
from rolltop.server.paging import PAGE

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
        self._ready: orjson.Fragment | None = None
        desk.changes.subscribe(lambda change: self._forget() if change.kind == "tools" else None)

    def result(self, *, modern: bool, ready_made: bool = True) -> dict[str, Any] | None:
        """The whole list as one result, or None when it has more than a page.

        `ready_made`: for our own transports, whose JSON writer takes JSON that is there already.
        """
        tools = self._tools()
        if len(tools) > PAGE:
            return None
        if ready_made and self._ready is None:
            self._ready = orjson.Fragment(orjson.dumps(tools))
        listed: dict[str, Any] = {"tools": self._ready if ready_made else tools}
        return self.stamped(listed | {"ttlMs": TTL_MS, "cacheScope": "public"}) if modern else listed

    @staticmethod
    def stamped(result: dict[str, Any]) -> dict[str, Any]:
        """A result as 2026-07-28 wants it: complete, and signed by the server."""
        return {**result, "resultType": "complete", "_meta": _META}

    def _tools(self) -> list[dict[str, Any]]:
        if self._plain is None:
            self._plain = [each.wire for each in self._desk.listed()]
        return self._plain

    def _forget(self) -> None:
        self._plain = self._ready = None
