"""Comparing values and applying the differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._paths import MISSING, position, replaced, step
from rolltop.transform.stdlib._text import quoted, text_of
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import Node, equal

Change = dict[str, Any]


@function(
    "diff(old: Any, new: Any): { changes: Array<{ type: String, path: Array, oldValue?: Any, newValue?: Any }> }",
    category="object",
    examples=[
        (
            "diff({ a: 1, b: 2 }, { a: 5, c: 3 })",
            '{ changes: [{ type: "changed", path: ["a"], oldValue: 1, newValue: 5 }, '
            '{ type: "removed", path: ["b"], oldValue: 2 }, { type: "added", path: ["c"], newValue: 3 }] }',
        ),
        ("diff([1], [1])", "{ changes: [] }"),
    ],
)
def diff(old: Any, new: Any) -> dict[str, list[Change]]:
    """What has to be added, removed and changed, and where, to make one value into another."""
    return {"changes": list(_changes(old, new, []))}


def _changes(old: Any, new: Any, path: list[Any]) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict) and _same_attributes(old, new):
        yield from _object_changes(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _array_changes(old, new, path)
    elif not equal(old, new):
        yield {"type": "changed", "path": path, "oldValue": old, "newValue": new}


def _same_attributes(old: Any, new: Any) -> bool:
    return bool(getattr(old, "attributes", {}) == getattr(new, "attributes", {}))


def _object_changes(old: dict[str, Any], new: dict[str, Any], path: list[Any]) -> Iterator[Change]:
    for name, value in old.items():
        if name in new:
            yield from _changes(value, new[name], [*path, name])
        else:
            yield {"type": "removed", "path": [*path, name], "oldValue": value}
    for name, value in new.items():
        if name not in old:
            yield {"type": "added", "path": [*path, name], "newValue": value}


def _array_changes(old: list[Any], new: list[Any], path: list[Any]) -> Iterator[Change]:
    for at, (before, after) in enumerate(zip(old, new, strict=False)):
        yield from _changes(before, after, [*path, at])
    # From the end, so that applying one after the other never shifts what is still to come.
    for at in range(len(old) - 1, len(new) - 1, -1):
        yield {"type": "removed", "path": [*path, at], "oldValue": old[at]}
    for at in range(len(old), len(new)):
        yield {"type": "added", "path": [*path, at], "newValue": new[at]}


@function(
    "patch(value: Any, changes: Object): Any",
    category="object",
    params={"changes": "What diff gave"},
    examples=[
        ("patch({ a: 1, b: 2 }, diff({ a: 1, b: 2 }, { a: 5, c: [3] }))", "{ a: 5, c: [3] }"),
        ("patch([1, 2, 3], diff([1, 2, 3], [1]))", "[1]"),
    ],
)
def patch(value: Any, changes: dict[str, Any]) -> Any:
    """A copy of a value with the differences applied that diff found."""
    listed = changes.get("changes")
    if not isinstance(listed, list):
        fail("patch requires the result of diff: { changes: [...] }")
    for change in listed:
        if not isinstance(change, dict) or not isinstance(change.get("path"), list):
            fail("patch: a change needs a path, which is an array of steps")
        value = _apply(value, change, change["path"], 0)
    return value


def _apply(value: Any, change: Change, path: list[Any], at: int) -> Any:
    if at == len(path):
        return change.get("newValue")
    key, last = path[at], at == len(path) - 1
    if last and change.get("type") == "removed":
        return _without(value, key)
    inner = step(value, key)
    if inner is MISSING:
        if not last:
            fail(
                f"patch: the value has no part {quoted(text_of(key))}",
                hint="Apply the changes to the value they came from.",
            )
        if isinstance(value, list) and position(key) == len(value):
            return [*value, change.get("newValue")]
    return replaced(value, key, _apply(inner, change, path, at + 1), "patch")


def _without(container: Any, key: Any) -> Any:
    if step(container, key) is MISSING:
        fail(
            f"patch: there is no {quoted(text_of(key))} to remove",
            hint="Apply the changes to the value they came from.",
        )
    if isinstance(container, list):
        at = position(key)
        return [item for place, item in enumerate(container) if place != at]
    rest = {name: item for name, item in container.items() if name != text_of(key)}
    return Node(rest, dict(container.attributes), container.name) if type(container) is Node else rest


@function(
    "deepEquals(left: Any, right: Any): Boolean",
    category="object",
    examples=[
        ("deepEquals({ a: [1, { b: 2 }] }, { a: [1.0, { b: 2 }] })", "true"),
        ('deepEquals([1], ["1"])', "false"),
    ],
)
def deep_equals(left: Any, right: Any) -> bool:
    """Whether two values are equal in every part; the order of properties does not matter."""
    return equal(left, right)
