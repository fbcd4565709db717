"""Renders that overlap, are cancelled, repeat, or leave something behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolltop.reports import Engine, RenderOptions, Reports
from rolltop.reports.containers import ContainerEngine
from rolltop.reports.containers.hardening import LABEL, container_config, owner_labels, sweep_orphans
from rolltop.reports.containers.image import Recipe

FAST = RenderOptions(engine="fast", fresh=True)


def processes_below(pid: int) -> list[str]:
    """Command lines of everything that a process started."""
    found, waiting = [], [pid]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            try:
                children = [int(number) for number in task.read_text().split()]
            except OSError:
                continue
            waiting += children
            for child in children:
                command = Path(f"/proc/{child}/cmdline")
                found.append(command.read_bytes().replace(b"\0", b" ").decode() if command.exists() else "")
    return found


def test_an_unchanged_render_comes_from_the_cache_at_once(warm_reports: Reports, run: Any) -> None:
    warm_reports.documents.create("same", "Same", "Words `r 1`\n", overwrite=True)
    first = run(warm_reports.render("same", RenderOptions(engine="fast")))
    before = (warm_reports.outputs.root / "same.html").stat().st_mtime_ns
    again = run(warm_reports.render("same", RenderOptions(engine="fast")))
    assert (first.cached, again.cached) == (False, True)
    assert (warm_reports.outputs.root / "same.html").stat().st_mtime_ns == before
    warm_reports.documents.attach("same", "new.csv", b"x")
    assert not run(warm_reports.render("same", RenderOptions(engine="fast"))).cached


@pytest.mark.parametrize("engine", ["fast", "rmarkdown"])
def test_a_chunk_may_be_cached(warm_reports: Reports, run: Any, engine: Engine) -> None:
    warm_reports.documents.create("kept", "Kept", "```{r cache=TRUE}\nprint(6 * 7)\n```\n", overwrite=True)
    run(warm_reports.render("kept", RenderOptions(engine=engine, fresh=True)))
    assert b"42" in warm_reports.outputs.read("kept.html")


def test_after_a_fresh_render_its_result_is_the_one_that_stands(warm_reports: Reports, run: Any) -> None:
    warm_reports.documents.create("now", "Now", "Now: `r format(Sys.time(), '%H:%M:%OS6')`\n", overwrite=True)
    pages = []
    for fresh in (False, True, False):
        report = run(warm_reports.render("now", RenderOptions(engine="fast", fresh=fresh)))
        pages.append(warm_reports.outputs.read("now.html"))
    assert report.cached
    assert pages[0] != pages[1] == pages[2]


def test_renders_at_once_do_not_mix(make_reports: Callable[..., Reports], run: Any) -> None:
    reports = make_reports(renderer="local", warm=True, slots=2)
    for number in range(4):
        reports.documents.create(
            f"doc{number}", "Doc", f"Answer: `r {number} * 111`\n\n```{{r}}\nplot({number})\n```\n"
        )

    async def all_at_once() -> None:
        jobs = [reports.render(f"doc{number}", FAST) for number in range(4)]
        jobs += [reports.render("doc0", FAST) for _ in range(2)]
        await asyncio.gather(*jobs)

    run(all_at_once())
    for number in range(4):
        assert f"Answer: {number * 111}" in reports.outputs.read(f"doc{number}.html").decode()


def test_cancelling_ends_the_work(make_reports: Callable[..., Reports], run: Any) -> None:
    reports = make_reports(renderer="local")
    reports.documents.create("slow", "Slow", "```{r}\nSys.sleep(600)\n```\n")

    async def cancelled() -> None:
        started = asyncio.Event()
        task = asyncio.ensure_future(reports.render("slow", FAST, lambda event: started.set()))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancelled())
    assert not [command for command in processes_below(os.getpid()) if "render_once" in command]


def test_a_warm_r_that_was_left_dirty_is_not_used_again(make_reports: Callable[..., Reports], run: Any) -> None:
    reports = make_reports(renderer="local", warm=True, slots=1)
    pool = reports.renderers.named("local").pool  # type: ignore[attr-defined]
    leaver = "```{r}\nsystem('sleep 300 &')\nwriteLines('x', '/tmp/left')\n```\n"
    reports.documents.create("leaver", "Leaver", leaver)
    reports.documents.create("finder", "Finder", "Left: `r file.exists('/tmp/left')`, state: `r exists('leaked')`\n")
    reports.documents.create("leaker", "Leaker", "```{r}\nleaked <<- 1\nwriteLines('x', '/tmp/left')\n```\n")

    async def scenario() -> None:
        await pool.ready()
        (first,) = pool.pool_for().ready
        await reports.render("leaker", FAST)
        assert pool.pool_for().ready == (first,)
        await reports.render("finder", FAST)
        await reports.render("leaver", FAST)
        assert first not in pool.pool_for().ready
        assert not first.alive

    run(scenario())
    assert b"Left: FALSE, state: FALSE" in reports.outputs.read("finder.html")
    assert not [command for command in processes_below(os.getpid()) if "sleep 300" in command]


def test_formats_that_the_code_asks_about_are_knitted_one_by_one(warm_reports: Reports, run: Any) -> None:
    text = "Is HTML: `r knitr::is_html_output()`\n"
    warm_reports.documents.create("asks", "Asks", text, overwrite=True)
    report = run(warm_reports.render("asks", RenderOptions(formats=["html", "word"])))
    assert report.knits == 2
    assert b"Is HTML: TRUE" in warm_reports.outputs.read("asks.html")


@pytest.mark.container
def test_a_cancelled_container_is_removed_and_orphans_are_swept(
    make_reports: Callable[..., Reports], container_host: str, run: Any
) -> None:
    reports = make_reports(container_host, renderer="docker")
    engine = ContainerEngine(container_host)
    reports.documents.create("slow", "Slow", "```{r}\nSys.sleep(600)\n```\n")

    async def scenario() -> None:
        started = asyncio.Event()
        task = asyncio.ensure_future(
            reports.render("slow", FAST, lambda e: started.set() if e.phase == "knit" else None)
        )
        await started.wait()
        mine = [c for c in await engine.containers(LABEL) if str(os.getpid()) in c["Labels"]["rolltop.owner"]]
        assert len(mine) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert mine[0]["Id"] not in [c["Id"] for c in await engine.containers(LABEL)]
        labels = {**owner_labels(60), "rolltop.expires": "1"}
        tag = Recipe.of(reports.config).tag
        orphan = await engine.create(container_config(tag, reports.config, labels))
        assert await sweep_orphans(engine) >= 1
        assert orphan not in [c["Id"] for c in await engine.containers(LABEL)]

    run(scenario())
