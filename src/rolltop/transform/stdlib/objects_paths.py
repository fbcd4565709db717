"""Reading and changing values deep inside: by path, by field name."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._limits import check_items
from rolltop.transform.stdlib._paths import MISSING, position, replaced, step, steps_of
from rolltop.transform.stdlib._text import text_of
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import Node

_PATH = {"path": '"a.b.c" or an array of steps'}


@function(
    "getPath(value: Any, path: String | Array, fallback?: Any): Any",
    category="object",
    params=_PATH | {"fallback": "What to give when there is nothing; null by default"},
    examples=[
        ('getPath({ a: { b: 5 } }, "a.b")', "5"),
        ('getPath({ a: [5] }, "a.0")', "5"),
        ('getPath({ a: [{ b: 5 }] }, ["a", 0, "b"])', "5"),
        ('getPath({ a: 1 }, "a.x.y", "none")', '"none"'),
    ],
)
def get_path(value: Any, path: str | list[Any], fallback: Any = None) -> Any:
    """The value at the end of a path, or the fallback when there is none."""
    for key in steps_of(path):
        value = value.get(key, MISSING) if type(value) is dict and type(key) is str else step(value, key)
        if value is MISSING:
            return fallback
    return value


@function(
    "setPath(object: Object, path: String | Array, value: Any): Object",
    category="object",
    params=_PATH,
    examples=[
        ('setPath({ a: { b: 1 } }, "a.c", 2)', "{ a: { b: 1, c: 2 } }"),
        ('setPath({}, ["x", "y"], 1)', "{ x: { y: 1 } }"),
        ('setPath({ a: 5 }, "a.b", 1)', "error: goes through number"),
    ],
)
def set_path(value: dict[str, Any], path: str | list[Any], new: Any) -> dict[str, Any]:
    """A copy of an object with a value put at the end of a path; missing objects on the way are made."""
    steps = steps_of(path)
    if not steps:
        fail("setPath requires a path with at least one step")
    return _set(value, steps, 0, new)  # type: ignore[no-any-return]


def _set(container: Any, steps: list[Any], at: int, new: Any) -> Any:
    if at == len(steps):
        return new
    if container is MISSING or container is None:
        container = {}
    return replaced(container, steps[at], _set(step(container, steps[at]), steps, at + 1, new), "setPath")


@function(
    "update(value: Any, path: Array, new: Any): Any",
    category="object",
    params={"path": "Array of steps: property names and positions"},
    examples=[
        ('update({ a: [1, 2] }, ["a", 1], 5)', "{ a: [1, 5] }"),
        ('update({ a: [1] }, ["a", 3], 5)', "{ a: [1, null, null, 5] }"),
        ('update({}, ["x", "y"], 1)', "{ x: { y: 1 } }"),
    ],
)
def update(value: Any, path: list[Any], new: Any) -> Any:
    """A copy of a value with the part at a path replaced; objects are made and arrays lengthened as needed."""
    return _update(value, path, 0, new)


def _update(container: Any, steps: list[Any], at: int, new: Any) -> Any:
    if at == len(steps):
        return new
    if container is MISSING or not isinstance(container, (dict, list)):
        container = {}
    if isinstance(container, list):
        container = _long_enough(container, steps[at])
    return replaced(container, steps[at], _update(step(container, steps[at]), steps, at + 1, new), "update")


def _long_enough(array: list[Any], key: Any) -> list[Any]:
    at = position(key)
    if at is None or at < len(array):
        return array
    check_items("update", at + 1)
    return array + [None] * (at + 1 - len(array))


@function(
    "mask(value: Any, names: Array<String>, text?: String): Any",
    category="object",
    params={"names": "Fields to hide, wherever they are", "text": "What to show instead, *** by default"},
    examples=[
        ('mask({ user: "x", login: { password: "p" } }, ["password"])', '{ user: "x", login: { password: "***" } }'),
        ('mask([{ pin: 1 }], ["pin"], "?")', '[{ pin: "?" }]'),
    ],
)
def mask(value: Any, names: list[Any], text: str = "***") -> Any:
    """A copy of a value in which the named fields, at any depth, are hidden; attributes of that name, too."""
    return _masked(value, frozenset(map(text_of, names)), text)


def _masked(value: Any, names: frozenset[str], text: str) -> Any:
    if isinstance(value, list):
        return [_masked(item, names, text) for item in value]
    if not isinstance(value, dict):
        return value
    shown = {name: text if name in names else _masked(item, names, text) for name, item in value.items()}
    if type(value) is not Node:
        return shown
    attributes = {name: text if {name, f"@{name}"} & names else held for name, held in value.attributes.items()}
    return Node(shown, attributes, value.name, value.metadata)


@function(
    "mapTree(value: Any, fn: (Any, String) => Any): Any",
    category="object",
    params={"fn": "Called with every node and its path, which starts at $"},
    examples=[
        ("mapTree({ a: [1, 2] }, (node, path) => isNumber(node) ? node * 10 : node)", "{ a: [10, 20] }"),
        ("mapTree({ a: [7] }, (node, path) => isNumber(node) ? path : node)", '{ a: ["$.a[0]"] }'),
    ],
)
def map_tree(value: Any, fn: Any) -> Any:
    """What a function makes of every node of a value, the inner ones first."""
    return _map_tree(value, fn, "$")


def _map_tree(value: Any, fn: Any, path: str) -> Any:
    if isinstance(value, list):
        value = [_map_tree(item, fn, f"{path}[{at}]") for at, item in enumerate(value)]
    elif isinstance(value, dict):
        value = {name: _map_tree(item, fn, f"{path}.{name}") for name, item in value.items()}
    return fn(value, path)
