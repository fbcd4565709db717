"""JSON-RPC messages over HTTP: one POST is one message.

Every body is read here, within limits of size and time. A request of 2026-07-28 is framed here and answered by
`RequestPath`: as JSON, or as an event stream once it notifies or takes long. Sessions of earlier revisions are
framed by the SDK's app, whose server hands each request to `RequestPath` too.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from mcp.server.streamable_http import check_accept_headers
from mcp.shared.inbound import (
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
    validate_mcp_param_headers,
    x_mcp_header_map,
)
from mcp_types import HEADER_MISMATCH
from starlette.requests import Request

from mcp_core import ProtocolFault, Registered
from rolltop.access import Role
from rolltop.server.application import Application
from rolltop.server.authentication import SingleHeaders, single_headers
from rolltop.server.connection import HANDSHAKE_REVISIONS, MODERN_REVISIONS, Connection, client_of
from rolltop.server.http_responses import Response, refuse, send_empty, send_json, send_reply, serve_batch
from rolltop.server.jsonrpc import (
    BATCH_REVISION,
    INVALID_REQUEST,
    LARGE,
    Document,
    Malformed,
    batch_members,
    checked,
    error_reply,
    is_batch,
    is_request,
    read,
)
from rolltop.server.sdk import Built, route_of, serve_enveloped

__all__ = ["WHOLE", "HttpMessages"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_DRAIN_SECONDS = 2.0
_DRAIN_BYTES = 256 << 20
_JSON = b"application/json"
WHOLE = "whole"
"""Key in the state of a request whose body has arrived."""
_ROUTING = frozenset({"mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"})


class HttpMessages:
    """ASGI application in front of the SDK's app."""

    def __init__(self, app: App, application: Application, built: Built, path: str) -> None:
        self._app, self._built, self._path = app, built, path
        self._registry = application.registry
        self._threads = application.dispatcher.threads
        self._limit, self._seconds = application.settings.http_body_limit, application.settings.http_body_seconds
        self._with_headers: dict[str, tuple[Registered, bool]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != self._path:
            await self._app(_from_now_on(scope), receive, send)
            return
        headers = single_headers(scope["headers"])
        if not _is_json(headers):
            await refuse(send, 415, "a message is sent with Content-Type: application/json")
            return
        body = await self._body(headers, scope, receive, send)
        if body is None:
            return
        scope.setdefault("state", {})["is_large"] = len(body) > LARGE
        revision = _revision(headers, scope)
        try:
            if revision is not None and revision not in HANDSHAKE_REVISIONS:
                await self._modern(revision, await self._read(body), headers, scope, Response(receive, send))
            else:
                await self._session(revision, body, scope, receive, send)
        except Malformed as error:
            await send_json(send, error.line(), 400)

    async def _body(self, headers: SingleHeaders, scope: Scope, receive: Receive, send: Send) -> bytes | None:
        """The body of a message; None if it was refused or the client left."""
        body = None
        if _announced(headers) <= self._limit:
            try:
                # A body that is there needs no clock.
                async with contextlib.nullcontext() if _is_whole(scope) else asyncio.timeout(self._seconds):
                    body = await _read_body(receive, self._limit)
            except _Gone:
                return None
            except TimeoutError:
                await refuse(send, 408, f"the body did not arrive within {self._seconds:g} s")
                return None
        if body is None:
            await self._too_large(receive, send)
        return body

    async def _read(self, body: bytes) -> Any:
        """The JSON of a body; large ones are read one after the other, aside."""
        if len(body) <= LARGE:
            return read(body)
        return await self._threads.computing("bodies", None).run(lambda: read(body))

    async def _too_large(self, receive: Receive, send: Send) -> None:
        """Refuse, and read on briefly: a client that is still sending would otherwise see a reset, not the answer."""
        await refuse(send, 413, f"the body is above {self._limit} bytes, the setting http_body_limit", more=True)
        with contextlib.suppress(TimeoutError, _Gone):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await _read_body(receive, _DRAIN_BYTES, keep=False)
        await send({"type": "http.response.body"})

    async def _session(self, revision: str | None, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a message of an earlier revision, or those of a batch, to the SDK's app."""
        document = await self._read(body)
        left = scope.setdefault("state", {})["left"] = asyncio.Event()  # ends the work, see `sdk`
        # A client that names no revision is of 2025-03-26, which had no such header.
        if is_batch(document, BATCH_REVISION if revision is None else revision):
            good, bad = batch_members(document)
            await serve_batch(good, bad, lambda each, out: self._app(scope, _replayed(each, receive, left), out), send)
            return
        checked(document)
        await self._app(scope, _replayed(body, receive, left), send)

    async def _modern(self, revision: str, body: Any, headers: SingleHeaders, scope: Scope, response: Response) -> None:
        """Frame a message of 2026-07-28."""
        document = checked(body)
        if not _accepts_both(headers.get(b"accept") or b"", scope):
            await send_empty(response.send, 406)
            return
        if "method" not in document:
            raise Malformed(INVALID_REQUEST, "Invalid Request: a client sends requests and notifications only")
        try:
            self._check_revision(revision, document)
            if not is_request(document):
                await send_empty(response.send, 202)
                return
            connection = self._connection(document, headers, scope, response)
        except ProtocolFault as fault:
            await send_reply(response.send, error_reply(document.get("id"), fault.code, fault.message, fault.data))
            return
        await response.send_reply(self._built.path.answer(document, connection))

    def _check_revision(self, revision: str, document: Document) -> None:
        """Refuse an unknown revision; the message of a request with an envelope comes from the SDK."""
        if revision in MODERN_REVISIONS or (is_request(document) and "_meta" in (document.get("params") or {})):
            return
        if not is_request(document) and (rejection := unsupported_protocol_version_rejection(revision)) is not None:
            raise ProtocolFault(rejection.code, rejection.message, rejection.data)
        known = ", ".join((*HANDSHAKE_REVISIONS, *MODERN_REVISIONS))
        why = f"the protocol version {revision[:40]!r} is not supported; there are {known}"
        raise ProtocolFault(INVALID_REQUEST, why)

    def _connection(self, document: Document, headers: SingleHeaders, scope: Scope, channel: Response) -> Connection:
        named = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in headers.items()
            if value is not None and name[:4] == b"mcp-"
        }
        if len(headers) != len(scope["headers"]):
            pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
            if (twice := find_duplicated_routing_header(pairs)) is not None:
                raise ProtocolFault(HEADER_MISMATCH, f"{twice} header appears more than once")
        route = route_of(document, named)
        self._check_param_headers(document, named)
        client = client_of(route.client_info, route.client_capabilities, route.protocol_version, "http")

        async def rest(request: Document) -> Any:
            return await serve_enveloped(self._built.server, request, connection, route, duplex=False)

        state = scope.get("state", {})
        role = state.get("role", Role.READER)
        connection = Connection(client, state.get("principal", ""), channel, rest, modern=True, role=role)
        connection.is_large = state.get("is_large", False)
        return connection

    def _check_param_headers(self, document: Document, headers: Mapping[str, str]) -> None:
        """Compare `Mcp-Param-*` headers with the arguments, for tools whose schema names such headers."""
        params = document.get("params") or {}
        if document["method"] != "tools/call" or not isinstance(name := params.get("name"), str):
            return
        registered, arguments = self._registry.find(name), params.get("arguments") or {}
        if registered is None or not isinstance(arguments, dict):
            return
        known = self._with_headers.get(name)
        if known is None or known[0] is not registered:
            known = self._with_headers[name] = (registered, bool(x_mcp_header_map(registered.spec.input_schema)))
        if not known[1] and headers.keys() <= _ROUTING:
            return
        rejection = validate_mcp_param_headers(registered.spec.input_schema, arguments, headers)
        if rejection is not None:
            raise ProtocolFault(rejection.code, rejection.message, rejection.data)


class _Gone(Exception):
    """The client left before the body was complete."""


def _is_json(headers: SingleHeaders) -> bool:
    kind = headers.get(b"content-type")
    return kind == _JSON or (kind is not None and kind.partition(b";")[0].strip().lower() == _JSON)


def _accepts_both(accept: bytes, scope: Scope) -> bool:
    """True if the client takes JSON and event streams, as every client must."""
    if _JSON in accept and b"text/event-stream" in accept:
        return True
    return all(check_accept_headers(Request(scope)))


def _revision(headers: SingleHeaders, scope: Scope) -> str | None:
    """The revision of the protocol in the headers; the first one where several are named, which is refused later."""
    named = headers.get(b"mcp-protocol-version")
    if named is None:
        named = next((value for name, value in scope["headers"] if name == b"mcp-protocol-version"), None)
    return named.decode("latin-1") if named is not None else None


def _announced(headers: SingleHeaders) -> int:
    """The length that a request announces."""
    length = headers.get(b"content-length") or b"0"
    return int(length) if length.isdigit() else 0


def _is_whole(scope: Scope) -> bool:
    """Whether the body of a request has arrived already; the HTTP protocol in `http` says so."""
    return WHOLE in scope.get("state", {})


def _from_now_on(scope: Scope) -> Scope:
    """Without `Last-Event-ID`: events are not kept and have no ids."""
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


def _replayed(body: bytes, receive: Receive, left: asyncio.Event) -> Receive:
    """Replays the body that was read, then passes messages on; sets `left` when the client disconnects."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            message = await receive()
            if message["type"] == "http.disconnect":
                left.set()
            return message
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
