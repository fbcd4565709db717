"""Warm workers: quick, limited, and replaced when lost."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conditions import wait_until, wait_until_async
from hypothesis import given, settings
from hypothesis import strategies as st

from rolltop.confine import WorkerPool
from rolltop.errors import (
    Cancelled,
    ForeignFailure,
    InvalidData,
    InvalidInput,
    MemoryLimit,
    PartMissing,
    Position,
    SizeLimit,
    TimeLimit,
)

HERE = str(Path(__file__).parent)
TOO_LONG = ("spin", "sum", "power", "regex", "sleep")
TOO_MUCH = ("memory", "list", "pieces")
DEADLY = ("segfault", "abort", "exit", "kill")
FORBIDDEN = (
    "read", "write", "list directory", "stat", "network", "fork", "program", "exec", "thread", "kill parent",
    "kill all", "become root", "pipe",
)  # fmt: skip
JOBS = [
    f"jobs:{name}"
    for name in ("upper", "same", "pid", "sleep", "zeros", "remember", "refuse", "fetch", "greedy", "bad")
]


@contextlib.contextmanager
def pool_of(**options: object) -> Iterator[WorkerPool]:
    sys.path.insert(0, HERE)
    try:
        with WorkerPool(JOBS, **options) as pool:  # type: ignore[arg-type]
            pool.warm_up()
            yield pool
    finally:
        sys.path.remove(HERE)


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with pool_of(size=2, timeout=20, memory=100 << 20) as pool:
        yield pool


def test_a_job_answers(pool: WorkerPool) -> None:
    assert pool.call(b"hello") == b"HELLO"
    assert asyncio.run(pool.call_async(b"hello")) == b"HELLO"


def test_a_job_runs_in_another_process_that_stays(pool: WorkerPool) -> None:
    first = int(pool.call(b"", job="jobs:pid"))
    assert first != os.getpid()
    assert first == int(pool.call(b"", job="jobs:pid"))


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=300))
def test_bytes_come_back_as_they_were(pool: WorkerPool, payload: bytes) -> None:
    assert pool.call(payload, job="jobs:same") == payload


@pytest.mark.parametrize("size", [0, 1, 65519, 65520, 65521, 65536, 1 << 18, (1 << 18) - 16, 5_000_000])
def test_any_size_comes_back(pool: WorkerPool, size: int) -> None:
    payload = os.urandom(size)
    assert pool.call(payload, job="jobs:same") == payload
    assert asyncio.run(pool.call_async(payload, job="jobs:same")) == payload


def test_an_error_of_ours_arrives_whole(pool: WorkerPool) -> None:
    with pytest.raises(InvalidData) as caught:
        pool.call(b"", job="jobs:refuse")
    error = caught.value
    assert (error.error_type, error.hint, error.position, error.details) == (
        "PARSE_ERROR",
        "Mend it.",
        Position(3, 7),
        {"n": 1},
    )


def library(name: str) -> bytes | None:
    if name == "broken":
        raise OSError
    return {"small": b"data", "empty": b"", "large": b"x" * 3_000_000}.get(name)


def test_a_job_has_data_files_brought() -> None:
    with pool_of(size=1, timeout=20, library=library) as pool:
        for name, data in (("small", b"data"), ("empty", b""), ("large", b"x" * 3_000_000), ("other", b"none")):
            assert pool.call(name.encode(), job="jobs:fetch") == data + b" 1"
            assert asyncio.run(pool.call_async(name.encode(), job="jobs:fetch")) == data + b" 1"
        many = b"small\nother\nbroken\nempty\n" + b"y" * 300 + b"\nsmall"
        assert pool.call(many, job="jobs:fetch") == b"data|none|none||none|data 1"
        assert asyncio.run(pool.call_async(many, job="jobs:fetch")) == b"data|none|none||none|data 1"
        assert pool.call(b"next") == b"NEXT"


def test_a_pool_without_a_library_brings_nothing(pool: WorkerPool) -> None:
    assert pool.call(b"small", job="jobs:fetch") == b"none 1"


@pytest.mark.parametrize("size", [201, 70_000, 5_000_000])
def test_a_name_that_is_too_long_is_not_looked_for(size: int) -> None:
    asked: list[str] = []
    with pool_of(size=1, timeout=1, library=asked.append) as pool:
        for call in (pool.call, lambda *a, **o: asyncio.run(pool.call_async(*a, **o))):
            with pytest.raises((TimeLimit, SizeLimit, ForeignFailure)):
                call(str(size).encode(), job="jobs:greedy")
            assert pool.call(b"next") == b"NEXT"
    assert asked == []


def test_a_library_that_is_slow_counts_as_time_of_the_job() -> None:
    with pool_of(size=1, timeout=0.5, library=lambda _: time.sleep(1)) as pool:
        with pytest.raises(TimeLimit):
            asyncio.run(pool.call_async(b"small", job="jobs:fetch"))
        with pytest.raises(TimeLimit):
            pool.call(b"small", job="jobs:fetch")
        assert pool.call(b"next") == b"NEXT"


def test_the_workers_say_how_they_are_held(pool: WorkerPool) -> None:
    assert "filter of system calls" in pool.features
    assert "not root" in pool.features


@pytest.mark.parametrize("name", TOO_LONG)
def test_what_takes_too_long_is_ended(pool: WorkerPool, name: str) -> None:
    with pytest.raises(TimeLimit):
        pool.call(name.encode(), job="jobs:bad", timeout=0.3)
    assert pool.call(b"next") == b"NEXT"


@pytest.mark.parametrize("name", TOO_LONG)
def test_what_takes_too_long_is_ended_for_asyncio(pool: WorkerPool, name: str) -> None:
    async def main() -> bytes:
        with pytest.raises(TimeLimit):
            await pool.call_async(name.encode(), job="jobs:bad", timeout=0.3)
        return await pool.call_async(b"next")

    assert asyncio.run(main()) == b"NEXT"


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_needs_too_much_memory_is_told_so(pool: WorkerPool, name: str) -> None:
    with pytest.raises(MemoryLimit):
        pool.call(name.encode(), job="jobs:bad")
    assert pool.call(b"next") == b"NEXT"


@pytest.mark.parametrize("name", DEADLY)
def test_what_ends_its_worker_harms_nobody(pool: WorkerPool, name: str) -> None:
    with pytest.raises(ForeignFailure):
        pool.call(name.encode(), job="jobs:bad")
    assert pool.call(b"next") == b"NEXT"
    with pytest.raises(ForeignFailure):
        asyncio.run(pool.call_async(name.encode(), job="jobs:bad"))
    assert pool.call(b"next") == b"NEXT"


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_worker_can_only_compute(pool: WorkerPool, name: str) -> None:
    with pytest.raises(ForeignFailure, match=r"PermissionError|can't start new thread"):
        pool.call(name.encode(), job="jobs:bad")
    assert pool.call(b"next") == b"NEXT"
    assert not os.path.exists("/tmp/rolltop-worker-was-here")


@pytest.mark.parametrize("name", ["recursion", "system exit"])
def test_other_failures_are_told(pool: WorkerPool, name: str) -> None:
    with pytest.raises(ForeignFailure, match=r"RecursionError|SystemExit"):
        pool.call(name.encode(), job="jobs:bad")


def test_an_answer_over_the_limit_is_refused() -> None:
    with pool_of(size=1, max_answer=1000) as pool:
        assert len(pool.call(b"1000", job="jobs:zeros")) == 1000
        with pytest.raises(SizeLimit):
            pool.call(b"100000", job="jobs:zeros")
        assert pool.call(b"next") == b"NEXT"


def test_workers_can_be_used_once_only() -> None:
    with pool_of(size=1, max_calls=1) as pool:
        assert [pool.call(word, job="jobs:remember") for word in (b"a", b"b", b"c")] == [b"a", b"b", b"c"]


def test_many_threads_share_few_workers(pool: WorkerPool) -> None:
    with ThreadPoolExecutor(16) as threads:
        words = [f"word {number}".encode() for number in range(300)]
        assert list(threads.map(pool.call, words)) == [word.upper() for word in words]


def test_many_tasks_share_few_workers_with_bad_ones_among_them(pool: WorkerPool) -> None:
    async def one(number: int) -> bytes:
        if number % 20 == 7:
            with contextlib.suppress(ForeignFailure):
                await pool.call_async(b"exit", job="jobs:bad")
            return b""
        return await pool.call_async(b"%d" % number, job="jobs:same")

    async def main() -> list[bytes]:
        return await asyncio.gather(*map(one, range(200)))

    expected = [b"" if number % 20 == 7 else b"%d" % number for number in range(200)]
    assert asyncio.run(main()) == expected


def test_threads_and_tasks_wait_for_the_same_workers(pool: WorkerPool) -> None:
    async def main() -> list[bytes]:
        with ThreadPoolExecutor(4) as threads:
            loop = asyncio.get_running_loop()
            blocking = [loop.run_in_executor(threads, pool.call, b"x") for _ in range(20)]
            tasks = [pool.call_async(b"x") for _ in range(20)]
            return [*await asyncio.gather(*blocking), *await asyncio.gather(*tasks)]

    assert asyncio.run(main()) == [b"X"] * 40


def test_a_cancelled_call_frees_its_place() -> None:
    async def main(pool: WorkerPool) -> bytes:
        task = asyncio.create_task(pool.call_async(b"50", job="jobs:sleep"))
        await wait_until_async(lambda: pool._pool._busy)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await pool.call_async(b"next", timeout=40)

    with pool_of(size=1) as pool:
        assert asyncio.run(main(pool)) == b"NEXT"


def test_a_cancelled_wait_loses_no_worker() -> None:
    async def main(pool: WorkerPool) -> bytes:
        busy = asyncio.create_task(pool.call_async(b"2", job="jobs:sleep"))
        await wait_until_async(lambda: pool._pool._busy)
        waiting = [asyncio.create_task(pool.call_async(b"x")) for _ in range(5)]
        await wait_until_async(lambda: len(pool._pool._waiting) == 5 or busy.done())
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await busy
        return await pool.call_async(b"next", timeout=40)

    with pool_of(size=1) as pool:
        assert asyncio.run(main(pool)) == b"NEXT"


def test_waiting_for_a_worker_is_limited_too() -> None:
    with pool_of(size=1) as pool:
        thread = threading.Thread(target=pool.call, args=(b"3",), kwargs={"job": "jobs:sleep"})
        thread.start()
        wait_until(lambda: pool._pool._busy)
        with pytest.raises(TimeLimit):
            pool.call(b"x", timeout=0.2)
        thread.join()
        assert pool.call(b"x") == b"X"


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_worker_that_dies_while_idle_is_replaced() -> None:
    with pool_of(size=1) as pool:
        worker = int(pool.call(b"", job="jobs:pid"))
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: ended(worker))
        assert pool.call(b"next") == b"NEXT"


def test_a_template_that_dies_is_replaced() -> None:
    with pool_of(size=1, spares=0) as pool:
        template = pool._factory._template
        assert template is not None
        worker = int(pool.call(b"", job="jobs:pid"))
        template[0].kill()
        wait_until(lambda: ended(worker))  # with its template
        assert pool.call(b"next") == b"NEXT"


def test_a_lost_worker_is_replaced_each_time() -> None:
    with pool_of(size=1, spares=2) as pool:
        for _ in range(10):
            with contextlib.suppress(ForeignFailure):
                pool.call(b"exit", job="jobs:bad")
            assert pool.call(b"next") == b"NEXT"


def test_a_job_that_cannot_be_imported_is_told() -> None:
    for name in ("no_such_module:f", "json:no_such_function"):
        with WorkerPool([name]) as pool, pytest.raises(PartMissing, match="no_such"):
            pool.call(b"")


def test_wrong_settings_are_refused() -> None:
    for options in ({"jobs": []}, {"jobs": ["x"]}, {"jobs": ["a:b"], "size": 0}, {"jobs": ["a:b"], "timeout": 0}):
        with pytest.raises(InvalidInput):
            WorkerPool(**options)  # type: ignore[arg-type]


def test_an_unknown_job_is_refused(pool: WorkerPool) -> None:
    with pytest.raises(InvalidInput, match="no job"):
        pool.call(b"", job="os:system")


def test_a_closed_pool_leaves_no_process() -> None:
    with pool_of(size=2, spares=2) as pool:
        pids = {int(pool.call(b"", job="jobs:pid")) for _ in range(3)}
        template = pool._factory._template
        assert template is not None
    pids.add(template[0].pid)
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))
    with pytest.raises(Cancelled):
        pool.call(b"x")


def test_a_killed_server_leaves_no_worker_not_even_a_busy_one() -> None:
    code = f"""
import sys, threading
sys.path.insert(0, {HERE!r})
from rolltop.confine import WorkerPool
pool = WorkerPool(["jobs:bad", "jobs:pid"], size=2)
print(pool.call(b"", job="jobs:pid").decode(), flush=True)
pool.call(b"spin")
"""
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert server.stdout is not None
    worker = int(server.stdout.readline())
    server.kill()
    server.wait()
    server.stdout.close()
    wait_until(lambda: not os.path.exists(f"/proc/{worker}"))


def test_a_short_job_leaves_the_thread_where_it_may_run(pool: WorkerPool) -> None:
    before = os.sched_getaffinity(0)
    worker = int(pool.call(b"", job="jobs:pid"))
    assert os.sched_getaffinity(0) == before
    assert len(os.sched_getaffinity(worker)) == 1
    with pytest.raises(TimeLimit):
        pool.call(b"5", job="jobs:sleep", timeout=0.05)
    assert os.sched_getaffinity(0) == before


def test_a_long_job_may_run_anywhere(pool: WorkerPool) -> None:
    worker = int(pool.call(b"", job="jobs:pid"))
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(pool.call, b"0.5", job="jobs:sleep")
        wait_until(lambda: asked.done() or os.sched_getaffinity(worker) == os.sched_getaffinity(0))
        assert not asked.done()
        asked.result()


def test_a_job_of_asyncio_may_run_anywhere(pool: WorkerPool) -> None:
    worker = int(pool.call(b"", job="jobs:pid"))
    assert int(asyncio.run(pool.call_async(b"", job="jobs:pid"))) == worker
    assert os.sched_getaffinity(worker) == os.sched_getaffinity(0)


def test_several_jobs_at_a_time_may_run_anywhere() -> None:
    with pool_of(size=2, timeout=20) as pool, ThreadPoolExecutor(2) as threads:
        workers = {int(pid) for pid in threads.map(lambda _: pool.call(b"", job="jobs:pid"), range(20))}
        list(threads.map(lambda _: pool.call(b"0.3", job="jobs:sleep"), range(2)))
        assert all(os.sched_getaffinity(worker) == os.sched_getaffinity(0) for worker in workers)
