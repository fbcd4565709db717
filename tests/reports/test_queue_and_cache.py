"""Renders wait their turn, equal ones run once, the last waiter's leaving ends the work, results are kept."""

from __future__ import annotations

import asyncio
import itertools
import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import Conflict, LimitExceeded
from rolltop.reports.cache import RenderCache, job_key
from rolltop.reports.job import Figure, Output, Rendered, RenderJob, Watcher, ignore
from rolltop.reports.queue import RenderQueue

DONE = Rendered(
    (Output("html", "x.html", b"page"),), (Figure("f.png", b"png"),), "local", "bwrap", phases={"knit": 1.0}
)


class Work:
    def __init__(self) -> None:
        self.started = self.cancelled = 0
        self.gate = asyncio.Event()

    async def __call__(self, tell: Watcher) -> Rendered:
        self.started += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return DONE


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_equal_work_runs_once(run: Any) -> None:
    async def scenario() -> None:
        queue, work = RenderQueue(2, 2), Work()
        waiters = [asyncio.ensure_future(queue.run("key", work, ignore)) for _ in range(5)]
        await settle()
        work.gate.set()
        assert await asyncio.gather(*waiters) == [DONE] * 5
        assert work.started == 1

    run(scenario())


def test_work_ends_when_the_last_waiter_leaves_and_not_before(run: Any) -> None:
    async def scenario() -> None:
        queue, work = RenderQueue(1, 0), Work()
        first, second = (asyncio.ensure_future(queue.run("key", work, ignore)) for _ in range(2))
        await settle()
        first.cancel()
        await settle()
        assert work.cancelled == 0
        second.cancel()
        await asyncio.wait([first, second])
        assert work.cancelled == 1
        work.gate.set()
        assert await queue.run("key", work, ignore) is DONE

    run(scenario())


def test_a_full_queue_refuses(run: Any) -> None:
    async def scenario() -> None:
        queue, work = RenderQueue(1, 1), Work()
        waiters = [asyncio.ensure_future(queue.run(f"key {n}", work, ignore)) for n in range(2)]
        await settle()
        assert work.started == 1
        with pytest.raises(LimitExceeded, match="2 renders are running or waiting"):
            await queue.run("key 3", work, ignore)
        work.gate.set()
        await asyncio.gather(*waiters)

    run(scenario())


def test_what_decides_the_result_decides_the_key() -> None:
    base = RenderJob("x.Rmd", {"x.Rmd": b"1", "x/a": b"2"}, ("html",))
    others = [
        RenderJob("x.Rmd", {"x.Rmd": b"1", "x/a": b"3"}, ("html",)),
        RenderJob("x.Rmd", {"x.Rmd": b"12", "x/a": b""}, ("html",)),
        RenderJob("x.Rmd", dict(base.files), ("pdf",)),
        RenderJob("x.Rmd", dict(base.files), ("html",), "fast"),
        RenderJob("x.Rmd", dict(base.files), ("html",), params={"a": 1}),
        RenderJob("x.Rmd", dict(base.files), ("html",), figures=True),
    ]
    keys = {job_key(job, "R 4") for job in (base, *others)}
    assert len(keys) == len(others) + 1
    assert job_key(base, "R 4") == job_key(RenderJob("x.Rmd", dict(base.files), ("html",), timeout=1), "R 4")
    assert job_key(base, "R 4") != job_key(base, "R 5")


def test_a_result_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    cache = RenderCache(tmp_path / "cache", 1 << 20)
    assert cache.get("k") is None
    cache.put("k", DONE)
    assert cache.get("k") == DONE
    (tmp_path / "cache" / "k" / "x.html").unlink()
    assert cache.get("k") is None


def test_the_latest_result_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    cache = RenderCache(tmp_path / "cache", 1 << 20)
    later = replace(DONE, outputs=(Output("html", "x.html", b"a later page"),))
    cache.put("k", DONE)
    cache.put("k", later)
    assert cache.get("k") == later
    assert [place.name for place in (tmp_path / "cache").iterdir()] == ["k"]


def test_a_reader_sees_one_result_while_others_take_its_place(tmp_path: Path) -> None:
    cache = RenderCache(tmp_path / "cache", 1 << 20)
    results = [
        Rendered((Output("html", "x.html", text), Output("word", "x.docx", text)), (), "local", "bwrap")
        for text in (b"one", b"two")
    ]
    stop = threading.Event()

    def write() -> None:
        for result in itertools.cycle(results):
            cache.put("k", result)
            if stop.is_set():
                return

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        assert all(seen in (None, *results) for seen in (cache.get("k") for _ in range(500)))
    finally:
        stop.set()
        for writer in writers:
            writer.join()


def test_a_result_that_cannot_be_kept_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the directory should be")
    cache = RenderCache(tmp_path / "cache", 1 << 20)
    cache.put("k", DONE)
    assert cache.get("k") is None


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    cache = RenderCache(tmp_path / "cache", 2500)
    large = Rendered((Output("html", "x.html", b"x" * 1000),), (), "local", "bwrap")
    for key in ("a", "b"):
        cache.put(key, large)
    for place in (tmp_path / "cache").iterdir():
        os.utime(place, (time.time() - 60,) * 2)  # a minute ago
    assert cache.get("a") is not None
    cache.put("c", large)
    cache.prune()
    assert [key for key in "abc" if cache.get(key)] in (["a", "c"], ["c"])


class SlowToEnd(Work):
    """Takes a moment to stop, as R does."""

    async def __call__(self, tell: Watcher) -> Rendered:
        try:
            return await super().__call__(tell)
        except asyncio.CancelledError:
            await asyncio.sleep(0.1)
            raise


def test_work_that_is_being_ended_is_begun_again_for_who_comes_next(run: Any) -> None:
    async def scenario() -> None:
        queue, work = RenderQueue(1, 1), SlowToEnd()
        first = asyncio.ensure_future(queue.run("key", work, ignore))
        await settle()
        first.cancel()
        await settle()
        second = asyncio.ensure_future(queue.run("key", work, ignore))
        await settle()
        work.gate.set()
        assert await second is DONE
        assert first.cancelled()
        assert (work.started, work.cancelled) == (2, 1)

    run(scenario())


def test_a_second_event_loop_is_told_while_the_first_one_renders() -> None:
    queue = RenderQueue(1, 1)
    inside, done = threading.Event(), threading.Event()

    async def long(tell: Watcher) -> Rendered:
        inside.set()
        await asyncio.to_thread(done.wait, 10)
        return DONE

    async def quick(tell: Watcher) -> Rendered:
        return DONE

    first = threading.Thread(target=lambda: asyncio.run(queue.run("a", long, ignore)))
    first.start()
    inside.wait(120)
    with pytest.raises(Conflict, match="another event loop"):
        asyncio.run(queue.run("b", quick, ignore))
    done.set()
    first.join()
    assert asyncio.run(queue.run("b", quick, ignore)) is DONE
