"""Threads of tools: reading beside writing, and a share for each caller."""

from __future__ import annotations

import asyncio
import threading

import pytest

from mcp_core.limits import IDLE_SECONDS, MOST_CLIENTS, Callers, ToolThreads

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


async def test_many_names_of_one_client_leave_a_thread_to_whoever_was_there_before() -> None:
    threads, callers, lock = ToolThreads(), Callers(), threading.Event()
    known = callers.share_of("token", "modest")
    names = [callers.share_of("token", f"name {number}") for number in range(100)]
    hogs = [asyncio.create_task(threads.lane("write", name).run(lock.wait)) for name in names for _ in range(4)]
    await asyncio.sleep(0)
    assert callers.share_of("token", "modest") == known
    assert await asyncio.wait_for(threads.lane("write", known).run(lambda: 1), 10) == 1
    lock.set()
    await asyncio.gather(*hogs)


async def test_a_client_that_is_idle_makes_room_and_another_principal_has_its_own() -> None:
    now = [0.0]
    callers = Callers(clock=lambda: now[0])
    first = [callers.share_of("token", number) for number in range(MOST_CLIENTS)]
    assert len(set(first)) == MOST_CLIENTS
    assert callers.share_of("token", "late") == callers.share_of("token", "later")
    assert callers.share_of("other token", "late") != callers.share_of("token", "late")
    now[0] = IDLE_SECONDS + 1
    assert callers.share_of("token", "late") != callers.share_of("token", "latest")


async def test_there_are_no_more_threads_than_work_at_the_same_time() -> None:
    threads, names = ToolThreads(), set()
    for _ in range(300):
        names.add(await threads.lane("write", "a").run(threading.get_ident))
    assert len(names) == 1
