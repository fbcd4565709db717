"""Where the elements of an XSD stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from rolltop.transform.schemas.xsd_tree import kind_of
from rolltop.transform.values import Node

__all__ = ["Place", "is_repeated", "repeats"]

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
