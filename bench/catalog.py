"""Building against roxygen2, calling against a new Rscript, listing a thousand tools; all in one run.

Builds are compared by the CPU time of whole processes, start and imports included, on the same package:
roxygen2 reads it and writes Rd, ours reads it and writes YAML; neither runs examples.
    .venv/bin/python bench/catalog.py [--quick]
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _measure
from rolltop.catalog import mcptool_build
from rolltop.catalog.live import Catalog, CatalogSettings

QUICK = "--quick" in sys.argv
FUNCTIONS, ROUNDS, CALLS, SCRIPTS, TOOLS = (100, 1, 200, 5, 1000) if QUICK else (400, 2, 500, 9, 1000)

FUNCTION = """
#' Summarise measurement {n}
#'
#' Takes a series of measurements, removes outliers and gives location and spread. Use it
#' before \\code{{\\link{{mcp_tool_measure_{n}}}}} is called with other options.
#'
#' @param values Numeric vector. The measurements, in the order in which they were taken.
#' @param method Character. How to estimate the location.
#' @param trim Numeric. Share of values to leave out at each end, e.g. \\code{{0.1}}.
#' @param label Character string, a name for the series.
#'   Example values: \\code{{"left"}}, \\code{{"right"}}
#' @param .state_env Environment. Kept between calls.
#' @return A list with
#' \\describe{{
#'   \\item{{location}}{{Numeric. The estimate.}}
#'   \\item{{n}}{{Integer. How many values were used.}}
#' }}
#' @examples
#' mcp_tool_measure_{n}(c(1, 2, 3), trim = 0)
#' @keywords mcp-tool mcp-category-measure
#' @export
mcp_tool_measure_{n} <- function(values, method = c("mean", "median"), trim = 0.1, label = "", .state_env = NULL) {{
  method <- match.arg(method)
  location <- if (method == "mean") mean(values, trim = trim) else median(values)
  list(location = location, n = length(values))
}}
"""


def package(root: Path, functions: int) -> Path:
    (root / "R").mkdir(parents=True)
    fields = ["Package: bench", "Title: Bench", "Version: 0.1", "Encoding: UTF-8", "RoxygenNote: 7.2.3"]
    (root / "DESCRIPTION").write_text("\n".join(fields) + "\n")
    for start in range(0, functions, 20):
        text = "".join(FUNCTION.format(n=n) for n in range(start, min(start + 20, functions)))
        (root / "R" / f"measure{start:04}.R").write_text(text)
    return root


def cpu_of(command: list[str]) -> float:
    """CPU seconds of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def building(scratch: Path) -> dict[str, float]:
    ours = "import sys; from rolltop.catalog.build import mcptool_build; mcptool_build(sys.argv[1])"
    theirs = 'suppressMessages(roxygen2::roxygenise(commandArgs(TRUE)[1], roclets = "rd", load_code = "source"))'
    ratios, seconds = [], {"rolltop": [], "roxygen2": []}
    for round_ in range(ROUNDS):
        root = package(scratch / f"build{round_}", FUNCTIONS)
        seconds["rolltop"].append(cpu_of([sys.executable, "-c", ours, str(root)]))
        seconds["roxygen2"].append(cpu_of(["Rscript", "--vanilla", "-e", theirs, str(root)]))
        ratios.append(seconds["roxygen2"][-1] / seconds["rolltop"][-1])
    best = {name: min(values) for name, values in seconds.items()}
    return {
        "ours_ms_per_function": best["rolltop"] / FUNCTIONS * 1000,
        "theirs_ms_per_function": best["roxygen2"] / FUNCTIONS * 1000,
        "ratio": statistics.median(ratios),
    }


def p50(action: Callable[[], Any], times: int, pause: float = 0.0) -> float:
    seconds = []
    for _ in range(times):
        time.sleep(pause)
        began = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def calling(scratch: Path) -> dict[str, float]:
    root = package(scratch / "call", 20)
    mcptool_build(root)
    catalog = Catalog(CatalogSettings(serve=(str(root),)))
    given = {"values": [1.5, 2.5, 4.0], "trim": 0.0}
    script = "source(commandArgs(TRUE)[1]); cat(jsonlite::toJSON(mcp_tool_measure_7(c(1.5, 2.5, 4), trim = 0)))"
    try:
        catalog.call("bench-mcp_tool_measure_7", given, session="bench")
        ours = p50(lambda: catalog.call("bench-mcp_tool_measure_7", given, session="bench"), CALLS)
        stranger = p50(lambda: catalog.call("bench-mcp_tool_measure_7", given), CALLS // 20)
        paused = p50(lambda: catalog.call("bench-mcp_tool_measure_7", given), SCRIPTS, pause=2.0)
    finally:
        catalog.close()
    command = ["Rscript", "--vanilla", "-e", script, str(root / "R" / "measure0000.R")]
    theirs = p50(lambda: subprocess.run(command, check=True, capture_output=True), SCRIPTS)
    seconds = {"ours_ms": ours, "stranger_ms": stranger, "stranger_paused_ms": paused, "rscript_ms": theirs}
    return {name: value * 1000 for name, value in seconds.items()} | {"ratio": theirs / ours}


class RawClient:
    """JSON-RPC lines over a server's pipes: what is measured is the server, not a client library."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._next = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self._next += 1
        self._write({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        assert self.process.stdout is not None
        while True:
            line = self.process.stdout.readline()
            if line.startswith(b"{") and f'"id":{self._next}'.encode() in line.replace(b'": ', b'":'):
                return line

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


def listing(scratch: Path) -> dict[str, float]:
    root = package(scratch / "list", TOOLS)
    mcptool_build(root)
    env = {**os.environ, "ROLLTOP_WORKSPACE": str(scratch / "workspace"), "XDG_CONFIG_HOME": str(scratch)}
    command = [sys.executable, "-m", "rolltop", "serve", "--toolsets", "catalog", "--catalog", str(root)]
    client = RawClient(command, env)
    walls, cpus, count, size = [], [], 0, 0
    for _ in range(12):
        busy, count, cursor, size, waited = _measure.cpu_seconds(client.process.pid), 0, None, 0, 0.0
        while True:
            asked = time.perf_counter()
            line = client.ask("tools/list", {"cursor": cursor} if cursor else {})
            waited += time.perf_counter() - asked
            page = json.loads(line)["result"]
            count, size, cursor = count + len(page["tools"]), size + len(line), page.get("nextCursor")
            if not cursor:
                break
        walls.append(waited)
        cpus.append(_measure.cpu_seconds(client.process.pid) - busy)
    client.process.terminate()
    client.process.wait()
    return {
        "tools": count,
        "kilobytes": size / 1000,
        "wall_ms": min(walls) * 1000,
        "wall_p50_ms": statistics.median(walls) * 1000,
        "cpu_ms": sum(cpus) / len(cpus) * 1000,
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        scratch.chmod(0o755)
        result = {"build": building(scratch), "call": calling(scratch), "list": listing(scratch)}
    build, call, listed = result["build"], result["call"], result["list"]
    ours, theirs = build["ours_ms_per_function"], build["theirs_ms_per_function"]
    paused, stranger = call["stranger_paused_ms"], call["stranger_ms"]
    _measure.table(
        ["", "ours", "peer", "ratio"],
        [
            ["build, CPU ms a function (roxygen2)", ours, theirs, build["ratio"]],
            ["call, p50 ms (new Rscript)", call["ours_ms"], call["rscript_ms"], call["ratio"]],
            ["call without a session, now and then", paused, call["rscript_ms"], call["rscript_ms"] / paused],
            ["call without a session, without a pause", stranger, call["rscript_ms"], call["rscript_ms"] / stranger],
            [f"tools/list, all {listed['tools']} tools, server CPU ms", listed["cpu_ms"], "", ""],
            ["tools/list, all pages, wall ms (best)", listed["wall_ms"], "", ""],
        ],
    )
    _measure.save("catalog", result)


if __name__ == "__main__":
    main()
