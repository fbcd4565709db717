"""Values as trees: leaves are what is neither object nor array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rolltop.transform.stdlib._paths import MISSING, step
from rolltop.transform.stdlib._rules import leaves, reshaped, returned
from rolltop.transform.stdlib.declare import function
from rolltop.transform.types import ArrayType
from rolltop.transform.values import truthy

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
