"""What every HTTP request passes before anything reads its body: proxies, Host, Origin, token, role."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

import orjson

from rolltop.access import MAIN, Role, is_member
from rolltop.server.authentication import (
    METADATA_PATH,
    Admitted,
    Authentication,
    Refused,
    SingleHeaders,
    single_headers,
)
from rolltop.server.http_sessions import session_user
from rolltop.server.metrics import CONTENT_TYPE, Metrics
from rolltop.server.trusted_proxies import TrustedProxies

__all__ = ["PATH", "App", "Gate", "Readiness"]

logger = logging.getLogger("rolltop.server")

PATH = "/mcp"
_SCHEMES = ("http", "https")
_EXPOSED = b"Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate"
_ASKED = (
    b"Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
)
_READY_SECONDS = 5.0
"""How long an answer of `/readyz` counts."""
_LOOK_SECONDS = 1.0
"""How often a stream asks whether its token still counts."""
_PREFLIGHT_SECONDS = b"600"

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Readiness:
    """Whether the server takes requests: not once it drains, and not while `check` raises."""

    def __init__(self, check: Callable[[], None] | None = None) -> None:
        self._check, self._checking = check, asyncio.Lock()
        self._known: tuple[float, str | None] = (float("-inf"), None)
        self.draining = asyncio.Event()

    async def problem(self) -> str | None:
        """Why it is not ready; None if it is."""
        if self.draining.is_set():
            return "the server is going to stop"
        # Anybody may ask, and the check writes to the disk: its answer counts for a while.
        async with self._checking:
            if time.monotonic() - self._known[0] > _READY_SECONDS:
                self._known = (time.monotonic(), await self._checked())
            return self._known[1]

    async def _checked(self) -> str | None:
        try:
            if self._check is not None:
                await asyncio.to_thread(self._check)
        except Exception as error:
            logger.error("the server is not ready: %s", error)
            return "the workspace cannot be used; the log says why"
        return None


def _jsonrpc(refused: Refused) -> object:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": refused.message}}


_NOTHING = Refused(404, "there is nothing here")


class Gate:
    """Checks a request, says who asks, and passes it on. The page checks its own visitors.

    `spaces` finds the application of a space that exists.
    """

    def __init__(
        self,
        app: App,
        hosts: Iterable[str],
        authentication: Authentication,
        page: App | None = None,
        *,
        origins: Iterable[str] = (),
        proxies: TrustedProxies | None = None,
        spaces: Callable[[str], Awaitable[App]] | None = None,
        metrics: Metrics | None = None,
        readiness: Readiness | None = None,
        refusal: Callable[[Refused], object] = _jsonrpc,
    ) -> None:
        self._shown = refusal
        self._app, self._page, self._authentication, self._spaces = app, page, authentication, spaces
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/").encode() for origin in origins)
        self._proxies = proxies or TrustedProxies(())
        self._metrics, self._shows_metrics = metrics or Metrics(), metrics is not None
        self.readiness = readiness or Readiness()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # RFC 9110, 5.5: blanks around a field's value are not part of it; the parser in front of us leaves them.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        self._proxies.apply(scope)
        headers = single_headers(scope["headers"])
        origin = headers.get(b"origin")
        if origin is not None and origin.lower() in self._origins:
            send = _with_headers(send, [*_cors(origin)])
        self._metrics.active += 1
        try:
            await self._answer(scope, headers, receive, _counted(send, self._metrics))
        finally:
            self._metrics.active -= 1

    async def _answer(self, scope: Scope, headers: SingleHeaders, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if (refusal := self._refusal(headers)) is not None:
            await self._refuse(send, refusal)
        elif scope["method"] == "OPTIONS" and self._is_preflight(headers):
            await _send(send, 204, b"", [(b"access-control-allow-methods", b"GET, POST, DELETE"), *_PREFLIGHT])
        elif path == "/healthz":
            await self._app(scope, receive, send)
        elif path == "/readyz":
            problem = await self.readiness.problem()
            status = {"status": "ok"} if problem is None else {"status": "not ready", "reason": problem}
            await _send(send, 200 if problem is None else 503, orjson.dumps(status))
        elif path == METADATA_PATH or path.startswith(f"{METADATA_PATH}{PATH}"):
            metadata = self._authentication.metadata()
            await (self._refuse(send, _NOTHING) if metadata is None else _send(send, 200, orjson.dumps(metadata)))
        elif path in (PATH, "/metrics") or path.startswith(PATH + "/") or self._page is None:
            admitted = await self._authentication.admit(headers)
            if isinstance(admitted, Refused):
                await self._refuse(send, admitted)
            else:
                await self._admitted(admitted, scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _admitted(self, admitted: Admitted, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path == "/metrics" and self._shows_metrics:
            await self._figures(admitted.principal.role_in(MAIN), send)
            return
        space = path.removeprefix(PATH + "/") if path.startswith(PATH + "/") else MAIN
        role = admitted.principal.role_in(space)
        if role is None and space == MAIN:
            why = "you have no role in this workspace; an owner gives it: rolltop users role"
            await self._refuse(send, Refused(403, why))
            return
        # A space without a role is answered like one that does not exist.
        app = await self._app_of(space) if role is not None else None
        if app is None:
            await self._refuse(send, _NOTHING)
            return
        if space != MAIN:
            scope["path"], scope["raw_path"] = PATH, PATH.encode()
        name = admitted.principal.name
        scope.setdefault("state", {}).update(principal=name, role=role)
        scope["user"] = session_user(name)
        if scope["method"] == "GET":
            receive = _until(self.readiness.draining, admitted, receive)
        await app(scope, receive, _while_valid(admitted, send, self._refuse) if is_member(name) else send)

    async def _refuse(self, send: Send, refused: Refused) -> None:
        headers = [(b"www-authenticate", refused.challenge.encode("latin-1"))] if refused.challenge else []
        await _send(send, refused.status, orjson.dumps(self._shown(refused)), headers)

    async def _app_of(self, space: str) -> App | None:
        users = self._authentication.users
        if space == MAIN:
            return self._app
        if self._spaces is None or users is None or space not in users.spaces():
            return None
        return await self._spaces(space)

    async def _figures(self, role: Role | None, send: Send) -> None:
        if role is not Role.OWNER:
            await self._refuse(send, Refused(403, "the figures of the server need the role owner"))
        else:
            text = (b"content-type", CONTENT_TYPE.encode())
            await _send(send, 200, self._metrics.text().encode(), [text])

    def _refusal(self, headers: SingleHeaders) -> Refused | None:
        host, origin = headers.get(b"host"), headers.get(b"origin", b"")
        if host is None or not self._known(host.decode("latin-1")):
            return Refused(
                421,
                "this server does not answer to that host name; the setting http_allowed_hosts "
                "(ROLLTOP_HTTP_ALLOWED_HOSTS) names more",
            )
        if origin is None or (b"origin" in headers and not self._known_origin(origin)):
            return Refused(403, "requests from that origin are refused")
        return None

    def _known(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() and ":" in host else host
        return name.lower() in self._hosts

    def _known_origin(self, origin: bytes) -> bool:
        if origin.lower() in self._origins:
            return True
        scheme, separator, host = origin.decode("latin-1").partition("://")
        return bool(separator) and scheme in _SCHEMES and self._known(host)

    def _is_preflight(self, headers: SingleHeaders) -> bool:
        origin = headers.get(b"origin")
        return b"access-control-request-method" in headers and origin is not None and origin.lower() in self._origins


def _cors(origin: bytes) -> list[tuple[bytes, bytes]]:
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", _EXPOSED),
        (b"vary", b"Origin"),
    ]


_PREFLIGHT = [
    (b"access-control-allow-headers", _ASKED),
    (b"access-control-max-age", _PREFLIGHT_SECONDS),
]


def _with_headers(send: Send, headers: list[tuple[bytes, bytes]]) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *headers]}
        await send(message)

    return wrapped


def _counted(send: Send, metrics: Metrics) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            metrics.responded(message["status"])
        await send(message)

    return wrapped


def _while_valid(admitted: Admitted, send: Send, refuse: Callable[[Send, Refused], Awaitable[None]]) -> Send:
    """End a response when the token behind it stops counting; what is sent after that is dropped."""
    started = ended = False

    async def wrapped(message: Message) -> None:
        nonlocal started, ended
        if ended:
            return
        if not admitted.is_valid():
            ended = True
            if started:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await refuse(send, Refused(401, "the token was revoked or has expired"))
            return
        started = True
        await send(message)

    return wrapped


def _until(draining: asyncio.Event, admitted: Admitted, receive: Receive) -> Receive:
    """Let a stream that would never end see a disconnection when the server stops or the token counts no more."""

    async def wrapped() -> Message:
        coming, over = asyncio.ensure_future(receive()), asyncio.ensure_future(draining.wait())
        try:
            while admitted.is_valid() and not over.done():
                done, _ = await asyncio.wait({coming, over}, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if coming in done:
                    return coming.result()
            return {"type": "http.disconnect"}
        finally:
            coming.cancel()
            over.cancel()

    return wrapped


async def _send(send: Send, status: int, body: bytes, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
    given = list(headers)
    if body and all(name != b"content-type" for name, _ in given):
        given.append((b"content-type", b"application/json"))
    length = [(b"content-length", str(len(body)).encode())] if status != 204 else []
    await send({"type": "http.response.start", "status": status, "headers": [*given, *length]})
    await send({"type": "http.response.body", "body": body})
