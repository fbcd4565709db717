"""Batches: revision 2025-03-26 has them, and a server of it has to take them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from raw import HELLO, RawStdio, call
from test_http import LEGACY, send, session

NOTICE = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
ECHO = {"text": "hi"}


def ping(request_id: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": "ping"}


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[[str], RawStdio]]:
    running: list[RawStdio] = []

    def run(revision: str) -> RawStdio:
        env = {**environment, "MCP_INCLUDE_EXAMPLE_TOOLS": "true"}
        server = RawStdio([sys.executable, "-m", "rolltop", "serve"], env, greet=False)
        running.append(server)
        hello = {**HELLO, "protocolVersion": revision}
        server.send({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello})
        assert server.reply("hello")["result"]["protocolVersion"] == revision
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return server

    yield run
    for server in running:
        server.close()


def batch(server: RawStdio, *messages: Any) -> Any:
    server.send(json.dumps(messages).encode())
    line = server.line()
    assert line
    return json.loads(line)


def test_the_answers_to_a_batch_come_together(start: Callable[[str], RawStdio]) -> None:
    server = start("2025-03-26")
    answers = batch(server, ping(1), NOTICE, call("example_echo", ECHO, "two"), {**ping(3), "method": "no/such"}, 7)
    by_id = {answer["id"]: answer for answer in answers}
    assert set(by_id) == {1, "two", 3, None}
    assert by_id["two"]["result"]["isError"] is False
    assert (by_id[3]["error"]["code"], by_id[None]["error"]["code"]) == (-32601, -32600)
    # Notifications alone have no answer, not even an empty one.
    server.send(json.dumps([NOTICE, NOTICE]).encode())
    server.send(ping("next"))
    assert json.loads(server.line() or b"") == {"jsonrpc": "2.0", "id": "next", "result": {}}


def test_what_a_batch_may_not_hold_is_refused(start: Callable[[str], RawStdio]) -> None:
    server = start("2025-03-26")
    assert [answer.get("error", {}).get("code") for answer in batch(server, ping(1), ping(1))] == [-32600, None]
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    assert batch(server, initialize)[0]["error"]["code"] == -32600
    assert batch(server, *map(ping, range(101)))["error"]["code"] == -32600
    assert batch(server)["error"]["code"] == -32600


def test_a_cancelled_call_keeps_no_answer_of_its_batch_waiting(start: Callable[[str], RawStdio]) -> None:
    server = start("2025-03-26")
    server.send(json.dumps([ping(1), call("count_down", {"start": 6, "pause": 10}, "long")]).encode())
    cancel = {"requestId": "long", "reason": "enough"}
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    assert [answer["id"] for answer in json.loads(server.line() or b"")] == [1]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25"])
def test_other_revisions_have_none(start: Callable[[str], RawStdio], revision: str) -> None:
    assert batch(start(revision), ping(1))["error"]["code"] == -32600


def test_a_batch_over_http(http_server: Callable[..., str]) -> None:
    url = http_server(env={"MCP_INCLUDE_EXAMPLE_TOOLS": "true"})
    headers: dict[str, Any] = {**LEGACY, "Mcp_Session_Id": session(url)[0]}

    def post(*messages: Any, **more: Any) -> tuple[int, list[Any]]:
        status, body = send(url, json.dumps(messages), **{**headers, **more})
        return status, [json.loads(line[6:]) for line in body.splitlines() if line.startswith(b"data: {")]

    status, answers = post(ping(1), NOTICE, call("example_echo", ECHO, "two"), 7)
    assert (status, {answer["id"] for answer in answers}) == (200, {1, "two", None})
    assert post(NOTICE, NOTICE) == (202, [])
    assert post(ping(1), ping(2), Mcp_Session_Id="unknown")[0] == 404
    assert post(ping(1), MCP_Protocol_Version="2025-06-18")[0] == 400
    assert post()[0] == 400
