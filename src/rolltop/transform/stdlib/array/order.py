"""How values sort, and sorting: numbers by size, texts by code point, dates by time, null last."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.clock import Reading
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.texts import selector, text_of
from rolltop.transform.values import as_decimal

__all__ = ["mixes_numbers_and_text", "ordering", "sorted_by"]

_NUMBERS = frozenset({int, float})
_EXACT = _NUMBERS | {Decimal}
_ALONE = frozenset({str, bool, bytes, dt.date, dt.time})
_MOMENTS = frozenset({dt.datetime, Reading})


def ordering(keys: list[Any]) -> list[Any]:
    """The keys as Python values that compare the way the language sorts."""
    kinds = set(map(type, keys))
    if type(None) in kinds:
        kinds.remove(type(None))
        rest = iter(_comparable([key for key in keys if key is not None], kinds))
        return [(1, None) if key is None else (0, next(rest)) for key in keys]
    return _comparable(keys, kinds)


def _comparable(keys: list[Any], kinds: set[type]) -> list[Any]:
    if kinds <= _EXACT and Decimal in kinds:
        return list(map(as_decimal, keys))
    if kinds <= _NUMBERS or (len(kinds) == 1 and kinds <= _ALONE):
        return keys
    if kinds <= _MOMENTS and len({key.tzinfo is None for key in keys}) == 1:
        return keys
    return list(map(text_of, keys))


def sorted_by(array: list[Any], keys: list[Any]) -> list[Any]:
    """The array in the order of its keys; equal ones keep their places."""
    by = ordering(keys)
    return [array[at] for at in sorted(range(len(array)), key=by.__getitem__)]


def mixes_numbers_and_text(array: list[Any]) -> bool:
    kinds = set(map(type, array))
    return str in kinds and not kinds.isdisjoint(_NUMBERS)


Key = str | Callable[[Any], Any]
_KEY = {"key": "Property name or function"}
_ORDERS = {"asc": False, "ascending": False, "desc": True, "descending": True}


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
    "sortBy(array: Array<T>, key: String | ((T) => Any), order?: String): Array<T>",
    category="array",
    params=_KEY | {"order": "asc, or desc for the largest first"},
    examples=[
        ("sortBy([{ n: 2 }, { n: 1 }], r => r.n)", "[{ n: 1 }, { n: 2 }]"),
        ('sortBy([{ n: "b" }, { n: null }, { n: "a" }], "n") |> map(r => r.n)', '["a", "b", null]'),
        ('sortBy([{ n: 1 }, { n: 3 }, { n: 2 }], r => r.n, "desc") |> map(r => r.n)', "[3, 2, 1]"),
    ],
)
def sort_by(array: list[Any], key: Key, order: str = "asc") -> list[Any]:
    """The elements in the order of a key; equal ones keep their order, null comes last."""
    if order.lower() not in _ORDERS:
        fail(f"sortBy has no order '{order[:40]}'", hint='Write "asc" or "desc".')
    descending = _ORDERS[order.lower()]
    key_of = selector(key)
    try:
        return sorted(array, key=key_of, reverse=descending)
    except TypeError:  # null among the keys, or several kinds
        keys = list(map(key_of, array))
    if not descending:
        return sorted_by(array, keys)
    known = [at for at, found in enumerate(keys) if found is not None]
    by = ordering([keys[at] for at in known])
    placed = sorted(range(len(known)), key=by.__getitem__, reverse=True)
    return [
        *(array[known[at]] for at in placed),
        *(item for item, found in zip(array, keys, strict=True) if found is None),
    ]


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
