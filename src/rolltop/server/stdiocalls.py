"""Ordinary tool calls over stdio, answered without the SDK, and even before it is loaded.

As over HTTP, only the plain case is taken: a `tools/call` that asks for no progress, or a `tools/list`,
from a client that has introduced itself (2025) or does so in every request (2026). A tool
that turns out to need the human is called again through the SDK. The client cancels such a call like any
other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from mcp_core import ClientInfo, InputNeeded, ProtocolFault, ToolCancelled, UnknownTool
from mcp_core.context import no_log
from mcp_core.outcome import comes_from_outside
from rolltop.server.batches import Replies
from rolltop.server.desk import Desk
from rolltop.server.jsonrpc import defect_line, dump, error_line
from rolltop.server.lines import LineWriter
from rolltop.server.listing import Listing
from rolltop.server.loglevels import LEVELS, Threshold
from rolltop.server.ordinary import PROTOCOL_KEY, client_of, is_ordinary, ordinary_context
from rolltop.server.paging import INVALID_PARAMS

__all__ = ["StdioCalls"]

logger = logging.getLogger("rolltop.stdio")

MOST = 256
"""Answers that wait to be read; a client that lets so many lie is not listened to until it reads them."""

Document = dict[str, Any]
Forward = Callable[[Document], Awaitable[None]]


class StdioCalls:
    def __init__(self, desk: Desk, listing: Listing, writer: LineWriter, replies: Replies, forward: Forward) -> None:
        self._desk, self._listing, self._writer, self._forward = desk, listing, writer, forward
        self._replies = replies
        self._client: ClientInfo | None = None
        self._threshold = Threshold()
        self._running: dict[str | int, asyncio.Task[None]] = {}
        self._unread = 0
        self._room = asyncio.Event()
        self._room.set()

    @property
    def revision(self) -> str | None:
        """Of the protocol that a client asked for when it introduced itself."""
        return self._client.protocol if self._client is not None else None

    def take(self, document: Document) -> bool:
        """Start answering the message, or say that it has to go to the SDK."""
        method = document.get("method")
        if method == "tools/call" or method == "tools/list":  # noqa: PLR1714 - the hot path
            return self._take_call(document)
        if method == "initialize":
            self._client = _introduced(document)
        elif method == "logging/setLevel":
            self._threshold.set((document.get("params") or {}).get("level"))
        elif method == "notifications/cancelled":
            return self._cancel(document)
        return False

    async def room(self) -> None:
        """Wait until another message may be taken: answers that nobody reads would fill the memory.

        Calls that are still at work do not count: it must be possible to cancel them.
        """
        if len(self._running) >= MOST:
            await asyncio.sleep(0)  # what can be answered at once is answered first
        await self._room.wait()

    async def finished(self) -> None:
        """Wait for the calls under way."""
        while self._running:
            await asyncio.wait(list(self._running.values()))

    def _take_call(self, document: Document) -> bool:
        request_id, params = document.get("id"), document.get("params") or {}
        meta = params.get("_meta") or {}
        if (
            request_id is None
            or request_id in self._running
            or not is_ordinary(self._desk, document["method"], params, meta)
        ):
            return False
        modern = PROTOCOL_KEY in meta
        # A client that has shaken hands keeps to that era; the SDK tells it so.
        client = (_enveloped(document) if self._client is None else None) if modern else self._client
        if client is None:
            return False
        work = self._work(document, client, modern)
        if work is None:
            return False
        task = asyncio.get_running_loop().create_task(work)
        self._running[request_id] = task
        task.add_done_callback(lambda done: self._done(request_id, done))
        return True

    def _work(self, document: Document, client: ClientInfo, modern: bool) -> Any:
        if document["method"] == "tools/call":
            return self._answer(document, client, modern)
        listed = self._listing.result((document.get("params") or {}).get("cursor"), modern=modern)
        if listed is None:
            return None
        request_id = document["id"]
        return self._send(request_id, dump({"jsonrpc": "2.0", "id": request_id, "result": listed}))

    async def _send(self, request_id: str | int, line: bytes) -> None:
        self._unread += 1
        if self._unread >= MOST:
            self._room.clear()
        try:
            await self._replies.send(request_id, line)
        finally:
            self._unread -= 1
            if self._unread < MOST:
                self._room.set()

    def _done(self, request_id: str | int, task: asyncio.Task[None]) -> None:
        self._running.pop(request_id, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a call could not be answered", exc_info=error)

    async def _answer(self, document: Document, client: ClientInfo, modern: bool) -> None:
        """Answer a call; what cannot be answered otherwise is an internal error."""
        try:
            await self._call(document, client, modern)
        except BaseException as error:
            if comes_from_outside(error):
                raise
            await self._send(document["id"], defect_line(document["id"], error))

    async def _call(self, document: Document, client: ClientInfo, modern: bool) -> None:
        request_id, params = document["id"], document["params"]
        context = ordinary_context(self._desk, client, log=no_log if modern else self._log)
        try:
            answer = await self._desk.dispatcher.call(params["name"], params.get("arguments"), context)
        except InputNeeded:
            self._running.pop(request_id, None)
            await self._forward(document)
            return
        except UnknownTool as error:
            line = error_line(request_id, INVALID_PARAMS, str(error))
        except ProtocolFault as fault:
            line = error_line(request_id, fault.code, fault.message, fault.data)
        except ToolCancelled:
            await self._replies.withdraw(request_id)
            return
        else:
            result = answer.wire()
            line = dump({"jsonrpc": "2.0", "id": request_id, "result": Listing.stamped(result) if modern else result})
        await self._send(request_id, line)

    async def _log(self, message: str, level: str) -> None:
        known = level if level in LEVELS else "info"
        if self._threshold.passes(known):
            line = {"level": known, "logger": "rolltop", "data": message}
            await self._writer.write(dump({"jsonrpc": "2.0", "method": "notifications/message", "params": line}))

    def _cancel(self, document: Document) -> bool:
        request_id: Any = (document.get("params") or {}).get("requestId")
        task = self._running.get(request_id) if type(request_id) in (str, int) else None
        if task is None:
            return False
        task.cancel()
        return True


def _introduced(document: Document) -> ClientInfo | None:
    """Who a 2025 client says it is; the SDK decides whether it is welcome."""
    params = document.get("params") or {}
    info, version = params.get("clientInfo"), params.get("protocolVersion")
    if not isinstance(info, dict) or not isinstance(version, str) or not isinstance(params.get("capabilities"), dict):
        return None
    return client_of(info, params["capabilities"], version, "stdio")


def _enveloped(document: Document) -> ClientInfo | None:
    from mcp.shared.inbound import InboundModernRoute, classify_inbound_request  # noqa: PLC0415 - 2026 clients only

    route = classify_inbound_request(document)
    if not isinstance(route, InboundModernRoute):
        return None
    return client_of(route.client_info, route.client_capabilities, route.protocol_version, "stdio")
