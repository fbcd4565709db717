"""Calls over stdio: how many answers may wait for somebody who does not read them."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from rolltop.server.batches import Replies
from rolltop.server.stdiocalls import MOST, StdioCalls

pytestmark = pytest.mark.anyio

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


async def test_a_client_that_does_not_read_is_not_listened_to_until_it_does() -> None:
    reads = asyncio.Event()
    written: list[bytes] = []

    async def write(line: bytes) -> None:
        await reads.wait()
        written.append(line)

    listing: Any = SimpleNamespace(result=lambda cursor, modern: {"tools": []})
    unused: Any = None
    calls = StdioCalls(unused, listing, unused, Replies(write), unused)
    calls.take({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
    for number in range(MOST):
        async with asyncio.timeout(1):
            await calls.room()
        assert calls.take({"jsonrpc": "2.0", "id": number, "method": "tools/list"})
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await calls.room()
    reads.set()
    async with asyncio.timeout(1):
        await calls.room()
    await calls.finished()
    assert len(written) == MOST
