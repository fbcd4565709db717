"""What confinement costs: a warm worker against a call in the same process, a sandbox against a bare program, R.

Run on a machine at rest: `python bench/confine.py`. Waking a process on another, idle processor takes most of the
time of a small call on a virtual machine, so the worker is measured beside its own floor: the same bytes echoed
over a bare socket pair, in the same run, and both once more with everything on one processor.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from _measure import save, table
from rolltop.confine import Limits, RWorker, Sandbox, WorkerPool, run
from rolltop.confine.r import call_request, start_r
from rolltop.errors import ForeignFailure, TimeLimit

PAYLOAD = b"x" * 500
JOB = "zlib:compress"

Row = tuple[str, float, float, str]


def timed(action: Callable[[], object], count: int) -> tuple[float, float]:
    """Median and 99th percentile, in microseconds."""
    took = []
    for _ in range(count):
        start = time.perf_counter_ns()
        action()
        took.append((time.perf_counter_ns() - start) / 1000)
    took.sort()
    return statistics.median(took), took[int(count * 0.99)]


@contextlib.contextmanager
def echo() -> Iterator[Callable[[], object]]:
    """The floor: two processes and a socket pair, nothing else."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        while data := theirs.recv(1 << 16):
            theirs.sendall(data)
        os._exit(0)
    theirs.close()

    def ask() -> bytes:
        ours.sendall(PAYLOAD)
        return ours.recv(1 << 16)

    with ours:
        yield ask
    os.waitpid(pid, 0)


def workers(where: str) -> Iterator[Row]:
    base, tail = timed(lambda: zlib.compress(PAYLOAD), 5000)
    yield f"call in the same process, {where}", base, tail, ""
    with echo() as ask:
        floor, tail = timed(ask, 5000)
    yield f"echo over a bare socket pair, {where}", floor, tail, "the floor"
    with WorkerPool([JOB], size=1) as pool:
        pool.warm_up()
        warm, tail = timed(lambda: pool.call(PAYLOAD), 5000)
    yield (
        f"warm limited worker, {where}",
        warm,
        tail,
        f"{warm - base:.0f} µs over the call, {warm - floor:.0f} over the floor",
    )


def replacement() -> Iterator[Row]:
    took = []
    with WorkerPool(["time:sleep", "os:_exit", JOB], size=1, spares=1) as pool:
        pool.warm_up()
        for _ in range(20):
            with contextlib.suppress(ForeignFailure, TimeLimit):
                pool.call(PAYLOAD, job="os:_exit", timeout=0.001)
            pool._pool.lose(pool._pool.take(1))
            start = time.perf_counter_ns()
            pool.call(PAYLOAD, job=JOB)
            took.append((time.perf_counter_ns() - start) / 1000)
            time.sleep(0.02)
    yield "answer after a worker was killed (a spare)", statistics.median(took), max(took), "goal: 10 ms"
    took = []
    with WorkerPool([JOB], size=1, spares=0) as pool:
        pool.warm_up()
        for _ in range(20):
            pool._pool.lose(pool._pool.take(1))
            start = time.perf_counter_ns()
            pool.call(PAYLOAD)
            took.append((time.perf_counter_ns() - start) / 1000)
    yield "answer after a worker was killed (no spare: fork)", statistics.median(took), max(took), "goal: 10 ms"


def sandboxes() -> Iterator[Row]:
    true = ["/usr/bin/true"]
    base, tail = timed(lambda: subprocess.run(true, check=True), 20)
    yield "a program, bare", base, tail, ""
    for rung in ("bwrap", "landlock"):
        box = Sandbox(Limits(seconds=10), rungs=(rung,))  # type: ignore[arg-type]
        run(true, box).check()
        took, tail = timed(lambda box=box: run(true, box), 20)  # type: ignore[misc]
        yield f"a program, confined by {rung}", took, tail, f"+{(took - base) / 1000:.1f} ms"


def r() -> Iterator[Row]:
    cold, tail = timed(
        lambda: subprocess.run(["Rscript", "--vanilla", "-e", "1+1"], check=True, capture_output=True), 5
    )
    yield "Rscript, cold, bare", cold, tail, ""
    with RWorker(Sandbox(Limits(seconds=20))) as worker:
        worker.evaluate("1")
        took, tail = timed(lambda: worker.call("function(x, y) x + y", {"x": 1, "y": 2}), 1000)
    yield "R worker, warm call", took, tail, f"{cold / took:.0f} times as fast as cold; goal: 1000 µs"
    template = start_r(Sandbox(Limits(seconds=20)), template=True)

    def job() -> None:
        template.run_job(call_request("function(x, y) x + y", {"x": 1, "y": 2}), 20)
        assert template.finish_job()

    took, tail = timed(job, 30)
    template.close()
    yield "R template, a fork for each call", took, tail, f"{cold / took:.0f} times as fast as cold"


def on_one_processor() -> Iterator[Row]:
    """In a process of its own: threads that exist already would keep their processors."""
    script = "import sys, json; import confine; print(json.dumps(list(confine.workers('one processor'))))"
    command = ["taskset", "--cpu-list", "0", sys.executable, "-c", script]
    out = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, check=True, env=os.environ)
    yield from (tuple(row) for row in json.loads(out.stdout))


def main() -> None:
    rows = [*workers("free"), *on_one_processor(), *replacement(), *sandboxes(), *r()]
    table(["", "median µs", "p99 µs", "note"], [list(row) for row in rows])
    save("confine", rows)


if __name__ == "__main__":
    main()
