"""From one document to those around it, ring by ring."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rolltop.errors import InvalidInput
from rolltop.store.graph.edges import Edge, Edges, Node

__all__ = ["DEEPEST", "Neighbourhood", "Related", "walk"]

DEEPEST = 5
WIDEST = 25
"""Only so many relations of each kind are followed from one document, the strongest: a hundred near duplicates
leave room for the link."""


@dataclass(frozen=True, slots=True)
class Related:
    """A document that was reached: how far, from where, and why."""

    node: Node
    distance: int
    via: Node
    edges: tuple[Edge, ...]

    @property
    def weight(self) -> float:
        return max(edge.weight for edge in self.edges)


@dataclass(slots=True)
class Neighbourhood:
    """What lies around a document. `complete` is false where a limit left something out."""

    start: Node
    related: list[Related] = field(default_factory=list)
    complete: bool = True
    behind: int = 0


def walk(edges: Edges, start: Node, depth: int, limit: int) -> Neighbourhood:
    """Breadth first: each document once, at its least distance, from the first that reaches it; the strongest first."""
    if not 1 <= depth <= DEEPEST:
        raise InvalidInput(f"depth is between 1 and {DEEPEST}")
    if limit < 1:
        raise InvalidInput("limit is at least 1")
    found = Neighbourhood(start)
    seen = {start.key}
    ring = [start]
    for distance in range(1, depth + 1):
        reached = [related for node in ring for related in _around(edges, node, distance, seen, found)]
        room = limit - len(found.related)
        found.related += reached[:room]
        if len(reached) > room:
            found.complete = False
            break
        ring = [related.node for related in reached]
    found.complete &= edges.all_seen
    return found


def _around(edges: Edges, node: Node, distance: int, seen: set[tuple[int, int]], found: Neighbourhood) -> list[Related]:
    """Documents next to a node that have not been seen; they are seen from now on."""
    groups: dict[tuple[int, int], list[Edge]] = {}
    for edge in edges.of(node):
        groups.setdefault(edge.node.key, []).append(edge)
    fresh, counts = [], Counter[str]()
    for key, group in groups.items():
        room = any(counts[edge.kind] < WIDEST for edge in group)
        counts.update(edge.kind for edge in group)
        if not room:
            found.complete = False
        elif key not in seen:
            seen.add(key)
            fresh.append(Related(group[0].node, distance, node, tuple(group)))
    return fresh
