"""Warm processes and their pool: jobs of a template cannot reach it or each other, and nothing leaks."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conditions import wait_until

from rolltop.confine import Limits, RWorker, Sandbox
from rolltop.confine.channel import Channel
from rolltop.confine.pool import Pool
from rolltop.confine.r import call_request, read_answer, start_r
from rolltop.confine.warm_process import WarmProcess
from rolltop.errors import ForeignFailure, RolltopError, TimeLimit


@pytest.fixture(scope="module", params=["bwrap", "landlock"])
def shared(request: pytest.FixtureRequest) -> Iterator[list[WarmProcess]]:
    """A template that is started again when a test had it ended."""
    made: list[WarmProcess] = []
    yield made
    for process in made:
        process.close()


@pytest.fixture
def template(shared: list[WarmProcess], request: pytest.FixtureRequest) -> WarmProcess:
    rung = request.node.callspec.params["shared"]
    if not shared or not shared[-1].alive:
        shared.append(start_r(Sandbox(Limits(seconds=20), rungs=(rung,)), code="warm <- 7", template=True))
    return shared[-1]


def run(template: WarmProcess, code: str, seconds: float = 20) -> Any:
    return read_answer(template.run_job(call_request(f"function() {{ {code} }}", []), seconds)).value


def test_every_job_gets_a_fresh_copy_of_what_is_warm(template: WarmProcess) -> None:
    assert (
        run(
            template,
            "warm <<- warm + 1; options(digits = 3); writeLines('x', file.path(dirname(tempdir()), 'note')); runif(1)",
        )
        < 1
    )
    assert template.finish_job()
    seen = "list(warm, list.files(dirname(tempdir()), 'note'), list.files(tempdir()), getOption('digits'))"
    assert run(template, seen) == [7, [], [], 7]
    assert template.finish_job()


ATTACKS = {
    "memory": """for (p in c(1, Sys.getpid(), Sys.getppid()))
        try(writeBin(raw(8), file(sprintf('/proc/%d/mem', p), 'r+b')))""",
    "descriptors": """for (fd in 0:60) for (p in c(1, Sys.getppid()))
        try(writeBin(raw(8), file(sprintf('/proc/%d/fd/%d', p, fd), 'wb')))""",
    "next request": """for (fd in 3:9)
        try({ f <- file(paste0('/dev/fd/', fd), 'wb'); writeBin(raw(64), f); close(f) })""",
    "permissions": "Sys.chmod(paste0('/dev/fd/', 0:9), '000')",
    "limits": "system('prlimit --pid 1 --nofile=1 --nproc=1; renice 19 1; kill -STOP 1')",
    "files": """Sys.chmod(tempdir(), '700'); setwd(dirname(tempdir()))
        dir.create('.x/y', recursive = TRUE); file.symlink('/', 'root')""",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_job_reaches_the_next_one(template: WarmProcess, attack: str) -> None:
    try:
        run(template, f"suppressWarnings({{ {ATTACKS[attack]} }}); 1")
        clean = template.finish_job()
    except RolltopError:
        clean = False
    if not clean:  # it was noticed: nobody uses this template again
        template.close()
        return
    assert run(template, "list(warm, system('true'), length(list.files(dirname(tempdir()))))") == [7, 0, 1]
    assert template.finish_job()


def test_the_memory_of_a_template_is_closed_to_its_jobs(template: WarmProcess) -> None:
    opened = run(template, "inherits(suppressWarnings(try(file('/proc/1/mem', 'r+b'), silent = TRUE)), 'file')")
    assert opened is False
    assert template._is_closed_to_jobs()
    assert template.finish_job()


def test_a_job_has_no_descriptor_of_the_template(template: WarmProcess) -> None:
    pipes = "sum(grepl('pipe:', Sys.readlink(list.files('/proc/self/fd', full.names = TRUE))))"
    assert run(template, pipes) <= 4  # its own pair, standard output and error
    assert template.finish_job()


def test_a_template_with_a_leftover_is_not_used_again(template: WarmProcess) -> None:
    assert run(template, "system('setsid sleep 654.5 &'); 1") == 1
    assert not template.finish_job()
    template.close()
    commands = subprocess.run(["pgrep", "-f", "sleep 654.5$"], capture_output=True, check=False).stdout
    assert not commands


@pytest.mark.parametrize("code", ["repeat {}", "Sys.sleep(60)", "system('sleep 60')"])
def test_a_job_that_takes_too_long_is_ended_with_its_sandbox(template: WarmProcess, code: str) -> None:
    with pytest.raises(TimeLimit):
        run(template, code, 0.5)
    assert not template.alive


@pytest.mark.parametrize("code", ["quit('no')", "tools::pskill(Sys.getpid(), 9)", "tools::pskill(Sys.getpid(), 11)"])
def test_a_job_that_ends_without_an_answer_says_so(template: WarmProcess, code: str) -> None:
    with pytest.raises(ForeignFailure, match="ended during the call"):
        run(template, code)


def test_pipes_are_not_closed_while_somebody_writes_to_them() -> None:
    r = RWorker(Sandbox(Limits(seconds=20)))
    r.evaluate("1")
    assert r._resident.process is not None
    channel: Channel = r._resident.process._control
    fd, raised = channel._write, threading.Event()

    def write() -> None:
        with pytest.raises(RolltopError):
            r.call("function(x) Sys.sleep(60)", ["y" * 50_000_000])
        raised.set()

    thread = threading.Thread(target=write)
    thread.start()
    wait_until(lambda: r._resident.process and r._resident.process._use.locked())
    r.close()
    assert raised.is_set() or not thread.join(10)
    assert channel._write == -1
    assert fd >= 0


# The pool


def test_cancelling_while_a_worker_arrives_keeps_the_cancellation_and_the_worker() -> None:
    async def main() -> str:
        pool = Pool(lambda: "worker", lambda _: None, size=1)
        held = await pool.take_async(5)
        waiting = asyncio.create_task(pool.take_async(5))
        await asyncio.sleep(0)
        pool.release(held)  # is delivered in the next turn of the loop
        await asyncio.sleep(0)
        waiting.cancel()  # arrives in the same turn as the worker
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await pool.take_async(1)

    assert asyncio.run(main()) == "worker"


def test_a_pool_makes_spares_and_ends_them() -> None:
    ended: list[int] = []
    numbers = iter(range(10))
    pool = Pool(lambda: next(numbers), ended.append, size=2, spares=1)
    first = pool.take(1)
    pool.join()
    assert pool.ready == (1,)
    pool.lose(first)
    pool.close()
    assert ended == [0, 1]


SERVER = """
import sys
from rolltop.confine import Limits, Sandbox, run
print("ready", flush=True)
while True:
    run(["/usr/bin/sleep", sys.argv[1]], Sandbox(Limits(seconds=0.05)))
"""


def test_a_server_that_is_killed_while_a_sandbox_starts_leaves_nothing(tmp_path: Path) -> None:
    marker = f"7654.{os.getpid()}"
    for number in range(12):
        server = subprocess.Popen([sys.executable, "-c", SERVER, marker], stdout=subprocess.PIPE)
        assert server.stdout is not None
        server.stdout.readline()
        time.sleep(0.15 + 0.007 * number)
        server.send_signal(signal.SIGKILL)
        server.wait()
        server.stdout.close()
    wait_until(lambda: not subprocess.run(["pgrep", "-f", marker], capture_output=True, check=False).stdout)
