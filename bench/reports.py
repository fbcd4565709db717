"""Rendering: a cold `Rscript -e rmarkdown::render` against ours, in one run, by CPU time.

    python bench/reports.py [rounds]

Processor time counts R, pandoc, LaTeX and typst wherever they run, and this process; wall time is the best
of the rounds. The document is the documented usage example (a plot and a summary).
"""

from __future__ import annotations

import asyncio
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from _measure import save, table
from rolltop.confine import run_async
from rolltop.confine.kernel.process import descendants
from rolltop.reports import RenderOptions, Reports, ReportsConfig
from rolltop.reports.job import RenderJob
from rolltop.reports.r_code import ONCE, bootstrap, code_line
from rolltop.reports.renderers.local import sandbox_for

EXAMPLE = Path(__file__).parents[1] / "tests/reports/example.Rmd"
SCRIPTS = Path(__file__).parents[1] / "src/rolltop/reports/r"
FORMATS = {"html": "html_document", "word": "word_document", "pdf": "pdf_document"}
TICK = 100
"""Clock ticks a second in /proc; the same on every Linux."""


Work = Callable[[], Awaitable[object]]


@dataclass
class Took:
    cpu: float
    wall: float


def cpu_now() -> float:
    """Seconds of processor time: ours, of what we waited for, and of everything that still runs below us."""
    own = time.process_time()
    waited = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = 0
    for pid in descendants(os.getpid()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        running += sum(int(number) for number in fields[11:15])
    return own + waited.ru_utime + waited.ru_stime + running / TICK


async def measure(works: dict[str, Work], rounds: int) -> dict[str, Took]:
    """Median processor time and best wall time of each; they take turns, so that a busy machine hurts all alike.

    A first round that warms up is not counted.
    """
    taken: dict[str, list[Took]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            before, began = cpu_now(), time.perf_counter()
            await work()
            if number:
                taken[name].append(Took(cpu_now() - before, time.perf_counter() - began))
    return {
        name: Took(statistics.median(t.cpu for t in all_), min(t.wall for t in all_)) for name, all_ in taken.items()
    }


async def cold(folder: Path, form: str) -> None:
    """As a user would: a new R that renders once."""
    code = f"rmarkdown::render('{folder / 'example.Rmd'}', '{FORMATS[form]}', quiet = TRUE)"
    process = await asyncio.create_subprocess_exec("Rscript", "-e", code, stdout=subprocess.DEVNULL)
    assert await process.wait() == 0


async def own_script(*, confined: bool) -> float:
    """Processor seconds of our own script in a new R, inside the sandbox or not.

    What runs inside is counted by the shell around it: a sandbox is killed as a whole, and then nobody is told.
    """
    job = RenderJob("example.Rmd", {"example.Rmd": EXAMPLE.read_bytes()}, ("html",))
    code = bootstrap('file("stdin","r")', "render_once(readLines(input,1L))")
    argv = ["bash", "-c", 'Rscript --vanilla -e "$0" >/dev/null; times', code]
    data = code_line(ONCE) + job.request() + b"\n"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if confined:
        said = (await run_async(argv, sandbox_for(ReportsConfig(), 120), input=data)).check().stdout
    else:
        pipe = subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        said, _ = await process.communicate(data)
    inside = sum(float(m) * 60 + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", said.decode()))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    around = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return inside + around if confined else around


async def run(rounds: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "example.Rmd").write_bytes(EXAMPLE.read_bytes())
        ours = "known <- new.env(); our_file <- identity; ours <- list(directory = '.')"
        lend = f"{ours}; source({str(SCRIPTS / 'exact.R')!r}); setwd({str(folder)!r}); stand_in_for_framed()"
        process = await asyncio.create_subprocess_exec("Rscript", "-e", lend)  # so that the peer makes the same PDF
        await process.wait()
        config = ReportsConfig(slots=2, renderer="local")
        reports = Reports(folder / "rmd", config, cache=folder / "cache", engine_host="unix:///nowhere")
        for number in range(4):
            reports.documents.create(f"example{number or ''}", "Example", EXAMPLE.read_text() + "\n" * number)
        pool = reports.renderers.named("local").pool  # type: ignore[attr-defined]
        await pool.ready(count=2)
        try:
            return await _compare(reports, folder, rounds)
        finally:
            reports.close()


async def _compare(reports: Reports, folder: Path, rounds: int) -> dict[str, object]:
    rows: dict[str, object] = {}
    for form in FORMATS:
        works: dict[str, Work] = {f"{form}: cold Rscript": partial(cold, folder, form)}
        for engine in ("rmarkdown", "fast"):
            options = RenderOptions(formats=[form], engine=engine, fresh=True)  # type: ignore[list-item,arg-type]
            works[f"{form}: ours warm, {engine}"] = partial(reports.render, "example", options)
        _rows(rows, await measure(works, rounds))
    repeat = (await measure({"repeat": partial(reports.render, "example")}, rounds * 4))["repeat"]
    _rows(rows, {"unchanged repeat": repeat})
    _rows(rows, await measure(_four_at_once(reports, folder), 3))
    pairs = [(await own_script(confined=False), await own_script(confined=True)) for _ in range(rounds + 3)]
    plain, held = (min(column) for column in zip(*pairs, strict=True))
    print(f"sandbox adds {100 * (held / plain - 1):.1f} % cpu to a cold html render")
    rows["sandbox adds"] = {"percent_cpu": 100 * (held / plain - 1)}
    return rows


def _four_at_once(reports: Reports, folder: Path) -> dict[str, Work]:
    names = [f"example{number or ''}" for number in range(4)]
    # Each in a directory of its own: two rmarkdown renders of one file remove each other's figures.
    apart = [folder / f"apart-{name}" for name in names]
    for each in apart:
        each.mkdir()
        (each / "example.Rmd").write_bytes(EXAMPLE.read_bytes())
    fresh = RenderOptions(fresh=True)
    return {
        "4 at once, html: cold Rscript": lambda: asyncio.gather(*(cold(each, "html") for each in apart)),
        "4 at once, html: ours warm, rmarkdown": lambda: asyncio.gather(*(reports.render(n, fresh) for n in names)),
    }


def _rows(rows: dict[str, object], taken: dict[str, Took]) -> None:
    """Print and keep what was taken; the first one is what the others are compared with."""
    base = next(iter(taken.values()))
    shown = []
    for name, took in taken.items():
        times = base.cpu / took.cpu
        rows[name] = {"cpu_ms": took.cpu * 1000, "wall_ms": took.wall * 1000, "times_faster_cpu": times}
        shown.append([name, took.cpu * 1000, took.wall * 1000, times])
    table(["", "CPU ms", "wall ms", "times as fast, by CPU"], shown)


if __name__ == "__main__":
    save("reports", asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else 7)))
