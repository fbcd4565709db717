"""A picture of a lineage: inputs on the left, what was made of them on the right, calls in between."""

from __future__ import annotations

from collections import defaultdict
from urllib.parse import unquote

from markupsafe import Markup, escape

from rolltop.origin import Lineage, Part

__all__ = ["draw_lineage"]

WIDTH, HEIGHT = 168, 40
"""Of a box."""
STEP_X, STEP_Y = 216, 64
MARGIN = 12
ROOM, SMALLEST = 1140, 0.75
"""Pixels of a wide page, and the scale from which on a picture is scrolled."""
MOST = 60
"""Nodes that a picture can show; the table beside it has all."""


def draw_lineage(found: Lineage) -> Markup | None:
    """Boxes are things, rounded ones calls; None where there is nothing to draw, or too much."""
    nodes: dict[str, tuple[str, str, str]] = {_key(found.thing): _box(found.thing)}
    before: dict[str, list[str]] = defaultdict(list)
    for number, making in sorted(found.makings.items()):
        call = f"call{number}"
        nodes[call] = (making.tool, f"{making.tool}, {making.seconds:.1f} s, by {making.client}", "")
        for part in making.inputs:
            nodes.setdefault(_key(part), _box(part))
            before[call].append(_key(part))
        for part in making.outputs:
            nodes.setdefault(_key(part), _box(part))
            before[_key(part)].append(call)
    if len(nodes) == 1 or len(nodes) > MOST:
        return None
    places = _places(list(nodes), before)
    lines = [_edge(places[start], places[end]) for end, starts in before.items() for start in starts]
    shown = [_node(text, places[key], key == _key(found.thing), key) for key, text in nodes.items()]
    width = max(x for x, _ in places.values()) + WIDTH + MARGIN
    height = max(y for _, y in places.values()) + HEIGHT + MARGIN
    label = f"Where {found.thing.label} came from, and what was made of it"
    scale = max(SMALLEST, min(1.0, ROOM / width))
    svg = (
        f'<svg class="graph lineage" viewBox="0 0 {width} {height}" width="{width * scale:.0f}" '
        f'height="{height * scale:.0f}" role="group" '
        f'aria-label="{escape(label)}"><defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>'
    )
    return Markup(svg + "".join(lines + shown) + "</svg>")  # noqa: S704 - all escaped


def _places(keys: list[str], before: dict[str, list[str]]) -> dict[str, tuple[int, int]]:
    """Columns by the longest way from the sources, rows in the order of appearance."""
    columns: dict[str, int] = {}

    def column(key: str) -> int:
        if key not in columns:
            columns[key] = 0  # what was made from itself ends here
            columns[key] = max((column(each) + 1 for each in before.get(key, ())), default=0)
        return columns[key]

    for key in keys:
        column(key)
    after: dict[str, list[int]] = defaultdict(list)
    for end, starts in before.items():
        for start in starts:
            after[start].append(columns[end])
    rows: dict[int, int] = defaultdict(int)
    places = {}
    for key in keys:
        # A source stands beside the first call that uses it.
        at = columns[key] or max(0, min(after[key], default=0) - 1)
        places[key] = (MARGIN + at * STEP_X, MARGIN + rows[at] * STEP_Y)
        rows[at] += 1
    return places


def _key(part: Part) -> str:
    return f"{part.hash}:{part.uri}"


def _box(part: Part) -> tuple[str, str, str]:
    """Label, title and address of a thing."""
    name = unquote(part.uri.partition("://")[2].lstrip("/")) or f"{part.role} of the call"
    return name, f"{part.role}: {part.label}", f"/made/{part.hash}" if part.uri else ""


def _edge(start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1, x2, y2 = start[0] + WIDTH, start[1] + HEIGHT / 2, end[0], end[1] + HEIGHT / 2
    middle = (x1 + x2) / 2
    return f'<path class="flow" d="M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}" marker-end="url(#tip)"/>'


def _node(text: tuple[str, str, str], place: tuple[int, int], is_centre: bool, key: str) -> str:
    (label, title, address), (x, y) = text, place
    is_call = key.startswith("call")
    kind = "call" if is_call else "thing centre" if is_centre else "thing"
    shape = (
        f'<title>{escape(title)}</title><rect class="{kind}" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" '
        f'rx="{HEIGHT // 2 if is_call else 3}"/><text class="label{" strong" if is_centre else ""}" '
        f'x="{x + WIDTH / 2:.0f}" y="{y + HEIGHT / 2 + 4:.0f}" text-anchor="middle">{escape(_short(label))}</text>'
    )
    return f'<a href="{escape(address)}">{shape}</a>' if address and not is_centre else f"<g>{shape}</g>"


def _short(label: str, most: int = 24) -> str:
    return label if len(label) <= most else "…" + label[-most + 1 :]
