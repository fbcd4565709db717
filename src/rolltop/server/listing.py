"""`tools/list`, serialised once and cached; and the cursors of all lists."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from mcp_core import ProtocolFault
from rolltop.access import Role
from rolltop.server.jsonrpc import INVALID_PARAMS
from rolltop.server.permissions import needed_role
from rolltop.server.start_cache import SERVER_INFO, TTL_MS

if TYPE_CHECKING:
    from rolltop.server.application import Application

__all__ = [
    "PAGE", "Listing", "bad_cursor", "decode_cursor", "encode_cursor", "page_of", "stamped",
]  # fmt: skip

T = TypeVar("T")

PAGE = 200
"""Entries of a list in one answer."""
_META = {"io.modelcontextprotocol/serverInfo": SERVER_INFO}


def stamped(result: dict[str, Any]) -> dict[str, Any]:
    """A result in the form of 2026-07-28: with its type and the server's name."""
    return {**result, "resultType": "complete", "_meta": {**result.get("_meta", {}), **_META}}


class Listing:
    """The tools of one application as `tools/list` shows them."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._plain: dict[Role, list[dict[str, Any]]] = {}
        self._ready: dict[tuple[Role, str | None], orjson.Fragment] = {}
        application.changes.subscribe(lambda change: self._forget() if change.kind == "tools" else None)

    def result(
        self, cursor: str | None = None, *, modern: bool, serialised: bool = True, role: Role = Role.OWNER
    ) -> dict[str, Any]:
        """One page of the tools that `role` may call; raises `ProtocolFault` for an unknown cursor.

        `serialised`: the tools as JSON text, for transports that write with orjson.
        """
        tools, following = page_of(self._tools(role), cursor, PAGE)
        listed: dict[str, Any] = {"tools": self._page(role, cursor, tools) if serialised else tools}
        if following is not None:
            listed["nextCursor"] = following
        scope = "public" if role is Role.OWNER else "private"
        return stamped(listed | {"ttlMs": TTL_MS, "cacheScope": scope}) if modern else listed

    def _page(self, role: Role, cursor: str | None, tools: Sequence[dict[str, Any]]) -> orjson.Fragment:
        if (role, cursor) not in self._ready:
            self._ready[role, cursor] = orjson.Fragment(orjson.dumps(tools))
        return self._ready[role, cursor]

    def _tools(self, role: Role) -> list[dict[str, Any]]:
        if role not in self._plain:
            listed = self._application.listed()
            self._plain[role] = [each.wire for each in listed if needed_role(each.spec, {}) <= role]
        return self._plain[role]

    def _forget(self) -> None:
        self._plain, self._ready = {}, {}


def encode_cursor(*parts: Any) -> str:
    text = json.dumps(parts, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def decode_cursor(cursor: str, kinds: tuple[type, ...]) -> list[Any]:
    """The parts of a cursor; raises `ProtocolFault` if `encode_cursor` did not make it."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        parts = json.loads(text)
    except (binascii.Error, ValueError):
        raise bad_cursor() from None
    if not isinstance(parts, list) or len(parts) != len(kinds):
        raise bad_cursor()
    if any(part is not None and type(part) is not kind for part, kind in zip(parts, kinds, strict=True)):
        raise bad_cursor()
    return parts


def bad_cursor() -> ProtocolFault:
    return ProtocolFault(INVALID_PARAMS, "Invalid params: the cursor is not one that this server gave")


def page_of(items: Sequence[T], cursor: str | None, size: int) -> tuple[Sequence[T], str | None]:
    """One page of a list that is held in memory."""
    start = 0
    if cursor is not None:
        (start,) = decode_cursor(cursor, (int,))
        if start is None or not 0 < start < len(items):
            raise bad_cursor()
    end = start + size
    return items[start:end], encode_cursor(end) if end < len(items) else None
