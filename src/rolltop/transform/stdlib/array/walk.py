"""Going through arrays with a function: map, filter, reduce and their kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rolltop.transform.stdlib.coerce import adapt, takes
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.rules import element, optional, returned, same_kind
from rolltop.transform.types import ArrayType, Type, union
from rolltop.transform.values import is_element, truthy

Fn = Callable[..., Any]


@function(
    "map(array: Array<T>, fn: (T) => U): Array<U>",
    category="array",
    examples=[("map([1, 2, 3], x => x * 2)", "[2, 4, 6]"), ("map([], x => x)", "[]")],
)
def map_(array: list[Any], fn: Fn) -> list[Any]:
    """What a function makes of every element."""
    return list(map(fn, array))


@function(
    "filter(value: Array<T> | Map<T> | String, fn: ((T) => Any) | ((String, T) => Any)): Array<T> | Map<T> | String",
    category="array",
    infer=same_kind,
    params={"fn": "Called with the element; for an object with the value, or with key and value"},
    examples=[
        ("filter([1, 2, 3, 4], x => x % 2 == 0)", "[2, 4]"),
        ("filter({ a: 1, b: 5 }, v => v > 2)", "{ b: 5 }"),
        ('filter({ a: 1, b: 5 }, (k, v) => k == "a")', "{ a: 1 }"),
        ('filter("a1b2", c => isNumeric(c))', '"12"'),
    ],
)
def filter_(value: Any, fn: Fn) -> Any:
    """The elements of an array, properties of an object or characters of a text that satisfy a condition."""
    if isinstance(value, dict):
        if takes(fn, 2):
            return {name: item for name, item in value.items() if truthy(fn(name, item))}
        if is_element(value):
            return [value] if truthy(fn(value)) else []
        return {name: item for name, item in value.items() if truthy(fn(item))}
    if not takes(fn, 1):
        fn = adapt(fn, 1)
    if type(value) is list:
        # Conditions nearly always are comparisons: their results need no question about truth.
        return [item for item in value if (held := fn(item)) is True or (held is not False and truthy(held))]
    return "".join([char for char in value if truthy(fn(char))])


def _reduce_type(arguments: Sequence[Type]) -> Type | None:
    start = arguments[2] if len(arguments) > 2 else optional(element(arguments[0]))
    return union((start, returned(arguments[1])))


@function(
    "reduce(array: Array<T>, fn: (U, T) => U, init?: U): U",
    category="array",
    infer=_reduce_type,
    params={"fn": "Called with what there is so far and the element", "init": "Where to start; else the first element"},
    examples=[
        ("reduce([1, 2, 3], (sum, x) => sum + x, 10)", "16"),
        ("reduce([1, 2, 3], (sum, x) => sum + x)", "6"),
        ("reduce([], (sum, x) => sum + x, 0)", "0"),
        ("reduce([], (sum, x) => sum + x)", "null"),
    ],
)
def reduce(array: list[Any], fn: Fn, *init: Any) -> Any:
    """Folds an array into one value, from the first element to the last."""
    if init:
        result, rest = init[0], array
    elif array:
        result, rest = array[0], array[1:]
    else:
        return None
    for item in rest:
        result = fn(result, item)
    return result


@function(
    "scan(array: Array<T>, fn: (U, T) => U, init: U): Array<U>",
    category="array",
    examples=[("scan([1, 2, 3], (sum, x) => sum + x, 0)", "[1, 3, 6]")],
)
def scan(array: list[Any], fn: Fn, init: Any) -> list[Any]:
    """All intermediate results of a fold, without the start."""
    results = []
    for item in array:
        init = fn(init, item)
        results.append(init)
    return results


@function(
    "find(array: Array<T>, fn: (T) => Any): T?",
    category="array",
    examples=[("find([1, 5, 8], x => x > 3)", "5"), ("find([1], x => x > 3)", "null")],
)
def find(array: list[Any], fn: Fn) -> Any:
    """The first element that satisfies a condition, or null."""
    for item in array:
        if (held := fn(item)) is True or (held is not False and truthy(held)):
            return item
    return None


@function(
    "findIndex(array: Array<T>, fn: (T) => Any): Integer",
    category="array",
    examples=[("findIndex([1, 5, 8], x => x > 3)", "1"), ("findIndex([1], x => x > 3)", "-1")],
)
def find_index(array: list[Any], fn: Fn) -> int:
    """The position of the first element that satisfies a condition, or -1."""
    for at, item in enumerate(array):
        if truthy(fn(item)):
            return at
    return -1


@function(
    "findLastIndex(array: Array<T>, fn: (T) => Any): Integer",
    category="array",
    examples=[("findLastIndex([1, 5, 8], x => x > 3)", "2"), ("findLastIndex([], x => true)", "-1")],
)
def find_last_index(array: list[Any], fn: Fn) -> int:
    """The position of the last element that satisfies a condition, or -1."""
    for at in range(len(array) - 1, -1, -1):
        if truthy(fn(array[at])):
            return at
    return -1


@function(
    "every(array: Array<T>, fn: (T) => Any): Boolean",
    category="array",
    examples=[("every([2, 4], x => x % 2 == 0)", "true"), ("every([], x => false)", "true")],
)
def every(array: list[Any], fn: Fn) -> bool:
    """Whether all elements satisfy a condition."""
    return all(truthy(fn(item)) for item in array)


@function(
    "some(array: Array<T>, fn: (T) => Any): Boolean",
    category="array",
    examples=[("some([1, 4], x => x % 2 == 0)", "true"), ("some([], x => true)", "false")],
)
def some(array: list[Any], fn: Fn) -> bool:
    """Whether at least one element satisfies a condition."""
    return any(truthy(fn(item)) for item in array)


def _flat_map_type(arguments: Sequence[Type]) -> Type | None:
    made = returned(arguments[1])
    return ArrayType(made.item if isinstance(made, ArrayType) else made)


@function(
    "flatMap(array: Array<T>, fn: (T) => Array<U> | U): Array<U>",
    category="array",
    infer=_flat_map_type,
    examples=[("flatMap([1, 2], x => [x, x * 10])", "[1, 10, 2, 20]"), ("flatMap([1, 2], x => x)", "[1, 2]")],
)
def flat_map(array: list[Any], fn: Fn) -> list[Any]:
    """What a function makes of every element, arrays among it taken apart."""
    results: list[Any] = []
    for item in array:
        made = fn(item)
        if type(made) is list:
            results += made
        else:
            results.append(made)
    return results


@function(
    "partition(array: Array<T>, fn: (T) => Any): { true: Array<T>, false: Array<T> }",
    category="array",
    examples=[("partition([1, 2, 3], x => x > 1)", '{ "true": [2, 3], "false": [1] }')],
)
def partition(array: list[Any], fn: Fn) -> dict[str, list[Any]]:
    """The elements that satisfy a condition, and those that do not."""
    yes: list[Any] = []
    no: list[Any] = []
    for item in array:
        (yes if truthy(fn(item)) else no).append(item)
    return {"true": yes, "false": no}
