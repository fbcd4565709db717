"""Shared by the benchmarks: CPU time of other processes, tables, results as JSON."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

TICK = os.sysconf("SC_CLK_TCK")
RESULTS = Path(__file__).parent / "results"


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and its waited-for children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[index]) for index in (11, 12, 13, 14)) / TICK


_tables: list[dict[str, Any]] = []


def table(headings: list[str], rows: list[list[Any]]) -> None:
    """Print a table, and keep it for what `save` writes."""
    _tables.append({"headings": headings, "rows": rows})
    texts = [headings, *[[f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in texts) for column in range(len(headings))]
    for row in texts:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def save(name: str, result: Any) -> None:
    """Write the result with the tables that were shown, and with what it was measured on."""
    RESULTS.mkdir(exist_ok=True)
    kept = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command": " ".join(["python", f"bench/{Path(sys.argv[0]).name}", *sys.argv[1:]]),
        "machine": machine(),
        "versions": versions(),
        "tables": _tables,
        "result": result,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")


def machine() -> dict[str, Any]:
    processors = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "processor": processors[0] if processors else platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "rolltop": version("rolltop"),
    }


PEERS = ("cp", "git", "rg", "jq", "gojq", "mlr", "R", "pandoc", "bwrap")


def versions() -> dict[str, str]:
    """Versions of the packages that this run has loaded, and of the programs that benchmarks are compared with."""
    loaded = {name.partition(".")[0] for name in list(sys.modules)}
    installed = {name for module, names in packages_distributions().items() if module in loaded for name in names}
    return {name: version(name) for name in sorted(installed, key=str.lower)} | {
        name: _program_version(path) for name in PEERS if (path := shutil.which(name))
    }


def _program_version(path: str) -> str:
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+(\.\d+)+", told)
    return found[0] if found else "unknown"
