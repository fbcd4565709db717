"""Shared by the benchmarks: CPU time of other processes, tables, results as JSON."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

TICK = os.sysconf("SC_CLK_TCK")
RESULTS = Path(__file__).parent / "results"


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and its waited-for children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[index]) for index in (11, 12, 13, 14)) / TICK


def table(headings: list[str], rows: list[list[Any]]) -> None:
    texts = [headings, *[[f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in texts) for column in range(len(headings))]
    for row in texts:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def save(name: str, result: Any) -> None:
    RESULTS.mkdir(exist_ok=True)
    stamped = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "cores": os.cpu_count(), "result": result}
    (RESULTS / f"{name}.json").write_text(json.dumps(stamped, indent=2) + "\n")
