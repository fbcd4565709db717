"""Sessions of the 2025 protocol over HTTP: the SDK's, with an eviction rule instead of a refusal.

A session belongs to the principal that opened it. When as many are open as the settings allow, a new one replaces one
of whoever has most: the one that is not answering anything and was used longest ago. So a client that never closes its
sessions evicts its own, and nobody gets 503.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
from collections import Counter
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

__all__ = ["Sessions", "session_user"]

logger = logging.getLogger("rolltop.server")

_HEADER = MCP_SESSION_ID_HEADER.lower().encode()


@functools.lru_cache(maxsize=1024)
def session_user(principal: str) -> AuthenticatedUser:
    """The user of a request, in the form to which the SDK binds sessions."""
    return AuthenticatedUser(AccessToken(token="", client_id=principal, scopes=[], subject=principal))


class Sessions(StreamableHTTPSessionManager):
    """The SDK's manager; `most` sessions are open at a time."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(max_sessions=None, **options)
        self._most = most
        self._clock = itertools.count()
        self._used: dict[str, int] = {}
        self._busy: Counter[str] = Counter()
        self.evicted = 0

    def __len__(self) -> int:
        return len(self._server_instances)

    async def _handle_stateful_request(self, scope: Any, receive: Any, send: Any) -> None:
        named = next((value.decode("latin-1") for name, value in scope["headers"] if name == _HEADER), None)
        if named is None or named not in self._server_instances:
            await super()._handle_stateful_request(scope, receive, send)
            return
        self._used[named] = next(self._clock)
        self._busy[named] += 1
        try:
            await super()._handle_stateful_request(scope, receive, send)
        finally:
            self._busy[named] -= 1
            if not self._busy[named]:
                del self._busy[named]

    def _admit_session(self, requestor: Any) -> Any:
        while len(self._server_instances) >= self._most:
            self._evict()
        transport = super()._admit_session(requestor)
        if transport is not None and transport.mcp_session_id is not None:
            self._used[transport.mcp_session_id] = next(self._clock)
        return transport

    async def _discard_session(self, session_id: str, transport: Any) -> None:
        self._used.pop(session_id, None)
        await super()._discard_session(session_id, transport)

    def _evict(self) -> None:
        owners = {each: self._owner(each) for each in self._server_instances}
        most = Counter(owners.values()).most_common(1)[0][0]
        among = [each for each, owner in owners.items() if owner == most]
        chosen = min(among, key=lambda each: (self._busy[each] > 0, self._used.get(each, 0)))
        transport = self._server_instances.pop(chosen)
        self.evicted += 1
        logger.info("a session is ended for a new one: %d are open", self._most)
        tasks: Any = self._task_group  # there while requests are handled
        tasks.start_soon(self._end, chosen, transport)

    async def _end(self, session_id: str, transport: Any) -> None:
        with contextlib.suppress(Exception):  # what goes wrong while it ends concerns nobody
            await self._discard_session(session_id, transport)

    def _owner(self, session_id: str) -> str:
        owner = self._session_owners.get(session_id)
        return owner["client_id"] if owner else ""
