"""A picture of related documents: the document in the middle, its neighbours around it, the reason on each edge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

__all__ = ["Drawing", "drawn"]

WIDTH, HEIGHT = 720, 400
MOST = 12


@dataclass(frozen=True)
class Drawing:
    svg: Markup
    left_out: int


def drawn(centre: str, related: Sequence[Mapping[str, Any]]) -> Drawing:
    """The nearest documents on an ellipse, the strongest on top."""
    shown = [each for each in related if each.get("path")][:MOST]
    parts = []
    for index, each in enumerate(shown):
        angle = -math.pi / 2 + 2 * math.pi * index / len(shown)
        x, y = WIDTH / 2 + 250 * math.cos(angle), HEIGHT / 2 + 150 * math.sin(angle)
        width = 1 + 2 * float(each.get("weight") or 0)
        reason = str(each.get("reason") or ", ".join(each.get("relations") or ()))
        parts.append(
            f'<line class="edge" x1="{WIDTH / 2}" y1="{HEIGHT / 2}" x2="{x:.0f}" y2="{y:.0f}" '
            f'stroke-width="{width:.1f}"><title>{escape(reason)}</title></line>'
        )
        parts.append(
            f'<text class="reason" x="{(WIDTH / 2 + x) / 2:.0f}" y="{(HEIGHT / 2 + y) / 2:.0f}" '
            f'text-anchor="middle">{escape(_short(reason, 26))}</text>'
        )
        parts.append(
            f'<a href="/store/{escape(each["hash"])}"><title>{escape(each["path"])}</title>'
            f'<circle class="node" cx="{x:.0f}" cy="{y:.0f}" r="7"/>'
            f'<text class="label" x="{x:.0f}" y="{y + 22:.0f}" text-anchor="middle">'
            f"{escape(_short(each['path']))}</text></a>"
        )
    parts.append(
        f'<circle class="node centre" cx="{WIDTH / 2}" cy="{HEIGHT / 2}" r="10"/>'
        f'<text class="label strong" x="{WIDTH / 2}" y="{HEIGHT / 2 + 28}" text-anchor="middle">'
        f"{escape(_short(centre))}</text>"
    )
    label = f"Documents related to {centre}"
    svg = f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{escape(label)}">'
    return Drawing(Markup(svg + "".join(parts) + "</svg>"), len(related) - len(shown))  # noqa: S704 - all escaped


def _short(path: str, most: int = 22) -> str:
    return path if len(path) <= most else "…" + path[-most + 1 :]
