"""The official SDK behind the request path: handshakes, subscriptions, and the methods that are not tools.

`build` makes the SDK's server. Requests of our transports reach it from `RequestPath` through `StreamSession` or
`serve_enveloped`. On the SDK's own transports (2025 sessions over HTTP, sessions in memory) a middleware hands each
request to `RequestPath` first, so that there is one path on every transport.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.connection import Connection as SdkConnection
from mcp.server.connection import NotifyOnlyOutbound
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.runner import ServerRunner, serve_one
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundLadderRejection, InboundModernRoute, classify_inbound_request
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from mcp_core import InputNeeded, ProtocolFault
from mcp_core.jsonable import without_surrogates
from rolltop.access import Role
from rolltop.server.application import Application
from rolltop.server.connection import Channel, Connection, Exchange, LogThreshold, client_of, local_principal
from rolltop.server.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, Document
from rolltop.server.listing import Listing
from rolltop.server.methods import Methods, Notifications
from rolltop.server.request_path import RequestPath
from rolltop.server.start_cache import DESCRIPTION, SERVER_INFO, TTL_MS

__all__ = [
    "Built", "StreamSession", "build", "checked_answer", "earlier_answers", "input_required", "route_of", "sealed",
    "serve_enveloped", "wrong_era",
]  # fmt: skip

Context = ServerRequestContext[Any, Any]

_REQUESTS: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}
"""What a client can be asked, and the form of its answer."""


class Built(NamedTuple):
    """The SDK's server, and the request path in front of it."""

    server: Server[Any]
    path: RequestPath


def build(application: Application, path: RequestPath | None = None, transport: str = "memory") -> Built:
    """A server with every method of the application; `transport` names it for clients of the SDK's transports."""
    path = path or RequestPath(application, Listing(application))
    methods = Methods(application, lambda ctx: connection_of(ctx, transport))
    notifications = Notifications(application, methods.context)
    registry = application.registry

    def input_schema(name: str) -> dict[str, Any] | None:
        # Without this lookup the SDK runs tools/list for every call over HTTP.
        registered = registry.find(name)
        return registered.spec.input_schema if registered else None

    @contextlib.asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        notifications.loop = asyncio.get_running_loop()
        unsubscribe = application.changes.subscribe(notifications.from_any_thread)
        try:
            yield {}
        finally:
            unsubscribe()
            notifications.close()

    server = _Server(
        SERVER_INFO["name"],
        version=SERVER_INFO["version"],
        title=SERVER_INFO["title"],
        description=DESCRIPTION,
        instructions=application.instructions,
        lifespan=lifespan,
        get_tool_input_schema=input_schema,
        cache_hints={
            "prompts/list": CacheHint(ttl_ms=TTL_MS, scope="public"),
            "resources/templates/list": CacheHint(ttl_ms=TTL_MS, scope="public"),
            "resources/list": CacheHint(ttl_ms=0, scope="private"),
            "resources/read": CacheHint(ttl_ms=0, scope="private"),
            "server/discover": CacheHint(ttl_ms=TTL_MS, scope="public"),
        },
        on_list_tools=_answered_before,
        on_call_tool=_answered_before,
        on_list_resources=_sendable(methods.list_resources),
        on_list_resource_templates=_sendable(methods.list_templates),
        on_read_resource=_sendable(methods.read_resource),
        on_subscribe_resource=notifications.subscribe,
        on_unsubscribe_resource=notifications.unsubscribe,
        on_subscriptions_listen=notifications.listen,
        on_list_prompts=_sendable(methods.list_prompts),
        on_get_prompt=_sendable(methods.get_prompt),
        on_completion=_sendable(methods.complete),
    )
    server.add_notification_handler("notifications/initialized", types.NotificationParams, notifications.connected)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, methods.set_level)
    server.middleware[:] = [_PathFirst(path, transport), _STATES]
    return Built(server, path)


async def _answered_before(ctx: Context, params: Any) -> Any:
    """Declares the capability; `RequestPath` answers these methods before they come here."""
    raise AssertionError(ctx.method)


class _Server(Server[Any]):
    """Says on every transport that lists may change; the SDK's HTTP transport would say that they do not."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *more: Any, **named: Any
    ) -> InitializationOptions:
        changes = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
        return super().create_initialization_options(notification_options or changes, *more, **named)


class _PathFirst:
    """Middleware: a request of an SDK transport goes through the request path; one of ours has come from there."""

    def __init__(self, path: RequestPath, transport: str) -> None:
        self._path, self._transport = path, transport

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.request_id is None or isinstance(ctx.session._request_outbound, Exchange):
            return await call_next(ctx)

        async def rest(document: Document) -> Any:
            return await call_next(replace(ctx, method=document["method"]))

        connection = connection_of(ctx, self._transport)
        connection.rest, connection.plain_results = rest, True
        document = {"id": ctx.request_id, "method": ctx.method, "params": ctx.params}
        reply = await _unless_left(self._path.answer(document, connection), ctx)
        if "error" in reply:
            error = reply["error"]
            raise MCPError(error["code"], error["message"], error.get("data"))
        result: HandlerResult = reply["result"]
        return result


async def _unless_left(answer: Coroutine[Any, Any, Document], ctx: Context) -> Document:
    """The reply. If the client hangs up first, the work ends: events are not kept, so nobody could read it."""
    left: asyncio.Event | None = getattr(getattr(ctx.request, "state", None), "left", None)
    if left is None:
        return await answer
    work, gone = asyncio.ensure_future(answer), asyncio.ensure_future(left.wait())
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        raise MCPError(INTERNAL_ERROR, "the client hung up before the answer")
    finally:
        work.cancel()
        gone.cancel()


def connection_of(ctx: Context, transport: str) -> Connection:
    """The connection of a request that the SDK handles."""
    exchange = ctx.session._request_outbound
    if isinstance(exchange, Exchange):
        return exchange.connection
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    introduced, capabilities = ctx.session.client_params, ctx.session.client_capabilities
    client = None
    if modern or introduced is not None:
        info = introduced.client_info.model_dump() if introduced is not None else None
        offered = capabilities.model_dump(by_alias=True) if capabilities is not None else None
        client = client_of(info, offered, ctx.protocol_version, transport, _session_of(ctx))
    kept = ctx.session._connection.state.setdefault("rolltop/log-threshold", LogThreshold())
    state = getattr(ctx.request, "state", None)
    if ctx.request is None:  # in memory, or over a stream of this process
        return Connection(client, local_principal(), exchange, _no_rest, modern, Role.OWNER, kept)
    principal, role = getattr(state, "principal", ""), getattr(state, "role", Role.READER)
    is_large = getattr(state, "is_large", False)
    return Connection(client, principal, exchange, _no_rest, modern, role, kept, is_large=is_large)


def _session_of(ctx: Context) -> str:
    """A name for the session over HTTP; its id would let whoever reads the journal speak in it."""
    session = ctx.request.headers.get("mcp-session-id") if ctx.request is not None else None
    return f"http-{hashlib.sha256(session.encode()).hexdigest()[:16]}" if session else ""


async def _no_rest(document: Document) -> Any:
    raise AssertionError(document["method"])


Handler = Callable[[Context, Any], Awaitable[Any]]


def _sendable(handler: Handler) -> Handler:
    """`handler` with a question to the human as an interim result, and half surrogate pairs replaced."""

    async def handle(ctx: Context, params: Any) -> Any:
        try:
            result = await handler(ctx, params)
        except InputNeeded as needed:
            return input_required(needed)
        try:
            result.model_dump_json(by_alias=True)
        except (PydanticSerializationError, UnicodeError):
            return type(result).model_validate(without_surrogates(result.model_dump(by_alias=True, exclude_unset=True)))
        return result

    return handle


def route_of(document: Document, headers: Mapping[str, str] | None = None) -> InboundModernRoute:
    """Revision, client and capabilities from the envelope of a 2026 request; raises `ProtocolFault`."""
    route = classify_inbound_request(document, headers=headers)
    if isinstance(route, InboundLadderRejection):
        raise ProtocolFault(route.code, route.message, route.data)
    return route


async def serve_enveloped(
    server: Server[Any], document: Document, connection: Connection, route: InboundModernRoute, *, duplex: bool
) -> Any:
    """Let the SDK answer a 2026 request. `duplex`: the channel outlives the request, as over stdio."""
    more = {"outbound": NotifyOnlyOutbound(connection.channel)} if duplex else {}
    peer = SdkConnection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities, **more)
    exchange: Any = Exchange(connection, document)
    return await serve_one(
        server, exchange, document["method"], document.get("params"), connection=peer, lifespan_state={}
    )


class StreamSession:
    """The SDK's state of one stdio connection."""

    def __init__(self, server: Server[Any], channel: Channel) -> None:
        self._server = server
        self._peer = SdkConnection.for_loop(channel)
        self._runner = ServerRunner(server, self._peer, {})

    @property
    def revision(self) -> str:
        return self._peer.protocol_version

    async def request(self, document: Document, connection: Connection) -> Any:
        """The SDK's answer to a request of a 2025 client."""
        exchange: Any = Exchange(connection, document)
        return await self._runner.on_request(exchange, document["method"], document.get("params"))

    async def notify(self, document: Document, connection: Connection) -> None:
        exchange: Any = Exchange(connection, document)
        if not connection.modern:
            await self._runner.on_notify(exchange, document["method"], document.get("params"))
            return
        peer = SdkConnection.from_envelope(LATEST_MODERN_VERSION, None, None)
        await ServerRunner(self._server, peer, {}).on_notify(exchange, document["method"], document.get("params"))

    async def close(self) -> None:
        await self._peer.exit_stack.aclose()


def wrong_era(document: Document, *, modern: bool) -> ProtocolFault:
    """The error for a request of the other era than the connection's."""
    if modern:
        requested = (document.get("params") or {}).get("protocolVersion")
        data: dict[str, Any] = {"supported": list(MODERN_PROTOCOL_VERSIONS)}
        if isinstance(requested, str):
            data["requested"] = requested
        message = "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted"
        return ProtocolFault(types.UNSUPPORTED_PROTOCOL_VERSION, message, data)
    return ProtocolFault(
        INVALID_REQUEST,
        "this connection serves the handshake protocol era; "
        "requests carrying the 2026-07-28 envelope are not accepted on it",
    )


@dataclass(frozen=True)
class _Round:
    """What the SDK's boundary reads of a request."""

    method: str
    params: Mapping[str, Any]
    principal: str


def _principal(ctx: Any) -> str:
    return ctx.principal if isinstance(ctx, _Round) else connection_of(ctx, "").principal


def _boundary() -> RequestStateBoundary:
    security = RequestStateSecurity.ephemeral()
    security.bind_principal = _principal
    return RequestStateBoundary(security, default_audience="rolltop")


_STATES = _boundary()
"""Seals `requestState` and binds it to method, arguments and principal; the key lives as long as the process."""


async def sealed(
    method: str, params: Mapping[str, Any], principal: str, run: Callable[[Mapping[str, Any]], Awaitable[Any]]
) -> Any:
    """`run` with the opened `requestState` of `params`; a new state in its result is sealed."""

    async def call_next(ctx: Any) -> Any:
        return await run(ctx.params)

    ctx: Any = _Round(method, params, principal)
    return await _STATES(ctx, call_next)


def input_required(needed: InputNeeded) -> dict[str, Any]:
    """The interim result that carries the questions; earlier answers travel in the state."""
    requests = needed.questions["requests"]
    asked = {key: request["method"] for key, request in requests.items()}
    state = {"asked": asked, "answered": needed.questions["answered"], "once": secrets.token_urlsafe(16)}
    interim = types.InputRequiredResult.model_validate(
        {"resultType": "input_required", "inputRequests": requests, "requestState": json.dumps(state)}
    )
    dumped = interim.model_dump(by_alias=True, mode="json", exclude_none=True)
    return {**dumped, "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO}}


class _UsedStates:
    """States that came back. The SDK seals them with a key of this process and lets them expire."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, once: str | None) -> bool:
        """True if this state is used for the first time."""
        if once is None:
            return True
        now = time.monotonic()
        with self._lock:
            while self._seen and next(iter(self._seen.values())) < now - _STATE_SECONDS:
                self._seen.popitem(last=False)
            if once in self._seen:
                return False
            self._seen[once] = now
            return True


_STATE_SECONDS = 1200.0
"""Twice as long as the SDK accepts a state."""
_USED_STATES = _UsedStates()


def earlier_answers(params: Mapping[str, Any]) -> dict[str, Any]:
    """The answers that came with a repeated call, and those of earlier rounds. A state counts once."""
    state = json.loads(params.get("requestState") or "{}")  # opened, so we wrote it
    if not _USED_STATES.take(state.get("once")):
        return {}
    answers: dict[str, Any] = dict(state.get("answered", {}))
    responses = params.get("inputResponses") or {}
    for key, method in state.get("asked", {}).items():
        answer = checked_answer(method, responses.get(key))
        if answer is not None:
            answers[key] = answer
    return answers


def checked_answer(method: str, response: Any) -> dict[str, Any] | None:
    """`response` if it answers such a request; else the question is put again."""
    if response is None:
        return None
    try:
        answer = _REQUESTS[method][1].model_validate(response)
    except ValidationError:
        return None
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)
