"""The HTTP server: uvicorn, and `Gate`, which checks Host, Origin and token in front of `/mcp` and the page."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import math
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import orjson
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mcp_core.limits import Shares
from rolltop import __version__
from rolltop.access import FILE as ACCESS_FILE
from rolltop.access import JwtVerifier, Users
from rolltop.base.http_token import checked_token, is_local, made_token
from rolltop.errors import InvalidInput, PartMissing
from rolltop.server.application import Application
from rolltop.server.authentication import Authentication
from rolltop.server.gate import PATH, App, Gate, Readiness
from rolltop.server.http_messages import WHOLE, HttpMessages
from rolltop.server.http_sessions import Sessions
from rolltop.server.metrics import Metrics
from rolltop.server.sdk import build
from rolltop.server.spaces import Served, Spaces
from rolltop.server.trusted_proxies import TrustedProxies
from rolltop.settings import Settings
from rolltop.workspace import Workspace

__all__ = ["PATH", "Gate", "HttpServer", "bind", "http_token", "is_everywhere", "own_names", "serve_http"]

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")


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
    if no_token and settings.team:
        raise InvalidInput("a team needs tokens: they say who asks", hint="Leave out --no-token, or --team.")
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


class HttpServer:
    """One server over HTTP: the main application, the spaces of a team, and the gate in front of them."""

    def __init__(self, settings: Settings, address: str, url: str, token: str | None) -> None:
        """`address` is the bound one, `url` the one that clients use unless the settings name a public one."""
        self.settings, self._metrics = settings, Metrics()
        public = (settings.public_url or url).rstrip("/")
        named = [urlsplit(settings.public_url).hostname or ""] if settings.public_url else []
        self._hosts = [*own_names(settings.http_host, address), *settings.http_allowed_hosts, *named]
        self._sessions: list[Sessions] = []
        self._shares = Shares(settings.concurrent_calls, settings.written_megabytes << 20)
        self._metrics.gauge(
            "rolltop_sessions", "Open sessions of the 2025 protocol.", lambda: sum(map(len, self._sessions))
        )
        main = self._serve(settings)
        self.application = main.application
        self._spaces = Spaces(settings, self._serve) if settings.team else None
        self._users = Users(settings.workspace / ACCESS_FILE) if settings.team else None
        self.readiness = Readiness(self.application.workspace.try_out)
        self.app = Gate(
            main.app,
            self._hosts,
            Authentication(token, users=self._users, verifier=_verifier(settings, public), resource=public + PATH),
            page_for(self.application),
            origins=settings.cors_origins,
            proxies=TrustedProxies(settings.trusted_proxies),
            spaces=self._space if settings.team else None,
            metrics=self._metrics,
            readiness=self.readiness,
        )

    def _serve(self, settings: Settings) -> Served:
        """An application, and the ASGI application that answers its messages: `/mcp` and `/healthz`."""
        application = Application(settings, watcher=self._metrics.observe, shares=self._shares)
        built = build(application, transport="http")
        sessions = Sessions(
            app=built.server,
            most=settings.sessions,
            session_idle_timeout=settings.session_idle_seconds,
            max_request_body_size=settings.http_body_limit,
            # The gate checks Host and Origin for every path; the SDK checks them once more for its own.
            security_settings=TransportSecuritySettings(
                enable_dns_rebinding_protection=True,
                allowed_hosts=[name for host in self._hosts for name in (host, f"{host}:*")],
                allowed_origins=[*settings.cors_origins, *_origins(self._hosts)],
            ),
        )
        self._sessions.append(sessions)
        inner = Starlette(
            routes=[
                Route(PATH, endpoint=StreamableHTTPASGIApp(sessions)),
                Route("/healthz", _healthy, methods=["GET"]),
            ],
            lifespan=lambda _: sessions.run(),
        )
        return Served(application, HttpMessages(inner, application, built, PATH), sessions.run)

    async def _space(self, name: str) -> App:
        assert self._spaces is not None
        return (await self._spaces.get(name)).app

    async def serve(self, listener: socket.socket, started: Callable[[], None]) -> None:
        """Serve until a signal; calls under way get a moment to end."""
        try:
            await serve_http(self.app, listener, started, self.settings, self.readiness)
        finally:
            if self._spaces is not None:
                await self._spaces.close()

    def close(self) -> None:
        for application in self._spaces.applications() if self._spaces is not None else ():
            application.close()
        self.application.close()
        if self._users is not None:
            self._users.close()


def _verifier(settings: Settings, public: str) -> JwtVerifier | None:
    if not settings.team or settings.oauth_issuer is None:
        return None
    return JwtVerifier(settings.oauth_issuer, settings.oauth_audience or (public + PATH,), settings.oauth_keys_url)


def _origins(hosts: list[str]) -> list[str]:
    return [f"{scheme}://{host}{port}" for host in hosts for scheme in ("http", "https") for port in ("", ":*")]


def page_for(application: Application) -> App:
    """The local page; a login link gives access."""
    from rolltop.web import Doorkeeper, owners_secret, page_app  # noqa: PLC0415 - templates take their time

    return page_app(application, Doorkeeper(owners_secret(application.workspace.prepare())))


async def _healthy(request: Request) -> Response:
    return Response(
        orjson.dumps({"status": "ok", "name": "rolltop", "version": __version__}), media_type="application/json"
    )


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


async def serve_http(
    app: App,
    listener: socket.socket,
    started: Callable[[], None],
    settings: Settings,
    readiness: Readiness | None = None,
) -> None:
    """Serve until a signal; calls under way get a moment to end."""
    server = _Server(_config(app, settings), started, readiness=readiness)
    with contextlib.suppress(KeyboardInterrupt):
        await server.serve(sockets=[listener])


def _config(app: App, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=protocol_within(settings.http_body_seconds),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the gate reads them, from named proxies only
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
        timeout_graceful_shutdown=math.ceil(settings.drain_seconds),
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
            if self._in_head and self._received and self._late is None:
                self._wait()  # a head has begun and is not whole, which is seldom

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._in_head = True
            self._stop()

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
            self.scope["state"][WHOLE] = True
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
    gate = Gate(page, LOCAL_NAMES, Authentication(None), page)

    def announce() -> None:
        from rolltop.web.doorkeeper import login_link, write_page_address  # noqa: PLC0415

        write_page_address(settings.workspace, address)
        sys.stderr.write(f"The page of rolltop, for one login: {login_link(settings.workspace, address)}\n")
        sys.stderr.flush()

    plain = replace(settings, tls_certificate=None, tls_key=None)
    await _Server(_config(gate, plain), announce, signals=False).serve(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        started: Callable[[], None],
        *,
        signals: bool = True,
        readiness: Readiness | None = None,
    ) -> None:
        super().__init__(config)
        self._announce, self._signals, self._readiness = started, signals, readiness

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

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._readiness is not None:
            self._readiness.draining.set()
        await super().shutdown(sockets)
