"""`/`: what happens now, what waits, what was kept today, and four plots."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rolltop.web import approvals
from rolltop.web.backend import CLIENT, Backend
from rolltop.web.calls import shown_call
from rolltop.web.plots import Plot, latency_bars, named_bars, time_bars
from rolltop.web.render import bytes_text, respond

__all__ = ["ROUTES"]

DAY = 24 * 3600
TARGETS = {
    "store_document": 500.0,
    "retrieve_document": 100.0,
    "search_documents": 300.0,
    "list_documents": 500.0,
    "grep_documents": 1000.0,
    "get_stats": 200.0,
}
"""Milliseconds that the requirements allow, for the tools that have a target."""


async def index(request: Request) -> Response:
    backend: Backend = request.app.state.backend
    journal = backend.application.workspace.journal
    recent = await asyncio.to_thread(journal.recent, 15, other_than=CLIENT)
    spans = await asyncio.to_thread(journal.spans, time.time() - DAY, other_than=CLIENT)
    stats, kept = await asyncio.gather(_stats(backend), _kept_today(backend))
    data = {
        "calls": [shown_call(row) for row in recent],
        "clients": clients(spans),
        "approvals": approvals.pending(backend),
        "store": stats,
        "kept_today": kept,
        "tokens": tokens(spans),
    }
    plots = [plot for plot in (calls_plot(spans), latency_plot(spans), tokens_plot(spans), storage_plot(stats)) if plot]
    return respond(request, "overview.html", data, plots=plots)


async def _stats(backend: Backend) -> dict[str, Any] | None:
    if not backend.has("get_stats"):
        return None
    outcome = await backend.count("get_stats", {"detailed": True})
    return dict(outcome.data) if outcome.ok else None


async def _kept_today(backend: Backend) -> list[dict[str, Any]]:
    if not backend.has("list_documents"):
        return []
    since = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0).isoformat()
    outcome = await backend.call("list_documents", {"indexed_after": since, "sort_by": "indexed", "limit": 8})
    return list(outcome.get("documents", []))


def clients(spans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The clients of the last day, the latest first."""
    found: dict[str, dict[str, Any]] = {}
    for span in spans:
        client = found.setdefault(span["client"], {"name": span["client"], "calls": 0, "failed": 0, "last": 0.0})
        client["calls"] += 1
        client["failed"] += span["outcome"] == "failed"
        client["last"] = max(client["last"], span["time"])
    return sorted(found.values(), key=lambda client: -client["last"])


def tokens(spans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Estimated tokens by tool and client, the most expensive first."""
    spent: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for span in spans:
        row = spent[span["tool"], span["client"]]
        row[0] += 1
        row[1] += span["tokens_in"] or 0
        row[2] += span["tokens_out"] or 0
    rows: list[dict[str, Any]] = [
        {"tool": tool, "client": client, "calls": count, "tokens_in": read, "tokens_out": written}
        for (tool, client), (count, read, written) in spent.items()
    ]
    return sorted(rows, key=lambda row: -(row["tokens_in"] + row["tokens_out"]))[:12]


def calls_plot(spans: Sequence[Mapping[str, Any]]) -> Plot | None:
    if not spans:
        return None
    now = time.time()
    hours = [now - 3600 * back for back in range(23, -1, -1)]
    good, bad = [0.0] * 24, [0.0] * 24
    for span in spans:
        slot = 23 - min(23, int((now - span["time"]) // 3600))
        (bad if span["outcome"] == "failed" else good)[slot] += 1
    labels = [datetime.fromtimestamp(hour, UTC).strftime("%H:00") for hour in hours]
    return time_bars("Calls and failures per hour", labels, [("calls", good), ("failures", bad)])


def latency_plot(spans: Sequence[Mapping[str, Any]]) -> Plot | None:
    times: dict[str, list[float]] = defaultdict(list)
    for span in spans:
        if span["outcome"] == "ok":
            times[span["tool"]].append(span["seconds"] * 1000)
    if not times:
        return None
    rows = []
    for tool, each in sorted(times.items(), key=lambda item: -len(item[1]))[:8]:
        each.sort()
        rows.append((tool, each[len(each) // 2], each[int(len(each) * 0.95)], TARGETS.get(tool)))
    return latency_bars("Time per tool: half (bar), 95 % (thin), target (line); logarithmic", rows)


def tokens_plot(spans: Sequence[Mapping[str, Any]]) -> Plot | None:
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for span in spans:
        spent[span["tool"]][0] += span["tokens_in"] or 0
        spent[span["tool"]][1] += span["tokens_out"] or 0
    rows = sorted(spent.items(), key=lambda item: -sum(item[1]))[:8]
    if not rows:
        return None
    return named_bars("Tokens per tool", ("in arguments", "in answers"), rows)


def storage_plot(stats: Mapping[str, Any] | None) -> Plot | None:
    """What the documents hold, what of it is stored once, and what that takes on disk."""
    detailed = (stats or {}).get("detailed")
    if not stats or not detailed or not stats["total_bytes"]:
        return None
    rows = (
        ("in documents", [float(stats["total_bytes"])]),
        ("without duplicates", [float(detailed["unique_bytes"])]),
        ("on disk, compressed", [float(detailed["bytes_on_disk"])]),
    )
    return named_bars("Storage: logical and stored", ("bytes",), rows, bytes_text)


ROUTES = (("/", index, ("GET",)),)
