"""Who is told what has changed: those who are connected, once, and nobody else."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from mcp.server.connection import Connection
from mcp.shared.exceptions import MCPError

from mcp_core import Change, ResourceContent, ToolContext
from rolltop.server.methods import Notifications

pytestmark = pytest.mark.anyio

URI = "note:///news"


class Channel:
    """Keeps what a client was told; it may wait for as long as it likes."""

    def __init__(self, reads: asyncio.Event | None = None) -> None:
        self.told: list[str] = []
        self._reads = reads

    async def send_raw_request(self, method: str, params: Any, opts: Any = None) -> dict[str, Any]:
        raise AssertionError(method)

    async def notify(self, method: str, params: Any, opts: Any = None) -> None:
        if self._reads is not None:
            await self._reads.wait()
        self.told.append(method)


async def read(uri: str, ctx: ToolContext[Any]) -> list[ResourceContent]:
    return [ResourceContent(uri, "the news")]


def news() -> Notifications:
    context = ToolContext(workspace=SimpleNamespace(root=Path("/")), reader=read)
    made = Notifications(SimpleNamespace(list_was_stale=False), lambda _: context)  # type: ignore[arg-type]
    made.loop = asyncio.get_running_loop()
    return made


def request_on(connection: Connection) -> Any:
    """A request of its own, as the SDK makes one for each message of a connection."""
    return SimpleNamespace(session=SimpleNamespace(_connection=connection))


async def changed(
    made: Notifications, kind: Any, uri: str | None = None, until: Callable[[], bool] = lambda: True
) -> None:
    made.from_any_thread(Change(kind, uri))
    for _ in range(20):
        await asyncio.sleep(0)
    assert until()


async def test_a_client_that_has_gone_is_forgotten() -> None:
    made = news()
    connection = Connection.for_loop(Channel())
    await made.connected(request_on(connection), None)
    await made.subscribe(request_on(connection), types.SubscribeRequestParams(uri=URI))
    gone = weakref.ref(connection)
    await connection.exit_stack.aclose()
    del connection
    gc.collect()
    assert gone() is None


async def test_a_client_that_introduces_itself_twice_is_told_once() -> None:
    made, channel = news(), Channel()
    connection = Connection.for_loop(channel)
    for _ in range(2):
        await made.connected(request_on(connection), None)
    await changed(made, "tools")
    assert channel.told == ["notifications/tools/list_changed"]


async def test_a_subscription_ends_when_it_is_ended() -> None:
    made, channel = news(), Channel()
    connection = Connection.for_loop(channel)
    await made.subscribe(request_on(connection), types.SubscribeRequestParams(uri=URI))
    await changed(made, "resource", URI)
    await changed(made, "resource", "rmd:///other.Rmd")
    await made.unsubscribe(request_on(connection), types.UnsubscribeRequestParams(uri=URI))
    await changed(made, "resource", URI)
    assert channel.told == ["notifications/resources/updated"]


async def test_a_client_that_does_not_read_keeps_no_other_waiting() -> None:
    made, never = news(), asyncio.Event()
    slow, quick = Channel(reads=never), Channel()
    for channel in (slow, quick):
        await made.connected(request_on(Connection.for_loop(channel)), None)
    await changed(made, "prompts", until=lambda: quick.told == ["notifications/prompts/list_changed"])
    assert slow.told == []
    never.set()
    await changed(made, "resources", until=lambda: len(slow.told) == 2)


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
@pytest.mark.parametrize("tool", ["store", "reports"])
async def test_a_change_by_another_process_is_told(stdio_client: Any, rolltop: Callable[..., Any], tool: str) -> None:
    told = asyncio.Queue[str]()

    async def heard(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            told.put_nowait(str(message.params.uri))

    uri, change = {
        "store": ("doc://note.md", ("call", "store_text", '{"name": "note.md", "content": "2"}')),
        "reports": ("rmd:///note.Rmd", ("call", "update_rmd", '{"filename": "note", "content": "Another text."}')),
    }[tool]
    async with stdio_client("--toolsets", "store,reports", mode="legacy", message_handler=heard) as client:
        with pytest.raises(MCPError, match="there is no resource"):
            await client.subscribe_resource(uri)
        await client.call_tool("store_text", {"name": "note.md", "content": "1"})
        await client.call_tool("create_rmd", {"filename": "note", "title": "Note", "content": "Text."})
        await client.subscribe_resource(uri)
        done = await asyncio.to_thread(rolltop, *change)
        assert done.returncode == 0, done.stderr
        assert await asyncio.wait_for(told.get(), 60) == uri
