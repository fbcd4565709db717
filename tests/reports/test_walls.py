"""A document cannot take over the warm R that renders the next ones: with both engines, at both privileges."""

from __future__ import annotations

import asyncio
import json
import os
import site
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from rolltop.confine import Limits, Sandbox
from rolltop.confine import run as program_run
from rolltop.errors import LimitExceeded
from rolltop.reports import RenderOptions
from rolltop.reports.containers import ContainerEngine
from rolltop.reports.containers.bootstrap import Bootstrap

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
ORDINARY = 12345

FORGED = r"""{\"ok\":true,\"outputs\":[{\"format\":\"html\",\"data\":\"Rk9SR0VE\"}]}"""
ATTACKS = {
    # Writes answers and requests into every descriptor that it can find.
    "forge": f"""
forged <- "{FORGED}"
frame <- paste0('{{"id":"0","value":', forged, '}}')
for (p in c("self", "1", Sys.getppid())) for (fd in 0:80) try({{
  out <- file(sprintf("/proc/%s/fd/%d", p, fd), "wb")
  writeBin(nchar(frame), out, endian = "big"); writeBin(charToRaw(frame), out); close(out)
}}, silent = TRUE)""",
    # Puts an answering function into the R that later documents are forked from.
    "memory": """
for (p in c(1, Sys.getppid())) {
  maps <- try(readLines(sprintf("/proc/%d/maps", p)), silent = TRUE)
  mem <- try(file(sprintf("/proc/%d/mem", p), "r+b"), silent = TRUE)
  if (!inherits(mem, "try-error")) writeLines("FORGED", "/tmp/note")
}""",
    # Stays behind, to read the next document's data and to write over its page.
    "stay": """
system("setsid sh -c 'while true; do for f in /tmp/*/*/document/*; do echo FORGED > $f; done; touch /tmp/note; done' &")
""",
    # Uses all of its time in a child that does not hear it is over.
    "outlive": """
system("setsid sh -c 'trap \\"\\" TERM INT HUP; while true; do touch /tmp/note; done' & sleep 300")
""",
    # Leaves files where the next document finds them, and closed doors.
    "files": """
writeLines("FORGED", "/tmp/note"); dir.create("/dev/shm/note")
Sys.chmod(paste0("/dev/fd/", 0:20), "000"); system("prlimit --pid 1 --nproc=1:1 --nofile=3:3")
""",
}


def outcomes(who: str, engine: str) -> dict[str, dict[str, Any]]:
    command, environment = [sys.executable], {**os.environ, "PYTHONPATH": str(SOURCE)}
    if who == "ordinary user" and os.geteuid() == 0:
        packages = site.getsitepackages()[0]
        command = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups", "/usr/bin/python3"]
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{SOURCE}:{packages}", "HOME": "/tmp"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    request = {"attacks": ATTACKS, "engine": engine}
    process = subprocess.run(
        [*command, str(HERE / "walls.py")],
        input=json.dumps(request).encode(),
        capture_output=True,
        env=environment,
        cwd="/",
        timeout=600,
        check=False,
    )
    assert process.returncode == 0, process.stderr.decode()[-3000:]
    result: dict[str, dict[str, Any]] = json.loads(process.stdout)
    return result


@pytest.mark.parametrize("engine", ["fast", "rmarkdown"])
@pytest.mark.parametrize("who", ["ourselves", "ordinary user"])
def test_no_document_reaches_the_next_one(who: str, engine: str) -> None:
    for attack, found in outcomes(who, engine).items():
        assert found["right"], attack
        assert found["cached"], attack
        assert not found["forged"], attack
        assert (found["failure"] == "timeout") == (attack == "outlive")
        if attack in ("stay", "outlive"):
            assert not found["reused"]


def test_processes_that_a_document_cannot_have_are_named_as_the_reason(make_reports: Any, run: Any) -> None:
    reports = make_reports(renderer="local", processes=8)
    bomb = "```{r}\nfor (i in 1:60) system('sleep 30 &')\nsystem2('true', stdout = TRUE)\n```\n"
    reports.documents.create("bomb", "Bomb", bomb)
    with pytest.raises(LimitExceeded, match="processes"):
        run(reports.render("bomb", RenderOptions(engine="rmarkdown", timeout=60)))


def bootstrap_folders() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob("rolltop-bootstrap-*"))


@pytest.mark.container
def test_a_cancelled_bootstrap_leaves_no_process_mount_or_folder(container_host: str, run: Any) -> None:
    async def cancelled() -> None:
        began = asyncio.Event()
        bootstrap = Bootstrap(packages=("cancelled",))
        task = asyncio.create_task(bootstrap._import(ContainerEngine(container_host), lambda _: began.set()))
        await asyncio.wait_for(began.wait(), 60)
        assert bootstrap_folders()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancelled())
    assert not bootstrap_folders()
    assert "rolltop-bootstrap" not in Path("/proc/mounts").read_text()
    assert not subprocess.run(["pgrep", "-f", "mmdebstrap.*r-cran-cancelled"], capture_output=True, check=False).stdout


def test_the_rmarkdown_engine_works_without_bubblewrap() -> None:
    page = "f <- tempfile(fileext = '.Rmd'); writeLines('Sum: `r 1 + 1`', f); cat(file.exists(rmarkdown::render(f)))"
    box = Sandbox(Limits(seconds=60), rungs=("landlock",))
    assert b"TRUE" in program_run(["Rscript", "--vanilla", "-e", page], box).check("rmarkdown").stdout
