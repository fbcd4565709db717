"""Changing the shape of data: grouping, nesting, looking up, unnesting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.array.join import Key, by_key, group
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.rules import element
from rolltop.transform.stdlib.texts import group_key, selector
from rolltop.transform.types import ANY, ArrayType, ObjectType, Type
from rolltop.transform.values import Node, kind_of

_KEY = {"key": "Property name or function"}


@function(
    "groupBy(array: Array<T>, key: String | ((T) => Any)): Map<Array<T>>",
    category="array",
    params=_KEY,
    examples=[
        (
            'groupBy([{ c: "x", n: 1 }, { c: "y", n: 2 }, { c: "x", n: 3 }], "c") |> mapValues(g => count(g))',
            "{ x: 2, y: 1 }",
        ),
        ("groupBy([1, 2, 3], n => n % 2)", '{ "1": [1, 3], "0": [2] }'),
    ],
)
def group_by(array: list[Any], key: Key) -> dict[str, list[Any]]:
    """An object with an array of elements for every value of a key; the key's text names the property."""
    return group(array, key)


@function(
    "mapGroups(array: Array<T>, key: String | ((T) => Any), fn: ({ key: String, value: Array<T> }) => U): Array<U>",
    category="array",
    params=_KEY | {"fn": "Called with { key, value } for every group; value holds its elements"},
    examples=[
        (
            'mapGroups([{ c: "x" }, { c: "y" }, { c: "x" }], "c", g => { c: g.key, n: count(g.value) })',
            '[{ c: "x", n: 2 }, { c: "y", n: 1 }]',
        )
    ],
)
def map_groups(array: list[Any], key: Key, fn: Callable[[Any], Any]) -> list[Any]:
    """Groups the elements by a key and gives what a function makes of every group."""
    return [fn({"key": name, "value": members}) for name, members in group(array, key).items()]


@function(
    "lookupBy(value: Any, table: Array<T>, key: String | ((T) => Any)): T?",
    category="array",
    params=_KEY,
    examples=[
        ('lookupBy("b", [{ k: "a", v: 1 }, { k: "b", v: 2 }], r => r.k)', '{ k: "b", v: 2 }'),
        ('lookupBy("z", [{ k: "a" }], "k")', "null"),
        ('lookupBy(null, [{ v: "no key" }], "k")', "null"),
    ],
)
def lookup_by(value: Any, table: list[Any], key: Key) -> Any:
    """The first row of a table whose key has the text of a value, or null; null is no key."""
    if value is None:
        return None
    wanted = group_key(value)
    key_of = selector(key)
    for row in table:
        found = key_of(row)
        if found is not None and group_key(found) == wanted:
            return row
    return None


def _nest_type(arguments: Sequence[Type]) -> Type | None:
    # The name of the new property is a value, not a type: it counts among the unknown fields.
    parent = element(arguments[0])
    if not isinstance(parent, ObjectType):
        return None
    return ArrayType(ObjectType(parent.fields, parent.required, ANY))


@function(
    "nestBy(parents: Array<T>, children: Array<U>, parentKey: String | ((T) => Any), childKey: String | ((U) => Any), "
    "property: String): Array<Object>",
    category="array",
    infer=_nest_type,
    params={"property": "The property of the parent that gets the array of its children"},
    examples=[
        (
            'nestBy([{ id: 1 }, { id: 2 }], [{ p: 1, n: "a" }], p => p.id, c => c.p, "kids")',
            '[{ id: 1, kids: [{ p: 1, n: "a" }] }, { id: 2, kids: [] }]',
        )
    ],
)
def nest_by(parents: list[Any], children: list[Any], parent_key: Key, child_key: Key, property_: str) -> list[Any]:
    """Copies of the parents, each with the children whose key matches in a new property; null keys never match."""
    groups = by_key(children, child_key)
    key_of = selector(parent_key)
    return [_with(parent, property_, list(_under(groups, key_of(parent)))) for parent in parents]


def _under(groups: dict[str, list[Any]], key: Any) -> Sequence[Any]:
    return () if key is None else groups.get(group_key(key), ())


def _with(parent: Any, name: str, value: Any) -> Any:
    if not isinstance(parent, dict):
        fail(f"nestBy requires objects as parents, got {kind_of(parent)}")
    if type(parent) is Node:
        return Node({**parent, name: value}, dict(parent.attributes), parent.name, parent.metadata)
    return {**parent, name: value}


@function(
    "chunkBy(array: Array<T>, fn: (T) => Any): Array<Array<T>>",
    category="array",
    params={"fn": "true where a new chunk begins"},
    examples=[
        ("chunkBy([1, 2, 10, 3, 11], x => x >= 10)", "[[1, 2], [10, 3], [11]]"),
        ("chunkBy([], x => true)", "[]"),
    ],
)
def chunk_by(array: list[Any], fn: Callable[[Any], Any]) -> list[list[Any]]:
    """Cuts an array before every element for which a function says true."""
    chunks: list[list[Any]] = []
    for item in array:
        starts = fn(item) is True
        if starts or not chunks:
            chunks.append([item])
        else:
            chunks[-1].append(item)
    return chunks


def _unnest_type(arguments: Sequence[Type]) -> Type | None:
    parent = element(arguments[0])
    if not isinstance(parent, ObjectType):
        return None
    loose = ObjectType(tuple((name, ANY) for name, _ in parent.fields), frozenset(), ANY)
    return ArrayType(loose)


@function(
    "unnest(array: Array<T>, property: String): Array<Object>",
    category="array",
    infer=_unnest_type,
    params={"property": "The property that holds the children"},
    examples=[
        (
            'unnest([{ id: 1, kids: [{ n: "a" }, { n: "b" }] }, { id: 2, kids: [] }], "kids")',
            '[{ id: 1, n: "a" }, { id: 1, n: "b" }]',
        ),
        ('unnest([{ id: 1, tags: ["x"] }], "tags")', '[{ id: 1, value: "x" }]'),
    ],
)
def unnest(array: list[Any], property_: str) -> list[dict[str, Any]]:
    """One row for every child: the fields of the parent and those of the child, which win."""
    rows: list[dict[str, Any]] = []
    for parent in array:
        if not isinstance(parent, dict):
            fail(f"unnest requires objects, got {kind_of(parent)}")
        children = parent.get(property_)
        shared = {name: value for name, value in parent.items() if name != property_}
        rows += [
            {**shared, **child} if isinstance(child, dict) else {**shared, "value": child}
            for child in _children(children)
        ]
    return rows


def _children(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
