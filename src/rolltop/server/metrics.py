"""Counts for monitoring, as `/metrics` gives them: the text format of Prometheus, version 0.0.4."""

from __future__ import annotations

import bisect
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from mcp_core import Call
from rolltop import __version__

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0, 300.0)
_PAGE = os.sysconf("SC_PAGE_SIZE")

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counts calls and HTTP responses; safe in threads. Names of people, documents and arguments are not counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Counter[Labels] = Counter()
        self._seconds: dict[str, list[int]] = {}
        self._sums: Counter[str] = Counter()
        self._responses: Counter[Labels] = Counter()
        self._gauges: dict[str, tuple[str, Callable[[], float]]] = {}
        self.active = 0
        """HTTP requests that are being answered."""
        self._started = time.time()

    def observe(self, call: Call) -> None:
        """Count a tool call."""
        with self._lock:
            self._calls[("toolset", call.toolset), ("tool", call.tool), ("outcome", call.outcome)] += 1
            counts = self._seconds.setdefault(call.toolset, [0] * (len(BUCKETS) + 1))
            counts[bisect.bisect_left(BUCKETS, call.seconds)] += 1
            self._sums[call.toolset] += call.seconds  # type: ignore[assignment]

    def responded(self, status: int) -> None:
        """Count an HTTP response."""
        with self._lock:
            self._responses[(("status", str(status)),)] += 1

    def gauge(self, name: str, meaning: str, value: Callable[[], float]) -> None:
        """Add a figure that is asked for each time."""
        self._gauges[name] = (meaning, value)

    def text(self) -> str:
        """All figures."""
        with self._lock:
            calls, responses = dict(self._calls), dict(self._responses)
            seconds = {key: list(value) for key, value in self._seconds.items()}
            sums = dict(self._sums)
        lines = [
            *_family("rolltop_info", "gauge", "Version of the server.", {(("version", __version__),): 1}),
            *_family("rolltop_start_time_seconds", "gauge", "When the server started.", {(): self._started}),
            *_family("rolltop_calls_total", "counter", "Tool calls by tool and outcome.", calls),
            *_histogram("rolltop_call_seconds", "Seconds that tool calls took, by tool set.", seconds, sums),
            *_family("rolltop_http_responses_total", "counter", "HTTP responses by status.", responses),
            *_family("rolltop_http_requests_active", "gauge", "Requests that are being answered.", {(): self.active}),
            *_family("process_resident_memory_bytes", "gauge", "Memory of the server process.", {(): _memory()}),
            *_family("process_cpu_seconds_total", "counter", "CPU time of the server process.", {(): _cpu()}),
        ]
        for name, (meaning, value) in self._gauges.items():
            lines += _family(name, "gauge", meaning, {(): value()})
        return "\n".join(lines) + "\n"


def _family(name: str, kind: str, meaning: str, values: Mapping[Labels, float]) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
    for labels, value in sorted(values.items()):
        yield f"{name}{_labels(labels)} {value}"


def _histogram(name: str, meaning: str, seconds: Mapping[str, list[int]], sums: Mapping[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} histogram"
    for toolset, counts in sorted(seconds.items()):
        below = 0
        for limit, count in zip((*(f"{each:g}" for each in BUCKETS), "+Inf"), counts, strict=True):
            below += count
            yield f"{name}_bucket{_labels((('toolset', toolset), ('le', limit)))} {below}"
        yield f"{name}_sum{_labels((('toolset', toolset),))} {sums[toolset]:.6f}"
        yield f"{name}_count{_labels((('toolset', toolset),))} {below}"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    shown = (f'{name}="{_escaped(value)}"' for name, value in labels)
    return "{" + ",".join(shown) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _memory() -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except OSError:  # not on this system
        return 0


def _cpu() -> float:
    times = os.times()
    return times.user + times.system
