"""Parts of arrays: ends, slices, chunks, windows; and arrays with something added or taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.limits import check_items
from rolltop.transform.stdlib.rules import element, leaves, members
from rolltop.transform.types import STRING, ArrayType, Type, union


@function(
    "first(array: Array<T>): T",
    category="array",
    aliases=("head",),
    examples=[("first([3, 4])", "3"), ("head([[]])", "[]"), ("first([])", "error: first() called on empty array")],
)
def first(array: list[Any]) -> Any:
    """The first element; an empty array is an error."""
    if not array:
        fail("first() called on empty array", hint="Use get(array, 0) for null instead.")
    return array[0]


@function(
    "last(array: Array<T>): T",
    category="array",
    examples=[("last([3, 4])", "4"), ("last([])", "error: last() called on empty array")],
)
def last(array: list[Any]) -> Any:
    """The last element; an empty array is an error."""
    if not array:
        fail("last() called on empty array", hint="Use get(array, count(array) - 1) for null instead.")
    return array[-1]


@function(
    "get(array: Array<T>, index: Integer): T?",
    category="array",
    examples=[("get([3, 4], 1)", "4"), ("get([3, 4], 2)", "null"), ("get([3, 4], -1)", "null")],
)
def get(array: list[Any], index: int) -> Any:
    """The element at a position, or null outside the array."""
    return array[index] if 0 <= index < len(array) else None


@function(
    "take(array: Array<T>, count: Integer): Array<T>",
    category="array",
    examples=[("take([1, 2, 3], 2)", "[1, 2]"), ("take([1], 5)", "[1]"), ("take([1], -1)", "[]")],
)
def take(array: list[Any], count: int) -> list[Any]:
    """The first elements, at most so many."""
    return array[:count] if count > 0 else []


@function(
    "drop(array: Array<T>, count: Integer): Array<T>",
    category="array",
    examples=[("drop([1, 2, 3], 2)", "[3]"), ("drop([1], 5)", "[]"), ("drop([1], -1)", "[1]")],
)
def drop(array: list[Any], count: int) -> list[Any]:
    """All elements but the first ones."""
    return array[count:] if count > 0 else array


@function(
    "tail(array: Array<T>): Array<T>",
    category="array",
    examples=[("tail([1, 2, 3])", "[2, 3]"), ("tail([])", "[]")],
)
def tail(array: list[Any]) -> list[Any]:
    """All elements but the first."""
    return array[1:]


@function(
    "at(array: Array<T>, position: Integer): T",
    category="array",
    params={"position": "From 0; negative ones count from the end, -1 is the last"},
    examples=[("at([1, 2, 3], -1)", "3"), ("at([1, 2], 0)", "1"), ("at([1], -2)", "error: outside the array")],
)
def at(array: list[Any], position: int) -> Any:
    """The element at a position; `xs[-1]` is written for `at(xs, -1)`. An extension."""
    if not -len(array) <= position < len(array):
        fail(
            f"position {position} is outside the array of {len(array)} elements",
            hint="Use get(array, position) for null instead.",
        )
    return array[position]


@function(
    "span(value: String | Array, start: Integer?, end?: Integer?): Any",
    category="array",
    params={
        "start": "First position; null for the beginning, negative from the end",
        "end": "Position after the last; null for the end, negative from the end",
    },
    examples=[
        ("span([1, 2, 3, 4], 1, -1)", "[2, 3]"),
        ("span([1, 2], -5, 9)", "[1, 2]"),
        ('span("invoice", null, 3)', '"inv"'),
    ],
    infer=lambda arguments: arguments[0] if isinstance(arguments[0], ArrayType) or arguments[0] == STRING else None,
)
def span(value: str | list[Any], start: int | None, end: int | None = None) -> str | list[Any]:
    """A part of an array or a text, cut at its ends; `xs[1:-1]` is written for `span(xs, 1, -1)`. An extension."""
    return value[start:end]


@function(
    "range(first: Integer, last: Integer, step?: Integer): Array<Integer>",
    category="array",
    params={"step": "1, or -1 when the last is smaller"},
    examples=[
        ("range(1, 4)", "[1, 2, 3, 4]"),
        ("range(3, 1)", "[3, 2, 1]"),
        ("range(0, 10, 5)", "[0, 5, 10]"),
        ("range(1, 2, 0)", "error: step"),
    ],
)
def range_(first: int, last: int, step: int | None = None) -> list[int]:
    """Whole numbers from the first to the last, both included; `1 .. n` is written for `range(1, n)`. An extension."""
    step = step if step is not None else 1 if last >= first else -1
    if step == 0:
        fail("range: the step cannot be 0")
    check_items("range", max(0, (last - first) // step + 1))
    return list(range(first, last + (1 if step > 0 else -1), step))


@function(
    "slice(array: Array<T>, start: Integer, end?: Integer): Array<T>",
    category="array",
    params={"end": "Position after the last element; the end of the array by default"},
    examples=[
        ("slice([1, 2, 3, 4], 1, 3)", "[2, 3]"),
        ("slice([1, 2], 2)", "[]"),
        ("slice([1, 2], 0, 3)", "error: outside the array"),
    ],
)
def slice_(array: list[Any], start: int, end: int | None = None) -> list[Any]:
    """The elements from a position up to (not including) another; both must lie in the array."""
    end = len(array) if end is None else end
    if not 0 <= start <= end <= len(array):
        fail(
            f"slice from {start} to {end} is outside the array of {len(array)} elements",
            hint="Use take and drop, which allow any number.",
        )
    return array[start:end]


@function(
    "reverse(array: Array<T>): Array<T>",
    category="array",
    examples=[("reverse([1, 2, 3])", "[3, 2, 1]")],
)
def reverse(array: list[Any]) -> list[Any]:
    """The elements from last to first."""
    return array[::-1]


@function(
    "chunk(array: Array<T>, size: Integer): Array<Array<T>>",
    category="array",
    examples=[("chunk([1, 2, 3], 2)", "[[1, 2], [3]]"), ("chunk([1], 0)", "error: at least 1")],
)
def chunk(array: list[Any], size: int) -> list[list[Any]]:
    """Cuts an array into pieces of a size; the last one may be shorter."""
    _at_least_one("chunk", "size", size)
    return [array[at : at + size] for at in range(0, len(array), size)]


@function(
    "windowed(array: Array<T>, size: Integer, step?: Integer): Array<Array<T>>",
    category="array",
    examples=[
        ("windowed([1, 2, 3, 4], 2)", "[[1, 2], [2, 3], [3, 4]]"),
        ("windowed([1, 2, 3, 4], 2, 2)", "[[1, 2], [3, 4]]"),
    ],
)
def windowed(array: list[Any], size: int, step: int = 1) -> list[list[Any]]:
    """All runs of a size, each a step further than the one before; only full ones."""
    _at_least_one("windowed", "size", size)
    _at_least_one("windowed", "step", step)
    starts = range(0, len(array) - size + 1, step)
    # Overlapping windows copy their elements: count those.
    check_items("windowed", len(starts) * size if len(starts) * size > 100 * len(array) else len(starts))
    return [array[at : at + size] for at in starts]


def _at_least_one(name: str, parameter: str, value: int) -> None:
    if value < 1:
        fail(f"{name} needs a {parameter} of at least 1, got {value}")


def _flat_type(arguments: Sequence[Type]) -> Type | None:
    items = members(element(arguments[0]))
    return ArrayType(union(item.item if isinstance(item, ArrayType) else item for item in items))


@function(
    "flatten(array: Array): Array",
    category="array",
    infer=_flat_type,
    examples=[("flatten([1, [2, [3]], []])", "[1, 2, [3]]")],
)
def flatten(array: list[Any]) -> list[Any]:
    """Takes arrays inside an array apart, one level."""
    flat: list[Any] = []
    for item in array:
        if type(item) is list:
            flat += item
        else:
            flat.append(item)
    return flat


@function(
    "flattenDeep(array: Array): Array",
    category="array",
    infer=lambda arguments: ArrayType(leaves(arguments[0], into_objects=False)),
    examples=[("flattenDeep([1, [2, [3, [4]]]])", "[1, 2, 3, 4]")],
)
def flatten_deep(array: list[Any]) -> list[Any]:
    """Takes arrays inside an array apart, all levels."""
    flat: list[Any] = []
    waiting = [iter(array)]
    while waiting:
        for item in waiting[-1]:
            if type(item) is list:
                waiting.append(iter(item))
                break
            flat.append(item)
        else:
            waiting.pop()
    return flat


@function(
    "compact(array: Array<T>): Array<T>",
    category="array",
    infer=lambda arguments: ArrayType(_certain(element(arguments[0]))),
    examples=[('compact([1, null, "", 0, false, "a"])', '[1, 0, false, "a"]')],
)
def compact(array: list[Any]) -> list[Any]:
    """The elements that are neither null nor the empty text."""
    return [item for item in array if item is not None and item != ""]


def _certain(type_: Type) -> Type:
    return union(member for member in members(type_) if str(member) != "Null")


@function(
    "remove(array: Array<T>, index: Integer): Array<T>",
    category="array",
    examples=[('remove(["a", "b", "c"], 1)', '["a", "c"]'), ("remove([], 0)", "error: position 0")],
)
def remove(array: list[Any], index: int) -> list[Any]:
    """An array without the element at a position."""
    _check_position("remove", index, len(array) - 1, array)
    return array[:index] + array[index + 1 :]


@function(
    "insertBefore(array: Array<T>, index: Integer, value: U): Array<T | U>",
    category="array",
    examples=[("insertBefore([1, 3], 1, 2)", "[1, 2, 3]"), ("insertBefore([], 0, 1)", "[1]")],
)
def insert_before(array: list[Any], index: int, value: Any) -> list[Any]:
    """An array with a value put before the element at a position; after the last with the size as position."""
    _check_position("insertBefore", index, len(array), array)
    return [*array[:index], value, *array[index:]]


@function(
    "insertAfter(array: Array<T>, index: Integer, value: U): Array<T | U>",
    category="array",
    examples=[("insertAfter([1, 3], 0, 2)", "[1, 2, 3]"), ("insertAfter([1], 1, 2)", "error: position 1")],
)
def insert_after(array: list[Any], index: int, value: Any) -> list[Any]:
    """An array with a value put after the element at a position."""
    _check_position("insertAfter", index, len(array) - 1, array)
    return [*array[: index + 1], value, *array[index + 1 :]]


def _check_position(name: str, index: int, highest: int, array: list[Any]) -> None:
    if not 0 <= index <= highest:
        fail(f"{name}: position {index} is outside the array of {len(array)} elements", hint="Positions count from 0.")
