"""The original UTL-X was measured once, on another machine. Peers that were measured there too are the bridge.

`ORIGINAL` and `THERE` are what was measured there (CPU; microseconds for one small document, seconds for files, of
100 MB of JSON array and 50 MB of XML). A peer that needs `here` on this machine and needed `there` on that one says how
long the original would need here: `original * here / there`.
"""

from __future__ import annotations

from typing import Any

ORIGINAL = {"small, µs": 52.6, "array": 11.9, "xml": 10.0}
THERE = {
    "small, µs": {"jsonata-js": 76.6, "hand-written Python": 4.15},
    "array": {"jq": 14.7, "jq 1.8": 10.4, "gojq": 5.41, "hand-written Python": 1.39, "duckdb, 1 thread": 0.85},
    "xml": {"saxon": 5.63, "hand-written Python": 2.05},
}
TARGETS = {"small, µs": 10.0, "array": 12.0, "xml": 4.0}
HEADINGS = ["job", "original there", "bridge", "there", "here", "original here", "rolltop", "times ours", "target"]


def bridged(rows: list[dict[str, Any]], scale: float) -> list[list[Any]]:
    """For every bridge that was measured: the original's time here, and how many times ours that is."""
    found = {(row["job"], row["engine"]): row["cpu"] for row in rows}
    lines = []
    for job, original in ORIGINAL.items():
        part = 1.0 if job.startswith("small") else scale
        ours = found.get((job, "rolltop"))
        for bridge, there in THERE[job].items():
            here = found.get((job, bridge))
            if ours is not None and here is not None:
                times = original * here / there
                lines.append(
                    [job, original * part, bridge, there * part, here, times, ours, times / ours, TARGETS[job]]
                )
    return lines
