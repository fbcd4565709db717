"""Nothing piles up in the server: no descriptors, no threads, no processes, no directories."""

import contextlib
import gc
import os
import random
import re
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conditions import wait_until

from rolltop.confine import Limits, RWorker, Sandbox, Scratch, WorkerPool, run
from rolltop.confine.r import call_request, start_r
from rolltop.errors import RolltopError

HERE = str(Path(__file__).parent)


def held() -> tuple[int, int, int]:
    gc.collect()
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return len(os.listdir("/proc/self/fd")), threading.active_count(), len(children)


def settled(before: tuple[int, int, int]) -> bool:
    return wait_until(lambda: all(now <= then for now, then in zip(held(), before, strict=True)))


def rolltop_directories() -> set[str]:
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("rolltop-job-")}


def test_runs_leave_nothing() -> None:
    run(["/bin/true"])
    run(["/bin/true"], Sandbox(rungs=("landlock",)))
    before = held()
    for rung in ("bwrap", "landlock"):
        for script in ("exit 0", "yes", "sleep 60 & sleep 60"):
            box = Sandbox(Limits(seconds=0.3, output=1000), rungs=(rung,))
            run(["/bin/sh", "-c", script], box)
        with contextlib.suppress(RolltopError):
            run(["no-such-program"], Sandbox(rungs=(rung,)))
    assert settled(before)


def test_a_start_that_fails_leaves_no_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    box = Sandbox(rungs=("landlock",))
    run(["/bin/true"], box)
    before = set(os.listdir(tempfile.gettempdir()))
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(OSError, match="nowhere"):
        run(["/bin/true"], box)
    left = set(os.listdir(tempfile.gettempdir())) - before
    assert not [name for name in left if re.fullmatch(r"rolltop-[a-z0-9_]{8}", name) and owned_by_us(name)]


def owned_by_us(name: str) -> bool:
    place = Path(tempfile.gettempdir(), name)
    return place.exists() and not any(place.joinpath("tmp").iterdir())


def test_pools_leave_nothing() -> None:
    run(["/bin/true"])
    before = held()
    for _ in range(3):
        with WorkerPool(["zlib:compress", "time:sleep"], size=2) as pool:
            for _ in range(5):
                pool.call(b"x")
                with contextlib.suppress(RolltopError):
                    pool.call(b"x", job="time:sleep")
    assert settled(before)


def test_r_leaves_nothing() -> None:
    run(["/bin/true"])
    before, directories = held(), rolltop_directories()
    with Scratch(), RWorker(Sandbox(Limits(seconds=20))) as worker:
        worker.evaluate("1")
        with contextlib.suppress(RolltopError):
            worker.evaluate("quit('no')")
        worker.evaluate("1")
    for code in ("1", "quit('no')", "stop()"):
        template = start_r(Sandbox(Limits(seconds=20)), template=True)
        with contextlib.suppress(RolltopError):
            template.run_job(call_request(f"function() {code}", []), 20)
            template.finish_job()
        template.close()
    assert settled(before)
    assert rolltop_directories() <= directories


@pytest.mark.soak
def test_a_storm_of_good_and_bad_jobs_harms_nobody() -> None:
    sys.path.insert(0, HERE)
    bad = [b"spin", b"pieces", b"segfault", b"exit", b"recursion", b"fork", b"abort", b"list"]

    def one(number: int) -> bool:
        if random.random() < 0.2:
            with contextlib.suppress(RolltopError):
                pool.call(random.choice(bad), job="jobs:bad", timeout=0.2)
            return True
        payload = os.urandom(random.randrange(100_000))
        return pool.call(payload, job="jobs:same", timeout=60) == payload

    try:
        with WorkerPool(["jobs:same", "jobs:bad"], size=4, spares=2) as pool, ThreadPoolExecutor(16) as threads:
            assert all(threads.map(one, range(5000)))
    finally:
        sys.path.remove(HERE)
