"""HTTP: who may call, what is refused, and that nothing kills the server."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from conditions import wait_until

sys.path.insert(0, os.path.dirname(__file__))
from test_robustness import mutations

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "example_echo",
}
EXAMPLES = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true"}


def body(**changes: Any) -> str:
    params = {"name": "example_echo", "arguments": {"text": "hi"}, "_meta": META, **changes}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def send(
    url: str, text: str | bytes | None = None, method: str = "POST", path: str | None = None, **headers: str | None
) -> tuple[int, bytes]:
    """Status and body; a header given as None is left out."""
    parts = urlsplit(url)
    merged = {**HEADERS, **{name.replace("_", "-"): value for name, value in headers.items()}}
    kept = {name: value for name, value in merged.items() if value is not None}
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as connection:
        connection.request(method, path or parts.path, body() if text is None else text, kept)
        response = connection.getresponse()
        return response.status, response.read()


@pytest.fixture
def url(shared_server: Callable[..., str]) -> str:
    return shared_server(env=EXAMPLES)


def test_who_may_call(url: str) -> None:
    port = urlsplit(url).port
    assert send(url)[0] == 200
    for origin in (f"http://localhost:{port}", f"http://127.0.0.1:{port}"):
        assert send(url, Origin=origin)[0] == 200, origin
    for origin in (
        "http://evil.example",
        "null",
        "http://localhost.evil.com",
        "file://",
        f"http://evil.example:{port}",
        "",
    ):
        assert send(url, Origin=origin)[0] == 403, origin
    for host in (
        "evil.example",
        f"127.0.0.1.nip.io:{port}",
        "",
        "localhost.evil.com",
        f"[::2]:{port}",
        "127.0.0.1@evil",
    ):
        assert send(url, Host=host)[0] in (400, 421), host
    assert send(url, Host=f"localhost:{port}")[0] == 200
    assert send(url, method="GET", path="/healthz", Host="evil.example")[0] == 421


def test_what_is_refused(url: str) -> None:
    table: list[tuple[int, dict[str, Any]]] = [
        (400, {"Mcp_Name": "other"}),
        (400, {"Mcp_Method": "tools/list"}),
        (400, {"Mcp_Method": None, "Mcp_Name": None}),
        (400, {"MCP_Protocol_Version": "2031-01-01"}),
        (406, {"Accept": "text/html"}),
        (400, {"text": "{nope"}),
        (400, {"text": f"[{body()},{body()}]"}),
        (400, {"text": body(arguments={"text": "x"}).replace('"_meta"', '"_mta"')}),
        (413, {"text": body(arguments={"text": "x" * (5 << 20)})}),
        (405, {"method": "GET", "text": ""}),
        (401, {"path": "/other"}),  # the page, to which nobody is logged in
    ]
    for status, changes in table:
        found, answer = send(url, **changes)
        assert found == status, (changes, found, answer[:200])
        assert b"Traceback" not in answer
    assert send(url, Content_Type="text/plain")[0] in (400, 415)


def test_health(url: str) -> None:
    status, answer = send(url, "", method="GET", path="/healthz")
    assert (status, json.loads(answer)["status"]) == (200, "ok")


def test_a_token_is_checked(http_server: Callable[..., str], tmp_path: Any) -> None:
    (tmp_path / "token").write_text("correct-horse-battery-staple\n")
    url = http_server("--token-file", str(tmp_path / "token"), env=EXAMPLES)
    assert send(url)[0] == 401
    assert send(url, Authorization="Bearer wrong")[0] == 401
    assert send(url, Authorization="Basic correct-horse-battery-staple")[0] == 401
    assert send(url, Authorization="Bearer correct-horse-battery-staple")[0] == 200
    assert send(url, "", method="GET", path="/healthz")[0] == 200


def test_listening_to_the_world_needs_a_token(rolltop: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    out = rolltop("serve", "--http", "--host", "0.0.0.0", "--port", "0", "--no-token")
    assert out.returncode == 2
    assert "needs a token" in out.stderr


def test_a_port_in_use_is_said(rolltop: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        out = rolltop("serve", "--http", "--port", str(taken.getsockname()[1]))
    assert out.returncode == 5
    assert "choose a port" in out.stderr


@pytest.mark.parametrize("count", [2000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_thousands_of_broken_bodies_leave_the_server_well(url: str, count: int) -> None:
    parts = urlsplit(url)
    legacy = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as connection:
        for number, message in enumerate(mutations(2, count)):
            connection.request("POST", parts.path, message, HEADERS if number % 2 else legacy)
            response = connection.getresponse()
            answer = response.read()
            assert response.status < 500, (message, response.status, answer)
            assert b"Traceback" not in answer
    assert send(url)[0] == 200


def test_a_slow_call_is_streamed_and_leaving_cancels_it(url: str) -> None:
    text = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "count_down", "arguments": {"start": 10, "pause": 0.1}, "_meta": META},
        }
    )
    status, answer = send(url, text, Mcp_Name="count_down")
    assert status == 200
    assert b"event: message" in answer
    assert b'"numbers":10' in answer


def test_two_servers_share_one_workspace(http_server: Callable[..., str], rolltop: Any) -> None:
    urls = [http_server(env=EXAMPLES) for _ in range(2)]
    for url in urls * 5:
        assert send(url)[0] == 200

    def recorded() -> int:
        rows = json.loads(rolltop("journal", "-n", "100", "--json").stdout)
        return sum(row["tool"] == "example_echo" for row in rows)

    wait_until(lambda: recorded() == 10)


def test_terminate_ends_the_server(environment: dict[str, str], free_port: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "rolltop", "serve", "--http", "--port", str(free_port)],
        env=environment,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert b"listens" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 0
    process.stderr.close()


WHOAMI_SET = """
from mcp_core import READS, Result, ToolArguments, ToolContext, ToolSet
TOOLSET = ToolSet("whoami", "Says who calls.", modules=("whoami_set",))

@ToolArguments.declare(toolset="whoami", annotations=READS)
async def whoami(ctx: ToolContext) -> Result[str]:
    return Result.ok(str(ctx.principal))
"""


def test_the_token_is_the_principal_on_every_way(http_server: Callable[..., str], tmp_path: Any) -> None:
    info = tmp_path / "site" / "whoami_set-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: whoami-set\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rolltop.toolsets]\nwhoami = whoami_set:TOOLSET\n")
    (tmp_path / "site" / "whoami_set.py").write_text(WHOAMI_SET)
    (tmp_path / "token").write_text("correct-horse-battery-staple\n")
    env = {"PYTHONPATH": str(tmp_path / "site")}
    url = http_server("--token-file", str(tmp_path / "token"), "--toolsets", "whoami", env=env)
    seen = set()
    for meta in (META, {**META, "progressToken": 1}):  # ours, and the SDK's
        text = body(name="whoami", arguments={}, _meta=meta)
        status, answer = send(url, text, Mcp_Name="whoami", Authorization="Bearer correct-horse-battery-staple")
        assert status == 200
        seen.add(answer[answer.index(b'"value":"') :][9:31])
    (principal,) = seen
    assert principal.startswith(b"token-")
    assert b"horse" not in principal


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
LEGACY: dict[str, Any] = {"MCP_Protocol_Version": None, "Mcp_Method": None, "Mcp_Name": None}


def session(url: str) -> tuple[str, dict[str, Any]]:
    """The id of a new session of 2025, and what the server said about itself."""
    parts = urlsplit(url)
    kept = {name: HEADERS[name] for name in ("Content-Type", "Accept")}
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as connection:
        connection.request("POST", parts.path, hello, kept)
        response = connection.getresponse()
        data = next(line for line in response.read().splitlines() if line.startswith(b"data: {"))
        identity = response.headers["mcp-session-id"]
    send(url, '{"jsonrpc":"2.0","method":"notifications/initialized"}', **LEGACY, Mcp_Session_Id=identity)
    return identity, json.loads(data[6:])["result"]


@pytest.mark.parametrize("in_session", [False, True])
def test_what_is_no_message_gets_json_rpcs_own_codes(url: str, in_session: bool) -> None:
    headers = {**LEGACY, "Mcp_Session_Id": session(url)[0]} if in_session else LEGACY
    for text, code, request_id in (
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
        (b'{"id":8,"method":"ping"}', -32600, 8),
        (b"5", -32600, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":9,"method":5}', -32600, 9),
        (b"\xff", -32700, None),
        (b"{", -32700, None),
    ):
        status, answer = send(url, text, **headers)
        said = json.loads(answer)
        assert (status, said["error"]["code"], said["id"]) == (400, code, request_id), text
        assert "pydantic" not in answer.decode()


@pytest.mark.parametrize("extra", ["", "Mcp-Method: tools/call\r\nMCP-Protocol-Version: 2026-07-28\r\n"])
def test_a_body_has_to_arrive_in_time(http_server: Callable[..., str], extra: str) -> None:
    url = http_server(env={**EXAMPLES, "ROLLTOP_HTTP_BODY_SECONDS": "1"})
    parts = urlsplit(url)
    with closing(socket.create_connection((parts.hostname or "", parts.port or 0), timeout=120)) as half:
        head = f"POST /mcp HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n{extra}"
        half.sendall(f"{head}Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{{".encode())
        answer = b""
        while chunk := half.recv(4096):
            answer += chunk
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"within 1 s" in answer
    assert send(url)[0] == 200


def test_the_url_that_is_announced_works(http_server: Callable[..., str], tmp_path: Any) -> None:
    (tmp_path / "token").write_text("correct-horse-battery-staple\n")
    url = http_server("--host", "127.0.0.2", env=EXAMPLES)
    assert urlsplit(url).hostname == "127.0.0.2"
    assert send(url)[0] == 200
    assert send(url, **LEGACY, text='{"jsonrpc":"2.0","id":1,"method":"initialize"}')[0] != 421
    status, answer = send(url, Host="elsewhere.example")
    assert status == 421
    assert b"http_allowed_hosts" in answer
    everywhere = http_server("--host", "0.0.0.0", "--token-file", str(tmp_path / "token"), env=EXAMPLES)
    assert urlsplit(everywhere).hostname == "127.0.0.1"
    assert send(everywhere, Authorization="Bearer correct-horse-battery-staple")[0] == 200


def test_clients_of_2025_are_told_that_lists_change(url: str) -> None:
    _, introduced = session(url)
    capabilities = introduced["capabilities"]
    assert [capabilities[each]["listChanged"] for each in ("tools", "prompts", "resources")] == [True] * 3


def test_a_body_that_is_too_large_is_refused_with_the_setting(url: str) -> None:
    status, said = send(url, body(arguments={"text": "x" * (20 << 20)}))
    assert status == 413
    assert "http_body_limit" in json.loads(said)["error"]["message"]


def test_a_length_that_is_too_large_is_refused_before_anything_came(url: str) -> None:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), 10) as connection:
        lines = [f"POST {parts.path} HTTP/1.1", f"Host: 127.0.0.1:{parts.port}", "Content-Length: 99999999999"]
        lines += [f"{name}: {value}" for name, value in HEADERS.items()]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        assert b" 413 " in connection.recv(200)


def test_headers_have_to_arrive_in_time(http_server: Callable[..., str]) -> None:
    parts = urlsplit(http_server(env={**EXAMPLES, "ROLLTOP_HTTP_BODY_SECONDS": "1"}))
    for begun in (b"", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half"):
        with socket.create_connection((parts.hostname or "", parts.port or 0), 20) as connection:
            connection.sendall(begun)
            with suppress(ConnectionResetError):
                assert connection.recv(100) == b""


def test_a_stream_after_an_event_is_a_stream_from_now_on(url: str) -> None:
    identity, _ = session(url)
    parts = urlsplit(url)
    headers = {"Accept": "text/event-stream", "Mcp-Session-Id": identity, "Last-Event-ID": "7"}
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as connection:
        connection.request("GET", parts.path, headers={**headers, "MCP-Protocol-Version": "2025-06-18"})
        response = connection.getresponse()
        assert response.status == 200
        assert response.getheader("Content-Type", "").startswith("text/event-stream")


@pytest.mark.parametrize("version", ["1999-01-01", "nonsense"])
def test_a_version_that_is_not_supported_is_named(url: str, version: str) -> None:
    status, said = send(url, '{"jsonrpc":"2.0","id":3,"method":"ping"}', MCP_Protocol_Version=version)
    answer = json.loads(said)
    assert (status, answer["id"]) == (400, 3)
    assert version in answer["error"]["message"]
    assert "2025-06-18" in answer["error"]["message"]
