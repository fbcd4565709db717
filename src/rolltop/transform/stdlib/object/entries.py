"""Entries of an object, and changes: rename, omit, merge, diff."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.object.paths import MISSING, position, replaced, step
from rolltop.transform.stdlib.rules import returned, same_kind
from rolltop.transform.stdlib.texts import key_text, quoted, text_of
from rolltop.transform.types import NULL, ObjectType, Type, union
from rolltop.transform.values import Node, equal, kind_of, truthy

Fn = Callable[..., Any]
_FN = {"fn": "Called with key and value"}


def _mapped_entries(arguments: Sequence[Type]) -> Type | None:
    made = returned(arguments[1])
    if not isinstance(made, ObjectType) or "value" not in made.index:
        return None
    return ObjectType(rest=made.index["value"])


@function(
    "mapEntries(object: Map<T>, fn: (String, T) => Object): Object",
    category="object",
    infer=_mapped_entries,
    params={"fn": "Called with key and value; gives { key, value }, where a missing part stays as it was"},
    examples=[
        ("mapEntries({ a: 1 }, (k, v) => { key: upper(k), value: v * 2 })", "{ A: 2 }"),
        ("mapEntries({ a: 1 }, (k, v) => { value: v + 1 })", "{ a: 2 }"),
    ],
)
def map_entries(value: dict[str, Any], fn: Fn) -> dict[str, Any]:
    """An object whose keys and values are what a function makes of them."""
    result: dict[str, Any] = {}
    for name, item in value.items():
        entry = fn(name, item)
        if not isinstance(entry, dict):
            fail(f"mapEntries requires a function that gives {{ key, value }}, got {kind_of(entry)}")
        key = entry.get("key")
        result[name if key is None else key_text(key)] = entry.get("value", item)
    return result


@function(
    "filterEntries(object: Map<T>, fn: (String, T) => Any): Object",
    category="object",
    infer=same_kind,
    params=_FN,
    examples=[("filterEntries({ a: 1, b: 5 }, (k, v) => v > 2)", "{ b: 5 }")],
)
def filter_entries(value: dict[str, Any], fn: Fn) -> dict[str, Any]:
    """The properties that satisfy a condition."""
    return {name: item for name, item in value.items() if truthy(fn(name, item))}


@function(
    "reduceEntries(object: Map<T>, fn: (U, String, T) => U, init: U): U",
    category="object",
    infer=lambda arguments: union((arguments[2], returned(arguments[1]))),
    params={"fn": "Called with what there is so far, key and value"},
    examples=[("reduceEntries({ a: 1, b: 2 }, (sum, k, v) => sum + v, 0)", "3")],
)
def reduce_entries(value: dict[str, Any], fn: Fn, init: Any) -> Any:
    """Folds the properties into one value, from the first to the last."""
    for name, item in value.items():
        init = fn(init, name, item)
    return init


@function(
    "someEntry(object: Map<T>, fn: (String, T) => Any): Boolean",
    category="object",
    params=_FN,
    examples=[("someEntry({ a: 1, b: 5 }, (k, v) => v > 2)", "true"), ("someEntry({}, (k, v) => true)", "false")],
)
def some_entry(value: dict[str, Any], fn: Fn) -> bool:
    """Whether at least one property satisfies a condition."""
    return any(truthy(fn(name, item)) for name, item in value.items())


@function(
    "everyEntry(object: Map<T>, fn: (String, T) => Any): Boolean",
    category="object",
    params=_FN,
    examples=[("everyEntry({ a: 1, b: 5 }, (k, v) => v > 2)", "false"), ("everyEntry({}, (k, v) => false)", "true")],
)
def every_entry(value: dict[str, Any], fn: Fn) -> bool:
    """Whether all properties satisfy a condition."""
    return all(truthy(fn(name, item)) for name, item in value.items())


@function(
    "countEntries(object: Map<T>, fn: (String, T) => Any): Integer",
    category="object",
    params=_FN,
    examples=[('countEntries({ a: 1, b: 5, c: 7 }, (k, v) => v > 2 && k != "c")', "1")],
)
def count_entries(value: dict[str, Any], fn: Fn) -> int:
    """How many properties satisfy a condition."""
    return sum([truthy(fn(name, item)) for name, item in value.items()])


@function(
    "mapKeys(object: Map<T>, fn: (String) => Any): Map<T>",
    category="object",
    params={"fn": "Called with the key"},
    examples=[("mapKeys({ first_name: 1 }, k => camelCase(k))", "{ firstName: 1 }")],
)
def map_keys(value: dict[str, Any], fn: Fn) -> dict[str, Any]:
    """An object whose keys are what a function makes of them."""
    return {key_text(fn(name)): item for name, item in value.items()}


def _mapped_values(arguments: Sequence[Type]) -> Type | None:
    made = returned(arguments[1])
    if not isinstance(arguments[0], ObjectType) or made == NULL:
        return None
    fields = tuple((name, made) for name, _ in arguments[0].fields)
    return ObjectType(fields, arguments[0].required, None if arguments[0].rest is None else made)


@function(
    "mapValues(object: Map<T>, fn: (T) => U): Map<U>",
    category="object",
    infer=_mapped_values,
    params={"fn": "Called with the value"},
    examples=[("mapValues({ a: 1, b: 2 }, v => v * 10)", "{ a: 10, b: 20 }")],
)
def map_values(value: dict[str, Any], fn: Fn) -> dict[str, Any]:
    """An object whose values are what a function makes of them."""
    return {name: fn(item) for name, item in value.items()}


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
