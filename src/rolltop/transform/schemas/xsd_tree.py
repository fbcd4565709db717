"""The elements of an XSD, and how it divides its declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.transform.values import Node

__all__ = ["NAMESPACE", "Counts", "children", "count", "in_order", "inline_types", "kind_of"]

NAMESPACE = "http://www.w3.org/2001/XMLSchema"


def kind_of(node: Node) -> str:
    return (node.name or "").rpartition(":")[2]


def children(node: Mapping[str, Any], *kinds: str) -> Iterator[Node]:
    """Element children in order, of some kinds or all."""
    for key, value in node.items():
        if key.startswith("%") or (kinds and key.rpartition(":")[2] not in kinds):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Node):
                yield item


def in_order(node: Node) -> Iterator[Node]:
    """All element children in the order of the document."""
    if not node.content:
        yield from children(node)
        return
    for piece in node.content:
        if not isinstance(piece, str) and isinstance(piece[1], Node):
            yield piece[1]


@dataclass(frozen=True, slots=True)
class Counts:
    """How a schema divides its declarations: global elements, global types, anonymous inline types."""

    elements: int
    types: int
    inline: int

    @property
    def pattern(self) -> str:
        elements, types, inline = self.elements, self.types, self.inline
        small = elements + inline <= 5 and types <= 5
        rules = (
            (elements == 1 and inline > 0 and types == 0, "russian-doll"),
            (elements >= 2 and types > 0 and small and inline == 0, "swiss-army-knife"),
            (elements >= 1 and types > 0 and not small and inline == 0, "garden-of-eden"),
            (types > 0 and inline > 0 and elements <= 1, "chameleon-schema"),
            (elements >= 2 and types > 0 and inline > 0, "bologna-sandwich"),
            (elements >= 2 and types == 0, "salami-slice"),
            (types > 0 and inline == 0 and elements <= 1, "venetian-blind"),
        )
        return next((name for holds, name in rules if holds), "undetectable")


def count(schema: Mapping[str, Any]) -> Counts:
    elements = sum(1 for _ in children(schema, "element"))
    types = sum(1 for _ in children(schema, "complexType", "simpleType"))
    inline = sum(1 for _ in inline_types(schema))
    return Counts(elements, types, inline)


def inline_types(node: Mapping[str, Any]) -> Iterator[tuple[Node, Node]]:
    """(element, its anonymous complex type), from the outside in."""
    for child in children(node):
        if kind_of(child) == "element":
            for inline in children(child, "complexType"):
                if "name" not in inline.attributes:
                    yield child, inline
        yield from inline_types(child)
