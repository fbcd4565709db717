"""Start a server from its settings: environment, logging, event loop, transports."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Coroutine, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_core.decorator import PREFIX_VARIABLE
from mcp_core.log import configure
from rolltop.base.streams import Wire
from rolltop.errors import InvalidInput
from rolltop.server.application import Application
from rolltop.server.listing import Listing
from rolltop.server.trusted_proxies import TrustedProxies
from rolltop.settings import Settings

if TYPE_CHECKING:
    from rolltop.server.request_path import RequestPath
    from rolltop.server.sdk import Built
    from rolltop.server.stdio import Early

__all__ = ["DEFAULT_PREFIX", "_configure_environment", "run_http", "run_stdio", "start_logging"]


DEFAULT_PREFIX = "guide"


def _configure_environment(env: MutableMapping[str, str] | None = None) -> bool:
    """Set `MCP_TOOL_PREFIX` to `guide` unless it is set, also to the empty string; true if it was not set.

    This default applies to the guide tools only: the names of the other tool sets are fixed.
    """
    env = os.environ if env is None else env
    if PREFIX_VARIABLE in env:
        return False
    env[PREFIX_VARIABLE] = DEFAULT_PREFIX
    return True


def start_logging(settings: Settings) -> None:
    """Configure logging by the settings. A new log file is readable by its owner only: it holds arguments and paths."""
    file = settings.log_file
    if file is not None:
        try:
            os.close(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            source = settings.sources.get("log_file", "default")
            raise InvalidInput(
                f"the setting log_file from {source} cannot be used: {file}: {error.strerror}",
                hint="Name a file in a directory that is there and can be written.",
            ) from None
    configure(settings.log_level, file=file, as_json=settings.log_format == "json")


logger = logging.getLogger("rolltop.server")

T = TypeVar("T")

TURN = 0.001
"""Python's thread switch interval in seconds. An answer passes through several threads; with the default of 5 ms it
would wait that long each time a background thread is busy."""

TOOL_THREADS = 32
"""Threads of the default executor; asyncio's default is six on a small machine."""


def run_stdio(
    application: Application,
    wire: Wire,
    early: Early | None = None,
    ready: Callable[[Built], None] | None = None,
) -> None:
    """Serve one client over the claimed descriptors, then end the process.

    `ready` is called when the SDK is loaded, in the thread that loaded it.
    """
    from rolltop.server.stdio import serve_stdio  # noqa: PLC0415 - asyncio is not free

    def build(path: RequestPath) -> Built:
        from rolltop.server.sdk import build  # noqa: PLC0415 - the SDK costs most of a second

        built = build(application, path, "stdio")
        if ready is not None:
            ready(built)
        return built

    async def load(path: RequestPath) -> Built:
        return await asyncio.to_thread(build, path)

    failure = _run(_beside_page(serve_stdio(application, Listing(application), wire, load, early), application))
    application.close()
    if failure is not None:
        sys.stderr.write(f"rolltop: answers cannot be written to standard output: {failure.strerror}\n")
    _leave(1 if failure else 0)


async def _beside_page(serving: Coroutine[Any, Any, T], application: Application) -> T:
    """Serve the page too, if the settings enable it."""
    if not application.settings.page:
        return await serving
    from rolltop.server.http import serve_page  # noqa: PLC0415 - starlette and templates take their time

    page = asyncio.create_task(serve_page(application))
    page.add_done_callback(_page_ended)
    try:
        return await serving
    finally:
        page.cancel()


def _page_ended(page: asyncio.Task[None]) -> None:
    if not page.cancelled() and (error := page.exception()) is not None:
        logger.error("the page cannot be served: %s", error)


def run_http(settings: Settings, announce: Callable[[str], None], *, no_token: bool = False) -> None:
    """Serve over HTTP; `announce` gets the URL once the server listens."""
    start_logging(settings)
    settings = checked_team(settings)
    from rolltop.server.http import PATH, HttpServer, bind, http_token, is_everywhere  # noqa: PLC0415

    token = http_token(settings, no_token=no_token)
    listener = bind(settings.http_host, settings.http_port)
    host, port = listener.getsockname()[:2]
    called = ("::1" if ":" in host else "127.0.0.1") if is_everywhere(host) else host
    shown = f"[{called}]" if ":" in called else called
    url = f"{'http' if settings.tls_certificate is None else 'https'}://{shown}:{port}"
    server = HttpServer(settings, host, url, token)
    _run(server.serve(listener, partial(announce, url + PATH)))
    server.close()
    _leave()


def checked_team(settings: Settings) -> Settings:
    """The settings of an HTTP server; raises `InvalidInput` for those that make no sense together.

    A team's server opens no files of this machine unless the settings name roots: its users are elsewhere.
    """
    if settings.oauth_issuer is not None and not settings.team:
        raise InvalidInput("oauth_issuer goes with team", hint="Start the server with --team, or set team = true.")
    if (settings.tls_certificate is None) != (settings.tls_key is None):
        raise InvalidInput("tls_certificate and tls_key go together", hint="Name both files, or none.")
    for file in (settings.tls_certificate, settings.tls_key):
        if file is not None and not file.is_file():
            raise InvalidInput(f"the file {file} for TLS is not there", hint="See tls_certificate and tls_key.")
    TrustedProxies(settings.trusted_proxies)  # raises for what is no address
    if settings.team and "roots" not in settings.sources:
        return replace(settings, roots=(settings.exports,))
    return settings


def _run(main: Coroutine[Any, Any, T]) -> T:
    sys.setswitchinterval(TURN)
    try:
        import uvloop  # noqa: PLC0415 - not there on every platform
    except ImportError:
        runner = asyncio.Runner()
    else:
        runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    # Not used as a context manager: closing the runner would wait for all tool threads.
    runner.get_loop().set_default_executor(ThreadPoolExecutor(TOOL_THREADS, "tool"))
    return runner.run(main)


def _leave(code: int = 0) -> None:
    """End the process without waiting for tools that are still busy in threads."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:  # closed by the parent
                stream.flush()
    busy = [thread for thread in threading.enumerate() if not thread.daemon and thread is not threading.main_thread()]
    if busy:
        logger.info("leaving %d busy threads behind", len(busy))
    os._exit(code)
