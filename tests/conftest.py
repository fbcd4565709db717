"""What every test may use: a workspace of its own, and real clients over real transports."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# Every run tries the same cases, so that what passes passes again. `make soak` draws new ones; what it finds is
# written down as an `@example`. A machine may be slow at any time.
_SLOWLY = hypothesis_settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.register_profile("same", _SLOWLY, derandomize=True, database=None)
hypothesis_settings.register_profile("search", _SLOWLY, derandomize=False)
hypothesis_settings.load_profile("same")

# A shell starts a job in the background with Ctrl-C ignored, and every process of the tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROLLTOP = [sys.executable, "-m", "rolltop"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def same_logging() -> Iterator[None]:
    """Loggers as they were: a test that configures the log changes nothing for the next one."""
    loggers = [logging.getLogger(name) for name in ("mcp_core", "rolltop", "mcp")]
    before = [(each.level, list(each.handlers)) for each in loggers]
    yield
    for each, (level, handlers) in zip(loggers, before, strict=True):
        each.setLevel(level)
        each.handlers[:] = handlers


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is read or written."""
    return environment_in(tmp_path)


@pytest.fixture(scope="module")
def shared_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An `environment` for all tests of a module."""
    return environment_in(tmp_path_factory.mktemp("shared"))


def environment_in(place: Path) -> dict[str, str]:
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("ROLLTOP_", "MCP_", "UTLX_", "XDG_"))
    }
    home = place / "home"
    home.mkdir()
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "ROLLTOP_WORKSPACE": str(place / "workspace"),
        "ROLLTOP_STORE_MODEL": "wordllama",  # the quicker one; tests/store/test_auto_model.py tests the default
    }


@pytest.fixture
def rolltop(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line as a user would: `rolltop("tools", "list")`."""

    def run(*arguments: str, stdin: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*ROLLTOP, *arguments],
            env={**environment, **env},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


Connect = Callable[..., "contextlib.AbstractAsyncContextManager[Any]"]


@pytest.fixture
def stdio_client(environment: dict[str, str]) -> Connect:
    """`async with stdio_client("--toolsets", "store") as client`: the SDK's client over a real server process.

    `mode` is `legacy` for the 2025 handshake or a protocol version such as `2026-07-28`.
    """

    @contextlib.asynccontextmanager
    async def connect(*arguments: str, env: dict[str, str] | None = None, **options: Any) -> AsyncIterator[Any]:
        from mcp import Client, StdioServerParameters

        command, *rest = [*ROLLTOP, "serve", *arguments]
        server = StdioServerParameters(command=command, args=rest, env={**environment, **(env or {})})
        async with Client(server, **options) as client:
            yield client

    return connect


@pytest.fixture
def http_server(environment: dict[str, str]) -> Iterator[Callable[..., str]]:
    """`http_server("--toolsets", "store")` starts a server and gives its URL; stopped at the end of the test.

    Without a token, unless the test is about tokens (`token=True`, or `--token-file`).
    """
    with _servers(environment) as start:
        yield start


@pytest.fixture(scope="module")
def shared_server(shared_environment: dict[str, str]) -> Iterator[Callable[..., str]]:
    """As `http_server`, for tests that do not disturb each other: those of a module share one server."""
    with _servers(shared_environment) as start:
        urls: dict[str, str] = {}

        def shared(*arguments: str, env: dict[str, str] | None = None) -> str:
            key = repr((arguments, env))
            if key not in urls:
                urls[key] = start(*arguments, env=env)
            return urls[key]

        yield shared


@contextlib.contextmanager
def _servers(environment: dict[str, str]) -> Iterator[Callable[..., str]]:
    running: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, env: dict[str, str] | None = None, token: bool = False) -> str:
        opened = [] if token or {"--token-file", "--team"} & set(arguments) else ["--no-token"]
        process = subprocess.Popen(
            [*ROLLTOP, "serve", "--http", "--port", "0", *opened, *arguments],
            env={**environment, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        running.append(process)
        return _announced_url(process)

    try:
        yield start
    finally:
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stderr is not None
            process.stderr.close()


def _announced_url(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    deadline, seen = time.monotonic() + 120, b""
    while time.monotonic() < deadline:
        if select.select([process.stderr], [], [], 1)[0]:
            chunk = os.read(process.stderr.fileno(), 65536)
            seen += chunk
            for line in seen.splitlines():
                if line.startswith(b"rolltop listens on "):
                    return line.rpartition(b" ")[2].decode()
            if not chunk:
                break
    raise AssertionError(f"the server did not start: {seen.decode(errors='replace')}")


@pytest.fixture
def free_port() -> int:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
