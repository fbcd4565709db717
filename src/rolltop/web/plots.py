"""Small plots as SVG: bars over time, and horizontal bars with a target. Drawn on the server, no script, no library.

Every plot comes with the same figures as a table, for people who cannot see it and for copying.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

__all__ = ["Plot", "latency_bars", "named_bars", "time_bars"]

WIDTH, HEIGHT = 480, 120


@dataclass(frozen=True)
class Plot:
    title: str
    svg: Markup
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    series: tuple[str, ...] = ()
    """What the colours mean, where there are several."""


def time_bars(
    title: str,
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[float]]],
    shown: Callable[[float], str] = lambda value: f"{value:g}",
) -> Plot:
    """Stacked bars, one per label; the first series is drawn at the bottom."""
    totals = [sum(values[index] for _, values in series) for index in range(len(labels))]
    top = max(totals, default=0) or 1
    step = min(WIDTH / max(len(labels), 1), 48)
    parts = []
    for index, label in enumerate(labels):
        y = HEIGHT - 18.0
        for number, (name, values) in enumerate(series):
            height = (HEIGHT - 34) * values[index] / top
            if height <= 0:
                continue
            y -= height
            about = escape(f"{label}: {shown(values[index])} {name}")
            parts.append(
                f'<rect class="series-{number}" x="{index * step + 1:.1f}" y="{y:.1f}" '
                f'width="{max(step - 2, 1):.1f}" height="{height:.1f}"><title>{about}</title></rect>'
            )
    every = max(1, len(labels) // 6)
    parts.extend(
        f'<text class="tick" x="{index * step + 2:.1f}" y="{HEIGHT - 4}">{escape(labels[index])}</text>'
        for index in range(0, len(labels), every)
    )
    parts.append(f'<text class="tick" x="0" y="10">{escape(shown(top if totals else 0))}</text>')
    rows = tuple(
        (label, *(shown(values[index]) for _, values in series)) for index, label in enumerate(labels) if totals[index]
    )
    names = tuple(name for name, _ in series)
    return Plot(title, _svg(title, parts, HEIGHT), ("when", *names), rows, names if len(names) > 1 else ())


def latency_bars(title: str, rows: Sequence[tuple[str, float, float, float | None]]) -> Plot:
    """One line per tool: p50 as a bar, p95 as a thin bar, the target as a mark. Times in milliseconds."""
    top = max([max(p95, target or 0) for _, _, p95, target in rows], default=0) or 1
    left, line = 190, 22
    scale = (WIDTH - left - 60) / math.log1p(top)

    def x(milliseconds: float) -> float:
        """Logarithmic: a render takes a thousand times as long as a lookup."""
        return math.log1p(milliseconds) * scale

    parts = []
    for index, (name, p50, p95, target) in enumerate(rows):
        y = index * line
        parts.append(f'<text class="label" x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(name[:28])}</text>')
        parts.append(f'<rect class="series-faint" x="{left}" y="{y + 8}" width="{x(p95):.1f}" height="6"/>')
        parts.append(
            f'<rect class="series-0" x="{left}" y="{y + 5}" width="{max(x(p50), 1):.1f}" height="12">'
            f"<title>{escape(name)}: half within {p50:.1f} ms, 95 % within {p95:.1f} ms</title></rect>"
        )
        if target:
            at = left + x(target)
            parts.append(f'<line class="target" x1="{at:.1f}" x2="{at:.1f}" y1="{y + 2}" y2="{y + 20}"/>')
        end = left + x(max(p95, target or 0)) + 6
        parts.append(f'<text class="tick" x="{end:.1f}" y="{y + 14}">{p50:.0f} ms</text>')
    table = tuple(
        (name, f"{p50:.1f} ms", f"{p95:.1f} ms", f"{target:.0f} ms" if target else "none")
        for name, p50, p95, target in rows
    )
    return Plot(title, _svg(title, parts, max(len(rows) * line, line)), ("tool", "p50", "p95", "target"), table)


def named_bars(
    title: str,
    series: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float]]],
    shown: Callable[[float], str] = lambda value: f"{value:,.0f}",
) -> Plot:
    """One stacked horizontal bar per name."""
    top = max((sum(values) for _, values in rows), default=0) or 1
    left, line = 190, 22
    scale = (WIDTH - left - 60) / top
    parts = []
    for index, (name, values) in enumerate(rows):
        x, y = float(left), index * line
        parts.append(f'<text class="label" x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(name[:28])}</text>')
        for number, value in enumerate(values):
            about = escape(f"{name}: {shown(value)} {series[number]}")
            parts.append(
                f'<rect class="series-{number}" x="{x:.1f}" y="{y + 5}" width="{value * scale:.1f}" height="12">'
                f"<title>{about}</title></rect>"
            )
            x += value * scale
        parts.append(f'<text class="tick" x="{x + 4:.1f}" y="{y + 14}">{shown(sum(values))}</text>')
    table = tuple((name, *(shown(value) for value in values)) for name, values in rows)
    height = max(len(rows) * line, line)
    return Plot(title, _svg(title, parts, height), ("name", *series), table, tuple(series) if len(series) > 1 else ())


def _svg(title: str, parts: Sequence[str], height: float) -> Markup:
    body = "".join(parts)
    return Markup(  # noqa: S704 - every text in it is escaped
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(title)}">{body}</svg>'
    )
