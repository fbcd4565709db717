"""Where an element stands in the input that it came from."""

from __future__ import annotations

from typing import Any

from rolltop.transform.stdlib._ancestry import place_of
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import Node


def _is_document(value: Any) -> bool:
    return isinstance(value, Node) and value.name is None


@function("parent(el: Any): Any", category="serialization", examples=[('parent(parseXml("<a><b/></a>").a)', "null")])
def parent(el: Any) -> Any:
    """The element of an input that contains an element; null for the root and for what the program made.

    Elements that were read as bare text or numbers cannot be told apart and have no parent.
    """
    place = place_of(el)
    return None if place is None or _is_document(place[0]) else place[0]


@function(
    "elementPath(el: Any): String",
    category="serialization",
    examples=[('elementPath(parseXml("<a><b/></a>").a)', '"/a"'), ('elementPath("text")', '"/"')],
)
def element_path(el: Any) -> str:
    """The way to an element from the root of its input, such as /order/item[2]; what the program made has no way."""
    steps: list[str] = []
    place = place_of(el)
    while place is not None:
        holder, name, at = place
        steps.append(f"{name}[{at}]" if at else name)
        place = place_of(holder)
    if not steps and isinstance(el, Node) and el.name is not None:
        steps.append(el.name)
    return "/" + "/".join(reversed(steps))
