"""The elements of an XSD: how it divides its declarations, what names mean, where elements stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from rolltop.transform.schemas.model import universal
from rolltop.transform.values import Node

__all__ = [
    "NAMESPACE",
    "Counts",
    "Names",
    "Place",
    "children",
    "count",
    "in_order",
    "inline_types",
    "is_repeated",
    "kind_of",
    "repeats",
]

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


_TYPES = {
    "string": "string", "boolean": "boolean", "decimal": "decimal", "float": "number", "double": "double",
    "date": "date", "dateTime": "datetime", "time": "time",
    "long": "long", "unsignedLong": "long",
    "byte": "binary", "base64Binary": "binary", "hexBinary": "binary",
} | dict.fromkeys(
    (
        "int", "integer", "short", "positiveInteger", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger",
        "unsignedInt", "unsignedShort", "unsignedByte",
    ),
    "integer",
)  # fmt: skip


class Names:
    """The prefixes and the global declarations of a schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.attributes: Mapping[str, str] = getattr(schema, "attributes", {})
        self.target = self.attributes.get("targetNamespace")
        self.types = {
            type_.attributes["name"]: type_
            for type_ in children(schema, "complexType", "simpleType")
            if "name" in type_.attributes
        }
        self.declared = {
            kind: {node.attributes.get("name", ""): node for node in children(schema, kind)}
            for kind in ("element", "attribute", "group", "attributeGroup")
        }

    def find(self, kind: str, reference: str | None) -> Node | None:
        """The global declaration that a `ref` is about."""
        return self.declared[kind].get(self._own(reference)) if reference else None

    def declaration(self, node: Node) -> Node:
        """What an element or an attribute refers to, else itself."""
        found = self.find(kind_of(node), node.attributes.get("ref"))
        return node if found is None else found

    def own_type(self, name: str | None) -> str | None:
        """The name in `%types` of a type that this schema declares."""
        local = self._own(name) if name else ""
        return local if local in self.types else None

    def described(self, name: str) -> dict[str, Any]:
        """`%type` as it is documented (names of other types stay as they are written), and what it means."""
        prefix, _, local = name.rpartition(":")
        own = self.own_type(name)
        if own is not None:
            return {"%type": name} if own == name else {"%type": name, "%means": {name: own}}
        space = self._space(prefix)
        if space == NAMESPACE or (space is None and prefix in ("", "xs", "xsd")):
            type_, nearest = _TYPES.get(local, local), universal(local)
            known = local in _TYPES and nearest != _TYPES[local] and nearest in ("integer", "long", "float")
            return {"%type": type_, "%means": {type_: nearest}} if known else {"%type": type_}
        return {"%type": name}

    def _space(self, prefix: str) -> str | None:
        return self.attributes.get(f"xmlns:{prefix}" if prefix else "xmlns")

    def _own(self, name: str) -> str:
        """The local part of a name in the schema's own namespace, else nothing."""
        prefix, _, local = name.rpartition(":")
        space = self._space(prefix)
        # Without a prefix and a default namespace it can only be the schema's own, whatever its target.
        return local if space == self.target or (space is None and not prefix) else ""


_MOST_COMPARED = 30


@dataclass(frozen=True, slots=True)
class Place:
    """Where an element stands: whether it is there in every document, whether it may be there more than once; in
    which groups, and in which branches of which choices."""

    sure: bool = True
    many: bool = False
    groups: frozenset[str] = frozenset()
    branches: tuple[tuple[int, int], ...] = ()

    def inside(self, part: Node) -> Place:
        """The place of what stands in a sequence, a choice, or where a group is referred to."""
        sure = self.sure and kind_of(part) != "choice" and part.attributes.get("minOccurs") != "0"
        return replace(self, sure=sure, many=self.many or repeats(part))

    def through(self, group: str) -> Place:
        return replace(self, groups=self.groups | {group})

    def branch(self, choice: int, number: int) -> Place:
        return replace(self, branches=(*self.branches, (choice, number)))

    def excludes(self, other: Place) -> bool:
        """Whether no document has both: they are in two branches of a choice."""
        found = dict(other.branches)
        return any(found.get(choice, number) != number for choice, number in self.branches)


def is_repeated(places: Sequence[Place]) -> bool:
    """Whether an element that is declared in several places may be there more than once because of that."""
    compared = places[:_MOST_COMPARED]
    return len(compared) < len(places) or any(not one.excludes(other) for one, other in combinations(compared, 2))


def repeats(node: Node) -> bool:
    return node.attributes.get("maxOccurs", "1") not in ("0", "1")
