"""What a role may call, on the ways to a tool that no client takes: by search, from another tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_core import ClientInfo
from rolltop.access import Role
from rolltop.errors import PermissionDenied
from rolltop.server.application import Application
from rolltop.server.connection import Connection, tool_context
from rolltop.server.gate import Readiness
from rolltop.server.jsonrpc import dump
from rolltop.server.listing import Listing
from rolltop.server.request_path import RequestPath
from rolltop.settings import load

WRITE = {"name": "x.txt", "content": "x"}


@pytest.fixture
def application(tmp_path: Path) -> Any:
    env = {"HOME": str(tmp_path), "ROLLTOP_WORKSPACE": str(tmp_path / "workspace"), "ROLLTOP_TOOL_MODE": "search"}
    made = Application(load(env=env))
    yield made
    made.close()


def connection(role: Role) -> Connection:
    async def rest(_: Any) -> Any:
        raise AssertionError

    client = ClientInfo("test", "1", "2025-11-25", "memory")
    return Connection(client, "user:rita", None, rest, role=role)  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_call_tool_is_the_call_that_it_means(application: Application) -> None:
    path = RequestPath(application, Listing(application))

    async def call(role: Role, tool: str, arguments: dict[str, Any]) -> str:
        params = {"name": "call_tool", "arguments": {"name": tool, "arguments": arguments}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return dump(await path.answer(message, connection(role))).decode()

    assert "your role is reader" in await call(Role.READER, "store_text", WRITE)
    assert "your role is" not in await call(Role.READER, "list_documents", {})
    assert "your role is" not in await call(Role.WRITER, "store_text", WRITE)
    assert "your role is writer" in await call(Role.WRITER, "mcptool_attach", {"pkg": "stats"})
    listed = await path.answer({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, connection(Role.READER))
    assert "store_text" not in json.dumps(json.loads(dump(listed)))


@pytest.mark.anyio
async def test_a_tool_calls_for_its_caller(application: Application) -> None:
    reading, writing = (tool_context(application, connection(role), {}) for role in (Role.READER, Role.WRITER))
    refused = await application.dispatcher.invoke("store_text", WRITE, reading)
    assert (refused.is_failure, refused.error_type) == (True, "permission_denied")
    with pytest.raises(PermissionDenied):
        reading.refuse_excluded("store_text")
    writing.refuse_excluded("store_text")
    assert not (await application.dispatcher.invoke("store_text", WRITE, writing)).is_failure


def test_a_connection_that_nobody_described_may_only_read() -> None:
    assert Connection(None, "user:x", None, None).role is Role.READER  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_readiness_is_looked_at_once_for_many_who_ask() -> None:
    looks: list[int] = []

    def look() -> None:
        looks.append(1)
        raise OSError("disk full")

    readiness = Readiness(look)
    assert {await readiness.problem() for _ in range(20)} == {"the workspace cannot be used; the log says why"}
    assert len(looks) == 1
    readiness.draining.set()
    assert await readiness.problem() == "the server is going to stop"
