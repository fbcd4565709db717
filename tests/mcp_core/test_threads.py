"""Threads of tools: reading beside writing, and a share for each caller."""

from __future__ import annotations

import asyncio
import threading

import pytest

from mcp_core.threads import ToolThreads

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_writers_that_wait_leave_readers_their_threads() -> None:
    threads, lock = ToolThreads(4), threading.Event()
    writers = [asyncio.create_task(threads.lane("write", "a").run(lock.wait)) for _ in range(64)]
    await asyncio.sleep(0)
    assert await asyncio.wait_for(threads.lane("read", "a").run(lambda: 1), 10) == 1
    lock.set()
    assert await asyncio.gather(*writers) == [True] * 64


async def test_one_caller_leaves_threads_to_another() -> None:
    threads, lock = ToolThreads(4), threading.Event()
    hogs = [asyncio.create_task(threads.lane("write", "hog").run(lock.wait)) for _ in range(64)]
    await asyncio.sleep(0)
    assert await asyncio.wait_for(threads.lane("write", "other").run(lambda: 1), 10) == 1
    lock.set()
    await asyncio.gather(*hogs)


async def test_work_whose_caller_left_never_starts() -> None:
    threads, lock, started = ToolThreads(2), threading.Event(), []
    busy = asyncio.create_task(threads.lane("write", "a").run(lock.wait))
    await asyncio.sleep(0)
    left = asyncio.create_task(threads.lane("write", "a").run(lambda: started.append(1)))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.wait([left])
    lock.set()
    await busy
    assert await threads.lane("write", "a").run(lambda: 2) == 2
    assert not started


async def test_a_caller_computes_one_piece_at_a_time_and_another_one_beside_it() -> None:
    threads, lock, started = ToolThreads(), threading.Event(), []

    def hold() -> bool:
        started.append(1)
        return lock.wait()

    hogs = [asyncio.create_task(threads.computing("tools", "hog").run(hold)) for _ in range(64)]
    await asyncio.sleep(0)
    assert await asyncio.wait_for(threads.computing("tools", "other").run(lambda: 1), 10) == 1
    assert len(started) == 1
    lock.set()
    await asyncio.gather(*hogs)
