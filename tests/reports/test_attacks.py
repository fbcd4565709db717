"""Documents that mean harm, in every place: contained, named, and nothing left behind."""

from __future__ import annotations

import contextlib
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rolltop.errors import MemoryLimit, SizeLimit
from rolltop.reports import RenderFailure, RenderOptions, Reports
from rolltop.reports.containers import ContainerEngine
from rolltop.reports.containers.hardening import LABEL

pytestmark = pytest.mark.container

PROBES = """\
```{{r}}
try_to <- function(what, expr) {{
  outcome <- tryCatch({{ force(expr); "DONE" }}, error = function(e) "held", warning = function(w) "held")
  cat(what, outcome, "\\n")
}}
try_to("connect", close(socketConnection("127.0.0.1", {port}, timeout = 2, open = "r+")))
try_to("resolve", stopifnot(!is.null(nsl("example.org"))))
try_to("read-canary", readLines("{canary}"))
try_to("read-shadow", readLines("/etc/shadow"))
try_to("list-homes", stopifnot(length(list.files(c("/root", "/home"), all.files = TRUE, no.. = TRUE)) > 0))
for (place in c("/usr/x", "/etc/x", "/var/x", "/opt/x", "/x", "{canary}")) {{
  try_to(paste("write", place), writeLines("x", place))
}}
try_to("become-root", stopifnot(system("su -c true </dev/null >/dev/null 2>&1") == 0))
try_to("mount", stopifnot(system("mount -t tmpfs none /tmp >/dev/null 2>&1") == 0))
invisible(file.symlink("/etc/passwd", "stolen.html"))
suppressWarnings(try(for (i in 1:200) writeBin(raw(1e6), paste0("/tmp/fill-", i)), silent = TRUE))
filled <- ceiling(sum(file.size(Sys.glob("/tmp/fill-*"))) / 1e6)
invisible(file.remove(Sys.glob("/tmp/fill-*")))
cat("filled", filled, "\\n")
suppressWarnings(try(for (i in 1:200) system("sleep 3 &"), silent = TRUE))
cat("forked", length(grep("^[0-9]+$", list.files("/proc"))), "\\n")
Sys.sleep(4)
```
"""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        yield server


def test_network_files_disk_and_processes_are_held(
    everywhere: Reports, run: Any, tmp_path: Path, listener: socket.socket
) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("secret")
    canary.chmod(0o666)
    text = PROBES.format(port=listener.getsockname()[1], canary=canary)
    everywhere.documents.create("probe", "Probe", text, overwrite=True)
    run(everywhere.render("probe", RenderOptions(engine="fast", timeout=60)))
    page = everywhere.outputs.read("probe.html").decode()
    outcomes = dict(re.findall(r"## (\S.*) (held|DONE)", page))
    assert len(outcomes) == 13
    assert [what for what, outcome in outcomes.items() if outcome != "held"] == []
    numbers = {name: int(count) for name, count in re.findall(r"## (filled|forked) (\d+)", page)}
    assert numbers["filled"] <= 67  # the scratch space has 64 MiB
    assert numbers["forked"] < 128  # 64, the sandbox's own, R's, and what ended elsewhere under the same user
    assert canary.read_text() == "secret"
    with pytest.raises(TimeoutError):
        listener.accept()


def test_memory_beyond_the_limit_is_refused(everywhere: Reports, run: Any) -> None:
    everywhere.documents.create("big", "Big", "```{r}\nx <- numeric(3e8)\nx[] <- 1\n```\n", overwrite=True)
    with pytest.raises(MemoryLimit):
        run(everywhere.render("big", RenderOptions(engine="fast", timeout=60)))


def test_output_beyond_the_limit_is_refused(everywhere: Reports, run: Any) -> None:
    flood = "```{r}\ndir.create('figure')\nwriteBin(raw(2e7), 'figure/flood.png')\n```\n"
    everywhere.documents.create("flood", "Flood", flood, overwrite=True)
    with pytest.raises(SizeLimit):
        run(everywhere.render("flood", RenderOptions(engine="fast", timeout=60)))
    assert "flood.html" not in [output.name for output in everywhere.outputs.all()]


def test_code_that_kills_what_it_can_reach_hurts_only_itself(everywhere: Reports, run: Any) -> None:
    killer = "```{r}\nfor (pid in c(1, Sys.getppid(), -1)) tools::pskill(pid, 9)\nquit('no')\n```\n"
    everywhere.documents.create("killer", "Killer", killer, overwrite=True)
    with pytest.raises((RenderFailure, MemoryLimit)):
        run(everywhere.render("killer", RenderOptions(engine="fast", timeout=60)))


def test_code_that_stops_what_started_it_hurts_only_itself(everywhere: Reports, run: Any) -> None:
    stopper = "```{r}\ntools::pskill(Sys.getppid(), 19)\nsystem('kill -STOP 1')\n1 + 1\n```\n"
    everywhere.documents.create("stopper", "Stopper", stopper, overwrite=True)
    with contextlib.suppress(RenderFailure, MemoryLimit):
        run(everywhere.render("stopper", RenderOptions(engine="fast", timeout=60)))
    everywhere.documents.create("after", "After", "```{r}\n40 + 2\n```\n", overwrite=True)
    run(everywhere.render("after", RenderOptions(engine="fast", timeout=60)))
    assert "42" in everywhere.outputs.read("after.html").decode()


def test_no_container_is_left(container_host: str, run: Any) -> None:
    left = run(ContainerEngine(container_host).containers(LABEL))
    mine = [each for each in left if each["Labels"]["rolltop.owner"].endswith(f":{os.getpid()}")]
    assert mine == []  # other test processes may be rendering right now
