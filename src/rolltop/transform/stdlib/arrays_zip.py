"""Arrays side by side: zipping, unzipping, transposing."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._limits import check_items
from rolltop.transform.stdlib._rules import element
from rolltop.transform.stdlib.declare import function
from rolltop.transform.types import ArrayType, union
from rolltop.transform.values import kind_of


@function(
    "zip(left: Array<T>, right: Array<U>): Array<Array<T | U>>",
    category="array",
    examples=[('zip([1, 2, 3], ["a", "b"])', '[[1, "a"], [2, "b"]]')],
)
def zip_(left: list[Any], right: list[Any]) -> list[list[Any]]:
    """Pairs of the elements at the same places, as many as the shorter array has."""
    return [[a, b] for a, b in zip(left, right, strict=False)]


@function(
    "zipWith(first: Array, ...more: Array): Array<Array>",
    category="array",
    infer=lambda arguments: ArrayType(ArrayType(union(map(element, arguments)))),
    examples=[('zipWith([1, 2], ["a", "b"], [true, false, true])', '[[1, "a", true], [2, "b", false]]')],
)
def zip_with(first: list[Any], *more: list[Any]) -> list[list[Any]]:
    """Rows of the elements at the same places of any number of arrays, as many as the shortest has."""
    return [list(row) for row in zip(first, *more, strict=False)]


@function(
    "zipAll(arrays: Array<Array<T>>, filler: U): Array<Array<T | U>>",
    category="array",
    examples=[('zipAll([[1, 2, 3], ["a"]], null)', '[[1, "a"], [2, null], [3, null]]'), ("zipAll([], 0)", "[]")],
)
def zip_all(arrays: list[Any], filler: Any) -> list[list[Any]]:
    """Rows of the elements at the same places, as many as the longest array has; a filler stands for missing ones."""
    rows = [_row("zipAll", item) for item in arrays]
    check_items("zipAll", len(rows) * max(map(len, rows), default=0))
    return [list(row) for row in zip_longest(*rows, fillvalue=filler)]


@function(
    "zipWithIndex(array: Array<T>): Array<Array<Integer | T>>",
    category="array",
    examples=[('zipWithIndex(["a", "b"])', '[[0, "a"], [1, "b"]]')],
)
def zip_with_index(array: list[Any]) -> list[list[Any]]:
    """Pairs of position and element."""
    return [[at, item] for at, item in enumerate(array)]


@function(
    "unzip(pairs: Array<Array<T>>): Array<Array<T>>",
    category="array",
    examples=[('unzip([[1, "a"], [2, "b"]])', '[[1, 2], ["a", "b"]]'), ("unzip([])", "[[], []]")],
)
def unzip(pairs: list[Any]) -> list[list[Any]]:
    """From pairs an array of the first and one of the second parts."""
    rows = [_row("unzip", pair) for pair in pairs]
    if any(len(row) < 2 for row in rows):
        fail("unzip requires pairs, but an element has fewer than 2 parts")
    return [[row[0] for row in rows], [row[1] for row in rows]]


@function(
    "unzipN(tuples: Array<Array<T>>): Array<Array<T>>",
    category="array",
    examples=[
        ('unzipN([[1, "a", true], [2, "b", false]])', '[[1, 2], ["a", "b"], [true, false]]'),
        ("unzipN([[1], [1, 2]])", "error: same size"),
    ],
)
def unzip_n(tuples: list[Any]) -> list[list[Any]]:
    """From rows of one size an array of all first parts, one of all second parts and so on."""
    rows = [_row("unzipN", row) for row in tuples]
    if len(set(map(len, rows))) > 1:
        fail("unzipN requires elements of the same size", hint="Use transpose for rows of different sizes.")
    return [list(column) for column in zip(*rows, strict=True)]


@function(
    "transpose(rows: Array<Array<T>>): Array<Array<T>>",
    category="array",
    examples=[
        ("transpose([[1, 2, 3], [4, 5, 6]])", "[[1, 4], [2, 5], [3, 6]]"),
        ("transpose([[1, 2], [3]])", "[[1, 3], [2]]"),
    ],
)
def transpose(rows: list[Any]) -> list[list[Any]]:
    """Turns rows into columns; cells missing in short rows are skipped."""
    grid = [_row("transpose", row) for row in rows]
    if len(set(map(len, grid))) <= 1:
        return [list(column) for column in zip(*grid, strict=True)]
    columns: list[list[Any]] = [[] for _ in range(max(map(len, grid)))]
    for row in grid:
        for column, cell in zip(columns, row, strict=False):
            column.append(cell)
    return columns


def _row(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        fail(f"{name} requires an array of arrays, but an element is {kind_of(value)}")
    return value
