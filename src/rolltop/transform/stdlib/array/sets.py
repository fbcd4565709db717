"""Arrays as sets: distinct elements, membership, unions and differences. Elements compare as with `==`."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.string.tests import has_element
from rolltop.transform.stdlib.texts import identity, selector

_PLAIN = frozenset({str, int, float})


def identities(array: list[Any]) -> list[Hashable]:
    """What stands for each element in sets and dicts; the array itself when its elements do."""
    return array if _PLAIN.issuperset(map(type, array)) else list(map(identity, array))


def distinct_of(array: list[Any]) -> list[Any]:
    if _PLAIN.issuperset(map(type, array)):
        return list(dict.fromkeys(array))
    seen: dict[Hashable, Any] = {}
    for item in array:
        seen.setdefault(identity(item), item)
    return list(seen.values())


@function(
    "unique(array: Array<T>): Array<T>",
    category="array",
    examples=[
        ("unique([1, 2, 1, 1.0, 3])", "[1, 2, 3]"),
        ('unique([{ a: 1 }, { a: 1 }, "1", 1])', '[{ a: 1 }, "1", 1]'),
    ],
)
def unique(array: list[Any]) -> list[Any]:
    """Removes duplicates from an array; the first occurrence stays."""
    return distinct_of(array)


@function(
    "distinct(array: Array<T>): Array<T>", category="array", examples=[('distinct(["a", "b", "a"])', '["a", "b"]')]
)
def distinct(array: list[Any]) -> list[Any]:
    """Removes duplicates from an array; the same as unique."""
    return distinct_of(array)


@function(
    "distinctBy(array: Array<T>, key: String | ((T) => Any)): Array<T>",
    category="array",
    params={"key": "Property name or function that gives what must differ"},
    examples=[
        ("distinctBy([1, 2, 3, 4], x => x % 2)", "[1, 2]"),
        ('distinctBy([{ k: 1, v: "a" }, { k: 1, v: "b" }], r => r.k)', '[{ k: 1, v: "a" }]'),
    ],
)
def distinct_by(array: list[Any], key: str | Callable[[Any], Any]) -> list[Any]:
    """Removes elements with a key that occurred before; the first for every key stays."""
    key_of = selector(key)
    seen: dict[Hashable, Any] = {}
    for item in array:
        seen.setdefault(identity(key_of(item)), item)
    return list(seen.values())


@function(
    "union(left: Array<T>, right: Array<U>): Array<T | U>",
    category="array",
    examples=[("union([1, 2, 2], [2, 3])", "[1, 2, 3]")],
)
def union(left: list[Any], right: list[Any]) -> list[Any]:
    """The distinct elements of two arrays."""
    return distinct_of(left + right)


@function(
    "intersect(left: Array<T>, right: Array): Array<T>",
    category="array",
    examples=[("intersect([1, 2, 2, 3], [2, 3, 4])", "[2, 3]")],
)
def intersect(left: list[Any], right: list[Any]) -> list[Any]:
    """The distinct elements of one array that are in another, too."""
    return distinct_of(_kept(left, right, inside=True))


@function(
    "difference(left: Array<T>, right: Array): Array<T>",
    category="array",
    examples=[("difference([1, 1, 2, 3], [2])", "[1, 1, 3]")],
)
def difference(left: list[Any], right: list[Any]) -> list[Any]:
    """The elements of one array that are not in another; repetitions stay."""
    return _kept(left, right, inside=False)


@function(
    "symmetricDifference(left: Array<T>, right: Array<U>): Array<T | U>",
    category="array",
    examples=[("symmetricDifference([1, 2], [2, 3])", "[1, 3]")],
)
def symmetric_difference(left: list[Any], right: list[Any]) -> list[Any]:
    """The elements that are in one of two arrays only."""
    return _kept(left, right, inside=False) + _kept(right, left, inside=False)


def _kept(array: list[Any], other: list[Any], *, inside: bool) -> list[Any]:
    there = set(identities(other))
    return [item for item, key in zip(array, identities(array), strict=True) if (key in there) is inside]


@function(
    "includes(array: Array, value: Any): Boolean",
    category="array",
    examples=[("includes([1, [2]], [2])", "true"), ('includes([1], "1")', "false")],
)
def includes(array: list[Any], value: Any) -> bool:
    """Whether an element equals a value."""
    return has_element(array, value)


@function(
    "indexOf(array: Array, value: Any): Integer?",
    category="array",
    examples=[('indexOf(["a", "b", "a"], "a")', "0"), ('indexOf(["a"], "z")', "null")],
)
def index_of(array: list[Any], value: Any) -> int | None:
    """The position of the first element that equals a value, or null."""
    wanted = identity(value)
    return next((at for at, item in enumerate(array) if identity(item) == wanted), None)


@function(
    "lastIndexOf(array: Array, value: Any): Integer?",
    category="array",
    examples=[('lastIndexOf(["a", "b", "a"], "a")', "2"), ("lastIndexOf([], 1)", "null")],
)
def last_index_of(array: list[Any], value: Any) -> int | None:
    """The position of the last element that equals a value, or null."""
    wanted = identity(value)
    return next((at for at in range(len(array) - 1, -1, -1) if identity(array[at]) == wanted), None)
