"""Ordinary tool calls over HTTP (protocol 2026-07-28), answered without the SDK's detours.

Every message is read here, within its limits of size and time, and refused if it is none. Only the perfect request
is answered here: a `tools/call` or `tools/list` whose headers and body agree, that
asks for no progress, carries no earlier answers and wants both media types, as every client does. Anything
else, and a tool that turns out to need the human, is handed to the SDK's app with the body replayed, so
there is one behaviour for everything unusual.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS, InboundModernRoute, classify_inbound_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from mcp_core import InputNeeded, ProtocolFault, UnknownTool
from rolltop.server.batches import REVISION, is_batch, members
from rolltop.server.desk import Desk
from rolltop.server.httpbatches import serve_batch
from rolltop.server.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Malformed,
    checked,
    defect_line,
    dump,
    error_line,
    read,
)
from rolltop.server.listing import Listing
from rolltop.server.ordinary import client_of, is_ordinary, ordinary_context
from rolltop.server.paging import INVALID_PARAMS
from rolltop.server.reading import NotJson, load

__all__ = ["HttpCalls"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PROMPT_SECONDS = 0.5
"""A call that takes longer is answered as an event stream, so that nobody in between gives up on it."""
PING_SECONDS = 15.0
_DRAIN_SECONDS = 2.0
_DRAIN_BYTES = 256 << 20
_ROUTED = ("mcp-protocol-version", "mcp-method", "mcp-name")


class HttpCalls:
    """ASGI middleware around the SDK's app."""

    def __init__(self, app: App, desk: Desk, listing: Listing, path: str) -> None:
        self._app, self._desk, self._listing, self._path = app, desk, listing, path
        self._limit, self._seconds = desk.settings.http_body_limit, desk.settings.http_body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_message(scope):
            await self._app(_from_now_on(scope), receive, send)
            return
        if _announced(scope) > self._limit:
            await self._too_large(receive, send)
            return
        try:
            async with asyncio.timeout(self._seconds):
                body = await _read_body(receive, self._limit)
        except _Gone:
            return
        except TimeoutError:
            await _refuse(send, 408, f"the body did not arrive within {self._seconds:g} s")
            return
        if body is None:
            await self._too_large(receive, send)
            return
        headers = self._candidate(scope)
        request = _recognise(self._desk, body, headers) if headers else None
        if request is not None and await self._answer(request, scope, receive, send):
            return
        try:
            # By the same rules as over stdio; the SDK has its own words for what is no message.
            await self._pass_on(read(body), body, scope, receive, send)
        except Malformed as error:
            await _send_json(send, error.line(), 400)

    async def _pass_on(self, document: Any, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a message, or those of a batch, to the SDK's app."""
        revision = _revision(scope)
        if is_batch(document, REVISION if revision is None else revision):
            good, bad = members(document)
            await serve_batch(good, bad, lambda each, out: self._app(scope, _replayed(each, receive), out), send)
            return
        _check_version(revision, checked(document))
        await self._app(scope, _replayed(body, receive), send)

    async def _too_large(self, receive: Receive, send: Send) -> None:
        """Refuse, and read on for a moment: who is still sending would get a reset instead of the answer."""
        await _refuse(send, 413, f"the body is above {self._limit} bytes, the setting http_body_limit", more=True)
        with contextlib.suppress(TimeoutError, _Gone):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await _read_body(receive, _DRAIN_BYTES, keep=False)
        await send({"type": "http.response.body"})

    def _is_message(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != self._path:
            return False
        kinds = [value for name, value in scope["headers"] if name == b"content-type"]
        return len(kinds) == 1 and kinds[0].partition(b";")[0].strip().lower() == b"application/json"

    def _candidate(self, scope: Scope) -> dict[str, str] | None:
        """The headers, if this may be an ordinary call."""
        headers: dict[str, str] = {}
        for raw, value in scope["headers"]:
            name = raw.decode("latin-1")
            if name in headers and name in _ROUTED:
                return None
            headers[name] = value.decode("latin-1")
        ordinary = (
            headers.get("mcp-protocol-version") in MODERN_PROTOCOL_VERSIONS
            and headers.get("mcp-method") in ("tools/call", "tools/list")
            and "application/json" in headers.get("accept", "")
            and "text/event-stream" in headers.get("accept", "")
            and not any(name.startswith("mcp-param-") for name in headers)
        )
        return headers if ordinary else None

    async def _answer(self, request: _Request, scope: Scope, receive: Receive, send: Send) -> bool:
        """Answer the request; False if it has to take the SDK's way."""
        if request.method == "tools/list":
            listed = self._listing.result(request.params.get("cursor"), modern=True)
            if listed is None:
                return False
            await _send_json(send, _result(request.id, listed))
            return True
        return await self._call(request, scope, receive, send)

    async def _call(self, request: _Request, scope: Scope, receive: Receive, send: Send) -> bool:
        name = request.params["name"]
        context = ordinary_context(self._desk, request.client, scope.get("state", {}).get("principal"))
        work = asyncio.ensure_future(self._desk.dispatcher.call(name, request.params.get("arguments"), context))
        try:
            done, _ = await asyncio.wait({work}, timeout=PROMPT_SECONDS)
            if not done:
                await self._stream(request, work, receive, send)
                return True
            reply = self._reply(request, work)
        except asyncio.CancelledError:
            work.cancel()
            raise
        if reply is None:
            return False
        await _send_json(send, *reply)
        return True

    def _reply(self, request: _Request, work: asyncio.Future[Any]) -> tuple[bytes, int] | None:
        """The reply and its status, or None when the human has to be asked, which is the SDK's business."""
        try:
            reply = _result(request.id, self._listing.stamped(work.result().wire()))
        except InputNeeded:
            return None
        except UnknownTool as error:
            return error_line(request.id, INVALID_PARAMS, str(error)), ERROR_CODE_HTTP_STATUS[INVALID_PARAMS]
        except ProtocolFault as fault:
            line = error_line(request.id, fault.code, fault.message, fault.data)
            return line, ERROR_CODE_HTTP_STATUS.get(fault.code, 200)
        except Exception as error:
            return defect_line(request.id, error), ERROR_CODE_HTTP_STATUS.get(INTERNAL_ERROR, 500)
        return reply, 200

    async def _stream(self, request: _Request, work: asyncio.Future[Any], receive: Receive, send: Send) -> None:
        """The reply as an event stream; a client that leaves cancels the call."""
        gone = asyncio.ensure_future(_disconnected(receive))
        await send({"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS})
        try:
            while True:
                done, _ = await asyncio.wait({work, gone}, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if gone in done:
                    work.cancel()
                    return
                if work in done:
                    break
                await send({"type": "http.response.body", "body": b": ping\r\n\r\n", "more_body": True})
            body, _ = self._reply(request, work) or (error_line(request.id, -32603, "the call asked too late"), 200)
            await send({"type": "http.response.body", "body": b"event: message\r\ndata: " + body + b"\r\n\r\n"})
        finally:
            gone.cancel()


class _Request:
    __slots__ = ("client", "id", "method", "params")

    def __init__(self, document: Mapping[str, Any], route: InboundModernRoute) -> None:
        self.id, self.method, self.params = document["id"], document["method"], document["params"]
        self.client = client_of(route.client_info, route.client_capabilities, route.protocol_version, "http")


def _recognise(desk: Desk, body: bytes, headers: Mapping[str, str]) -> _Request | None:
    try:
        document = load(body)
    except NotJson:
        return None
    if not isinstance(document, dict) or type(document.get("id")) not in (int, str) or document.get("jsonrpc") != "2.0":
        return None
    route = classify_inbound_request(document, headers=headers)
    if not isinstance(route, InboundModernRoute):
        return None
    params = document["params"]
    if not is_ordinary(desk, document["method"], params, params["_meta"]):
        return None
    return _Request(document, route)


class _Gone(Exception):
    """The client left before it had said everything."""


def _revision(scope: Scope) -> str | None:
    """Of the protocol, as the headers name it. Who names none is of 2025-03-26, when there was no such header."""
    asked = next((value for name, value in scope["headers"] if name == b"mcp-protocol-version"), None)
    return asked.decode("latin-1") if asked is not None else None


def _check_version(version: str | None, document: Mapping[str, Any]) -> None:
    """Refuse a version that nobody knows, where the message itself names none: that one the SDK negotiates."""
    known = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
    if version is not None and version not in known and "_meta" not in (document.get("params") or {}):
        why = f"the protocol version {version[:40]!r} is not supported; there are {', '.join(known)}"
        raise Malformed(INVALID_REQUEST, why, document.get("id"))


def _announced(scope: Scope) -> int:
    """How long a request says that its body is."""
    length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    return int(length) if length.isdigit() else 0


def _from_now_on(scope: Scope) -> Scope:
    """Without the event after which a stream should go on: what was sent is not kept, and no event has an id."""
    if scope["type"] != "http" or all(name != b"last-event-id" for name, _ in scope["headers"]):
        return scope
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"last-event-id"]}


async def _read_body(receive: Receive, limit: int, *, keep: bool = True) -> bytes | None:
    """The whole body, or None when it is larger than allowed."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        part = message.get("body", b"")
        size += len(part)
        if keep:
            parts.append(part)
        if size > limit:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


_STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


def _result(request_id: str | int, result: Mapping[str, Any]) -> bytes:
    return dump({"jsonrpc": "2.0", "id": request_id, "result": result})


async def _send_json(send: Send, body: bytes, status: int = 200) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _refuse(send: Send, status: int, why: str, *, more: bool = False) -> None:
    """Answer before the body is there, and end the connection: what is still to come is no request."""
    body = error_line(None, INVALID_REQUEST, why)
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": more})
