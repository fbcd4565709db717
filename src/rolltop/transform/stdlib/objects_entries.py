"""Going through the properties of objects with a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._rules import returned, same_kind
from rolltop.transform.stdlib._text import key_text
from rolltop.transform.stdlib.declare import function
from rolltop.transform.types import NULL, ObjectType, Type, union
from rolltop.transform.values import kind_of, truthy

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
