"""The HTTP server: uvicorn, and `Gate`, which checks Host, Origin and token in front of `/mcp` and the page."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import ipaddress
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

import orjson
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rolltop import __version__
from rolltop.base.http_token import checked_token, is_local, made_token
from rolltop.errors import InvalidInput, PartMissing
from rolltop.server.application import Application
from rolltop.server.connection import ANONYMOUS
from rolltop.server.http_messages import HttpMessages
from rolltop.server.sdk import Built
from rolltop.settings import Settings
from rolltop.workspace import Workspace

__all__ = ["PATH", "Gate", "app_for", "bind", "http_token", "is_everywhere", "own_names", "serve_http"]

PATH = "/mcp"
_OWN_PATHS = (PATH, "/healthz")
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def own_names(*addresses: str) -> list[str]:
    """Host names in URLs of a server on these addresses: local names, and the addresses."""
    named = [address for address in addresses if not is_everywhere(address)]
    return [*LOCAL_NAMES, *(f"[{each}]" if ":" in each else each for each in named)]


def is_everywhere(address: str) -> bool:
    """True for an unspecified address (0.0.0.0, ::), which clients cannot connect to."""
    try:
        return ipaddress.ip_address(address).is_unspecified
    except ValueError:
        return not address


def http_token(settings: Settings, *, no_token: bool = False) -> str | None:
    """The token that clients must send: from the settings, or the one that the workspace keeps.

    None with `no_token`, which is refused on addresses that other machines can reach.
    """
    if no_token:
        if not is_local(settings.http_host):
            raise InvalidInput(
                f"listening on {settings.http_host} needs a token, because others can reach it",
                hint="Leave out --no-token, or listen on 127.0.0.1.",
            )
        return None
    if settings.http_token is not None:
        return checked_token(settings.http_token, settings.sources.get("http_token", "the settings"))
    return made_token(Workspace(settings).prepare())


def app_for(built: Built, application: Application, address: str, token: str | None) -> App:
    """The ASGI application: `/mcp` and `/healthz`, everything else is not found. `address` is the bound one."""
    settings = application.settings
    hosts = [*own_names(settings.http_host, address), *settings.http_allowed_hosts]
    inner: Starlette = built.server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.http_body_limit,
        # `Gate` checks Host and Origin for every path; the SDK checks them again for its own.
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[name for host in hosts for name in (host, f"{host}:*")],
            allowed_origins=[
                f"{scheme}://{host}{port}" for host in hosts for scheme in _SCHEMES for port in ("", ":*")
            ],
        ),
        custom_starlette_routes=[Route("/healthz", _healthy, methods=["GET"])],
    )
    messages = HttpMessages(inner, application, built, PATH)
    return Gate(messages, hosts, token, page_for(application))


def page_for(application: Application) -> App:
    """The local page; a login link gives access."""
    from rolltop.web import Doorkeeper, owners_secret, page_app  # noqa: PLC0415 - templates take their time

    return page_app(application, Doorkeeper(owners_secret(application.workspace.prepare())))


_SCHEMES = ("http", "https")


async def _healthy(request: Request) -> Response:
    return Response(
        orjson.dumps({"status": "ok", "name": "rolltop", "version": __version__}), media_type="application/json"
    )


class Gate:
    """Host, Origin and token, checked before anything reads the body. The page checks its own visitors."""

    def __init__(self, app: App, hosts: list[str], token: str | None, page: App | None = None) -> None:
        self._app, self._page = app, page
        self._hosts = frozenset(host.lower() for host in hosts)
        self._token = token.encode() if token else None
        self._principal = f"token-{hashlib.sha256(self._token).hexdigest()[:16]}" if self._token else ANONYMOUS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # RFC 9110, 5.5: blanks around a field's value are not part of it; the parser in front of us leaves them.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send, *refusal)
        elif self._page is not None and scope["path"] not in _OWN_PATHS:
            await self._page(scope, receive, send)
        else:
            scope.setdefault("state", {})["principal"] = self._principal
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or not self._known(hosts[0].decode("latin-1")):
            return 421, (
                "this server does not answer to that host name; the setting http_allowed_hosts "
                "(ROLLTOP_HTTP_ALLOWED_HOSTS) names more"
            )
        origins = [value for name, value in headers if name == b"origin"]
        if any(not self._known_origin(origin.decode("latin-1")) for origin in origins):
            return 403, "requests from that origin are refused"
        needs_token = self._token is not None and (scope["path"] == PATH or self._page is None)
        if needs_token and scope["path"] != "/healthz" and not self._authorized(headers):
            return 401, "a bearer token is required"
        return None

    def _known(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() and ":" in host else host
        return name.lower() in self._hosts

    def _known_origin(self, origin: str) -> bool:
        scheme, separator, host = origin.partition("://")
        return bool(separator) and scheme in _SCHEMES and self._known(host)

    def _authorized(self, headers: list[tuple[bytes, bytes]]) -> bool:
        given = [value for name, value in headers if name == b"authorization"]
        if len(given) != 1 or given[0][:7].lower() != b"bearer ":
            return False
        assert self._token is not None
        return hmac.compare_digest(given[0][7:].strip(), self._token)


async def _refuse(send: Send, status: int, message: str) -> None:
    body = orjson.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="rolltop"'))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def bind(host: str, port: int) -> socket.socket:
    """Open the listening socket. Done before the application is built, so that a used port fails at once."""
    try:
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise InvalidInput(
            f"the setting http_host is not valid: {host!r} is no address of this machine",
            hint="As in 127.0.0.1, or 0.0.0.0 for all of them.",
        ) from None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise PartMissing(
            f"cannot listen on {host}:{port}: {error.strerror}",
            hint="Another server may be running; choose a port with --port N (0: a free one) or MCP_PORT=N.",
        ) from None
    return listener


async def serve_http(app: App, listener: socket.socket, started: Callable[[], None], header_seconds: float) -> None:
    """Serve until a signal arrives; running calls get two seconds to end."""
    server = _Server(_config(app, header_seconds), started)
    with contextlib.suppress(KeyboardInterrupt):
        await server.serve(sockets=[listener])


def _config(app: App, header_seconds: float) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=protocol_within(header_seconds),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=30,
        lifespan="on",
    )


HEAD_LIMIT = 64 << 10
"""Bytes of a request before its body, and of chunk sizes and trailers beyond what the body itself explains."""
FRAMING = 8
"""Bytes of chunk framing that one byte of a body may cost: chunks of one byte are allowed."""


def protocol_within(seconds: float) -> type[asyncio.Protocol]:
    """uvicorn's HTTP protocol with limits that hold before authentication: time and size of headers and trailers.

    It also refuses targets other than a path, such as `POST http://elsewhere/mcp`: this server is not a proxy.
    """

    class Limited(HttpToolsProtocol):
        _late: asyncio.TimerHandle | None = None
        _received = _body = 0
        _in_head = True

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            self._received += len(data)
            super().data_received(data)
            body = 0 if self._in_head else self._body
            if self._received - body > HEAD_LIMIT + FRAMING * body:
                self._refuse(431, "Request Header Fields Too Large")

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._in_head = True
            self._wait()

        def on_url(self, url: bytes) -> None:
            super().on_url(url)
            if not self.url.startswith(b"/"):
                self._refuse(400, "Bad Request")

        def on_headers_complete(self) -> None:
            self._stop()
            self._in_head, self._received, self._body = False, 0, 0
            if not self.transport.is_closing():
                super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            self._body += len(body)
            super().on_body(body)

        def on_message_complete(self) -> None:
            self._in_head, self._received = True, 0
            super().on_message_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _refuse(self, status: int, reason: str) -> None:
            if not self.transport.is_closing():
                head = f"HTTP/1.1 {status} {reason}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                self.transport.write(head.encode())
                self.transport.close()

        def _wait(self) -> None:
            self._stop()
            self._late = self.loop.call_later(seconds, self.transport.abort)

        def _stop(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Limited


async def serve_page(application: Application) -> None:
    """Serve the page alone, beside a stdio server that handles the signals."""
    settings = application.settings
    listener = bind("127.0.0.1", 0)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    page = page_for(application)
    gate = Gate(page, list(LOCAL_NAMES), None, page)

    def announce() -> None:
        from rolltop.web.doorkeeper import login_link, write_page_address  # noqa: PLC0415

        write_page_address(settings.workspace, address)
        sys.stderr.write(f"The page of rolltop, for one login: {login_link(settings.workspace, address)}\n")
        sys.stderr.flush()

    await _Server(_config(gate, settings.http_body_seconds), announce, signals=False).serve(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None], *, signals: bool = True) -> None:
        super().__init__(config)
        self._announce, self._signals = started, signals

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on signals with our own exit code; uvicorn would raise the signal again."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if self._signals else ():
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()
