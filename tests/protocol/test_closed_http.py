"""Who may reach the HTTP server: nobody without its token, and nobody with endless headers."""

from __future__ import annotations

import http.client
import json
import socket
import stat
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

EXAMPLES = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}})


def post(url: str, **headers: str) -> int:
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as connection:
        connection.request("POST", parts.path, LIST, {**HEADERS, **headers})
        return connection.getresponse().status


def raw(url: str, *parts: bytes) -> bytes:
    """What the server says to these bytes."""
    where = urlsplit(url)
    with closing(socket.create_connection((where.hostname, where.port), timeout=30)) as connection:
        try:
            for part in parts:
                connection.sendall(part)
            return connection.recv(65536)
        except (ConnectionResetError, BrokenPipeError):
            return b""


def head(target: bytes = b"/mcp", *more: bytes) -> bytes:
    lines = [b"POST " + target + b" HTTP/1.1", b"Host: localhost", b"Content-Type: application/json", *more]
    return b"\r\n".join(lines) + b"\r\n"


def test_a_token_is_made_kept_privately_and_asked_for(
    http_server: Callable[..., str], environment: dict[str, str], rolltop: Any
) -> None:
    url = http_server("--toolsets", "store", token=True)
    file = Path(environment["ROLLTOP_WORKSPACE"]) / "http-token"
    token = file.read_text().strip()
    assert len(token) >= 43
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert post(url) == 401
    assert post(url, Authorization=f"Bearer {token[:-1]}") == 401
    assert post(url, Authorization=f"Bearer {token}") == 200
    assert token in rolltop("connect", "cursor", "--url", url).stdout
    assert token not in rolltop("connect", "cursor", "--url", "https://elsewhere.example/mcp").stdout
    again = http_server("--toolsets", "store", token=True)
    assert post(again, Authorization=f"Bearer {token}") == 200


def test_a_short_token_is_refused(rolltop: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    for short in ("secret", "a" * 64):
        out = rolltop("serve", "--http", "--port", "0", ROLLTOP_HTTP_TOKEN=short)
        assert (out.returncode, "128 random bits" in out.stderr) == (2, True)


def test_a_token_that_others_can_read_is_refused(
    rolltop: Callable[..., subprocess.CompletedProcess[str]], environment: dict[str, str]
) -> None:
    workspace = Path(environment["ROLLTOP_WORKSPACE"])
    workspace.mkdir()
    (workspace / "http-token").write_text("x7" * 20)
    (workspace / "http-token").chmod(0o644)
    out = rolltop("serve", "--http", "--port", "0")
    assert (out.returncode != 0, "can be read by others" in out.stderr) == (True, True)


@pytest.fixture
def url(http_server: Callable[..., str]) -> str:
    return http_server("--toolsets", "store")


def test_headers_trailers_and_targets_are_bounded(url: str) -> None:
    # A client that is still sending may see the connection reset before it reads the 431.
    assert raw(url, head(), b"X-Long: ", *([b"x" * 65536] * 8))[9:12] in (b"431", b"")
    assert raw(url, head(), *(b"X-%d: y\r\n" % number for number in range(20_000)))[9:12] in (b"431", b"")
    chunked = head(b"/mcp", b"Transfer-Encoding: chunked", b"Accept: application/json, text/event-stream")
    trailers = [b"X-Trailer-%d: %s\r\n" % (number, b"y" * 1000) for number in range(400)]
    assert b" 200 " not in raw(url, chunked, b"\r\n", b"2\r\n{}\r\n0\r\n", *trailers, b"\r\n")[:40]
    assert b" 400 " in raw(url, head(b"http://localhost/mcp"), b"Content-Length: 2\r\n\r\n{}")[:40]
    assert post(url, **{"Content-Type": "application/jsonx"}) == 415
    assert post(url) == 200
