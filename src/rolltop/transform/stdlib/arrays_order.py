"""Sorting, and the largest and smallest by a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._order import mixes_numbers_and_text, ordering, sorted_by
from rolltop.transform.stdlib._text import selector
from rolltop.transform.stdlib.declare import function

Key = str | Callable[[Any], Any]
_KEY = {"key": "Property name or function"}


@function(
    "sort(array: Array<T>): Array<T>",
    category="array",
    examples=[
        ("sort([3, 1, 2.5])", "[1, 2.5, 3]"),
        ('sort(["b", "a", null])', '["a", "b", null]'),
        ('sort([1, "a"])', "error: numbers and strings"),
    ],
)
def sort(array: list[Any]) -> list[Any]:
    """The elements from smallest to largest, null last; numbers and strings cannot be mixed."""
    try:
        if None not in array:
            return sorted(array)
    except TypeError:
        pass
    if mixes_numbers_and_text(array):
        fail("sort cannot order numbers and strings together", hint="Use sortBy(array, x => toString(x)).")
    return sorted_by(array, array)


@function(
    "sortBy(array: Array<T>, key: String | ((T) => Any)): Array<T>",
    category="array",
    params=_KEY,
    examples=[
        ("sortBy([{ n: 2 }, { n: 1 }], r => r.n)", "[{ n: 1 }, { n: 2 }]"),
        ('sortBy([{ n: "b" }, { n: null }, { n: "a" }], "n") |> map(r => r.n)', '["a", "b", null]'),
    ],
)
def sort_by(array: list[Any], key: Key) -> list[Any]:
    """The elements in the order of a key; equal ones keep their order, null comes last."""
    key_of = selector(key)
    try:
        return sorted(array, key=key_of)
    except TypeError:  # null among the keys, or several kinds
        return sorted_by(array, list(map(key_of, array)))


@function(
    "maxBy(array: Array<T>, key: String | ((T) => Any)): T?",
    category="array",
    params=_KEY,
    examples=[("maxBy([{ n: 1 }, { n: 3 }], r => r.n)", "{ n: 3 }"), ("maxBy([], r => r)", "null")],
)
def max_by(array: list[Any], key: Key) -> Any:
    """The (first) element whose key is largest; null for an empty array, null keys are passed over."""
    array, keys = _with_keys(array, key)
    return array[max(range(len(array)), key=keys.__getitem__)] if array else None


@function(
    "minBy(array: Array<T>, key: String | ((T) => Any)): T?",
    category="array",
    params=_KEY,
    examples=[("minBy([{ n: 1 }, { n: 3 }], r => r.n)", "{ n: 1 }"), ("minBy([], r => r)", "null")],
)
def min_by(array: list[Any], key: Key) -> Any:
    """The (first) element whose key is smallest; null for an empty array, null keys are passed over."""
    array, keys = _with_keys(array, key)
    return array[min(range(len(array)), key=keys.__getitem__)] if array else None


def _with_keys(array: list[Any], key: Key) -> tuple[list[Any], list[Any]]:
    key_of = selector(key)
    keys = [key_of(item) for item in array]
    if None in keys:
        array = [item for item, value in zip(array, keys, strict=True) if value is not None]
        keys = [value for value in keys if value is not None]
    return array, ordering(keys)
