"""Values by path, and walks over nested values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.limits import check_items
from rolltop.transform.stdlib.rules import leaves, reshaped, returned
from rolltop.transform.stdlib.texts import property_of, quoted, text_of
from rolltop.transform.types import ArrayType
from rolltop.transform.values import Node, kind_of, truthy, unwrap

__all__ = ["MISSING", "position", "replaced", "step", "steps_of"]

MISSING: Any = object()


def steps_of(path: str | list[Any]) -> list[Any]:
    """The steps of a path, given as `a.b.c` or as an array."""
    if isinstance(path, str):
        return path.split(".") if path else []
    return path


def position(key: Any) -> int | None:
    """A step as a place in an array: a whole number or its digits."""
    if type(key) is int:
        return key
    if type(key) is float and key.is_integer():
        return int(key)
    return int(key) if isinstance(key, str) and key.isdecimal() and len(key) < 10 else None


def step(value: Any, key: Any) -> Any:
    """One step down, or `MISSING`."""
    if isinstance(value, dict):
        name = text_of(key)
        if name in value:
            return unwrap(value[name])
        if name.startswith("@") and type(value) is Node:
            return value.attributes.get(name[1:], MISSING)
        return MISSING
    if isinstance(value, list):
        at = position(key)
        return value[at] if at is not None and 0 <= at < len(value) else MISSING
    return MISSING


def replaced(container: Any, key: Any, new: Any, name: str) -> Any:
    """A copy of a container with the value at one step replaced; the container must have room for it."""
    if isinstance(container, list):
        at = position(key)
        if at is None or not 0 <= at < len(container):
            fail(f"{name}: {quoted(text_of(key))} is no position in an array of {len(container)} elements")
        return [*container[:at], new, *container[at + 1 :]]
    if type(container) is Node:
        changed = {**container, text_of(key): new}
        return Node(changed, dict(container.attributes), container.name, container.metadata)
    if not isinstance(container, dict):
        fail(f"{name}: the path goes through {kind_of(container)}, which has no parts")
    return {**container, text_of(key): new}


_PATH = {"path": '"a.b.c" or an array of steps'}


@function(
    "descendants(value: Any, name: String): Array",
    category="object",
    params={"name": "Property name; `@name` for an attribute"},
    examples=[
        ('descendants({a: {id: 1}, b: [{id: 2, c: {id: 3}}]}, "id")', "[1, 2, 3]"),
        ('descendants({id: {id: 1}}, "id")', "[{id: 1}, 1]"),
    ],
)
def descendants(value: Any, name: str) -> list[Any]:
    """Every value of a property, at any depth, in the order of the data; `x..name` is written for it. An extension.

    The elements of an array that stands for repeated elements count one by one.
    """
    found: list[Any] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(reversed(part))
        elif isinstance(part, dict):
            here = property_of(part, name)
            if here is not None:
                found.extend(map(unwrap, here) if isinstance(here, list) else [here])
            waiting.extend(reversed(list(part.values())))
    return found


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


Fn = Callable[[Any], Any]


@function(
    "treeMap(value: Any, fn: (Any) => Any): Any",
    category="object",
    infer=lambda arguments: reshaped(arguments[0], returned(arguments[1])),
    params={"fn": "Called with every leaf"},
    examples=[("treeMap({ a: 1, b: [2, { c: 3 }] }, x => x * 10)", "{ a: 10, b: [20, { c: 30 }] }")],
)
def tree_map(value: Any, fn: Fn) -> Any:
    """A value of the same shape whose leaves are what a function makes of them."""
    if isinstance(value, list):
        return [tree_map(item, fn) for item in value]
    if isinstance(value, dict):
        return {name: tree_map(item, fn) for name, item in value.items()}
    return fn(value)


@function(
    "treeFilter(value: Any, fn: (Any) => Any): Any",
    category="object",
    params={"fn": "Called with every leaf"},
    examples=[
        ("treeFilter({ a: 1, b: { c: 5 }, d: { e: 0 } }, x => x > 2)", "{ b: { c: 5 } }"),
        ("treeFilter([1, [5], 3], x => x > 2)", "[[5], 3]"),
        ("treeFilter({ a: 1 }, x => false)", "{}"),
    ],
)
def tree_filter(value: Any, fn: Fn) -> Any:
    """A value with only the leaves that satisfy a condition; branches without any vanish."""
    kept = _filtered(value, fn)
    if kept is not MISSING:
        return kept
    return [] if isinstance(value, list) else {} if isinstance(value, dict) else None


def _filtered(value: Any, fn: Fn) -> Any:
    if isinstance(value, list):
        items = [kept for item in value if (kept := _filtered(item, fn)) is not MISSING]
        return items or MISSING
    if isinstance(value, dict):
        parts = {name: kept for name, item in value.items() if (kept := _filtered(item, fn)) is not MISSING}
        return parts or MISSING
    return value if truthy(fn(value)) else MISSING


@function(
    "treeFlatten(value: Any): Array",
    category="object",
    infer=lambda arguments: ArrayType(leaves(arguments[0], into_objects=True)),
    examples=[('treeFlatten({ a: 1, b: [2, { c: "x" }] })', '[1, 2, "x"]'), ("treeFlatten(5)", "[5]")],
)
def tree_flatten(value: Any) -> list[Any]:
    """All leaves of a value, in order."""
    return [leaf for _, leaf in _leaves(value, ())]


@function(
    "treePaths(value: Any): Array<Array<String>>",
    category="object",
    examples=[("treePaths({ a: 1, b: [2, { c: 3 }] })", '[["a"], ["b", "0"], ["b", "1", "c"]]')],
)
def tree_paths(value: Any) -> list[list[str]]:
    """The path of every leaf, as an array of steps."""
    return [list(path) for path, _ in _leaves(value, ())]


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from _leaves(item, (*path, str(at)))
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, (*path, name))
    else:
        yield path, value


@function(
    "treeDepth(value: Any): Integer",
    category="object",
    examples=[("treeDepth(5)", "0"), ("treeDepth({ a: [1] })", "2"), ("treeDepth([])", "1")],
)
def tree_depth(value: Any) -> int:
    """How many objects and arrays are inside each other at most."""
    if not isinstance(value, (dict, list)):
        return 0
    parts = value.values() if isinstance(value, dict) else value
    return 1 + max(map(tree_depth, parts), default=0)


@function(
    "treeFind(value: Any, path: Array): Any",
    category="object",
    params={"path": "Array of steps: property names and positions"},
    examples=[('treeFind({ a: [{ b: 5 }] }, ["a", 0, "b"])', "5"), ('treeFind({ a: 1 }, ["x"])', "null")],
)
def tree_find(value: Any, path: list[Any]) -> Any:
    """The value at the end of a path, or null."""
    for key in path:
        value = step(value, key)
        if value is MISSING:
            return None
    return value
