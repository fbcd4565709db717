"""Combine arrays: joins, lookups by key, zip and cross products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import Infer, function
from rolltop.transform.stdlib.limits import check_items
from rolltop.transform.stdlib.rules import element, optional, returned
from rolltop.transform.stdlib.texts import group_key, selector
from rolltop.transform.types import ArrayType, ObjectType, Type, union
from rolltop.transform.values import kind_of

__all__ = ["Key", "by_key", "group"]

Key = str | Callable[[Any], Any]
"""A property name, or a function of the element."""


def group(array: list[Any], key: Key) -> dict[str, list[Any]]:
    """The elements by the text of their key, in the order of first appearance; those without one under `null`."""
    groups: dict[str, list[Any]] = {}
    key_of = selector(key)
    for item in array:
        value = key_of(item)
        text = value if type(value) is str else group_key(value)
        members = groups.get(text)
        if members is None:
            groups[text] = [item]
        else:
            members.append(item)
    return groups


def by_key(array: list[Any], key: Key) -> dict[str, list[Any]]:
    """The elements that have a key, by its text: what joins and lookups match, because null is no key."""
    found: dict[str, list[Any]] = {}
    key_of = selector(key)
    for item in array:
        value = key_of(item)
        if value is None:
            continue
        text = value if type(value) is str else group_key(value)
        if text in found:
            found[text].append(item)
        else:
            found[text] = [item]
    return found


Rows = list[dict[str, Any]]
_PARAMS = {
    "leftKey": "Property name or function that gives the key of a left element",
    "rightKey": "The same for right elements",
}
_LEFT = '[{ id: 1, n: "a" }, { id: 2, n: "b" }]'
_RIGHT = "[{ ref: 1, q: 5 }, { ref: 3, q: 6 }]"


def _rows(*, left_missing: bool = False, right_missing: bool = False) -> Infer:
    def rule(arguments: Sequence[Type]) -> Type | None:
        left, right = element(arguments[0]), element(arguments[1])
        fields = (("l", optional(left) if left_missing else left), ("r", optional(right) if right_missing else right))
        return ArrayType(ObjectType(fields, frozenset({"l", "r"})))

    return rule


@function(
    "join(left: Array<T>, right: Array<U>, leftKey: String | ((T) => Any), rightKey: String | ((U) => Any)): "
    "Array<{ l: T, r: U }>",
    category="array",
    infer=_rows(),
    params=_PARAMS,
    examples=[(f"join({_LEFT}, {_RIGHT}, l => l.id, r => r.ref)", '[{ l: { id: 1, n: "a" }, r: { ref: 1, q: 5 } }]')],
)
def join(left: list[Any], right: list[Any], left_key: Key, right_key: Key) -> Rows:
    """All pairs of elements whose keys match, in the order of the left array."""
    partners = _partners("join", left, right, left_key, right_key)
    return [{"l": ours, "r": theirs} for ours, found in zip(left, partners, strict=True) for theirs in found]


@function(
    "leftJoin(left: Array<T>, right: Array<U>, leftKey: String | ((T) => Any), rightKey: String | ((U) => Any)): "
    "Array<{ l: T, r: U? }>",
    category="array",
    infer=_rows(right_missing=True),
    params=_PARAMS,
    examples=[(f'leftJoin({_LEFT}, {_RIGHT}, "id", "ref") |> map(p => p.r?.q)', "[5, null]")],
)
def left_join(left: list[Any], right: list[Any], left_key: Key, right_key: Key) -> Rows:
    """All pairs of elements whose keys match; a left element without partner has null on the right."""
    partners = _partners("leftJoin", left, right, left_key, right_key, None)
    return [{"l": ours, "r": theirs} for ours, found in zip(left, partners, strict=True) for theirs in found]


@function(
    "rightJoin(left: Array<T>, right: Array<U>, leftKey: String | ((T) => Any), rightKey: String | ((U) => Any)): "
    "Array<{ l: T?, r: U }>",
    category="array",
    infer=_rows(left_missing=True),
    params=_PARAMS,
    examples=[(f'rightJoin({_LEFT}, {_RIGHT}, "id", "ref") |> map(p => p.l?.n)', '["a", null]')],
)
def right_join(left: list[Any], right: list[Any], left_key: Key, right_key: Key) -> Rows:
    """All pairs of elements whose keys match, in the order of the right array; one without partner has null left."""
    partners = _partners("rightJoin", right, left, right_key, left_key, None)
    return [{"l": ours, "r": theirs} for theirs, found in zip(right, partners, strict=True) for ours in found]


@function(
    "fullOuterJoin(left: Array<T>, right: Array<U>, leftKey: String | ((T) => Any), rightKey: String | ((U) => Any)): "
    "Array<{ l: T?, r: U? }>",
    category="array",
    infer=_rows(left_missing=True, right_missing=True),
    params=_PARAMS,
    examples=[
        (
            f'fullOuterJoin({_LEFT}, {_RIGHT}, "id", "ref") |> map(p => [p.l?.id, p.r?.ref])',
            "[[1, 1], [2, null], [null, 3]]",
        )
    ],
)
def full_outer_join(left: list[Any], right: list[Any], left_key: Key, right_key: Key) -> Rows:
    """All pairs of elements whose keys match, then the elements of both sides that have no partner."""
    partners = _partners("fullOuterJoin", left, right, left_key, right_key, None)
    rows = [{"l": ours, "r": theirs} for ours, found in zip(left, partners, strict=True) for theirs in found]
    return rows + [{"l": None, "r": item} for item in _lonely(right, right_key, left, left_key)]


@function(
    "crossJoin(left: Array<T>, right: Array<U>): Array<{ l: T, r: U }>",
    category="array",
    infer=_rows(),
    examples=[('crossJoin([1, 2], ["a"])', '[{ l: 1, r: "a" }, { l: 2, r: "a" }]')],
)
def cross_join(left: list[Any], right: list[Any]) -> Rows:
    """Every left element with every right one."""
    check_items("crossJoin", len(left) * len(right))
    return [{"l": ours, "r": theirs} for ours in left for theirs in right]


@function(
    "joinWith(left: Array<T>, right: Array<U>, leftKey: String | ((T) => Any), rightKey: String | ((U) => Any), "
    "fn: (T, U) => V): Array<V>",
    category="array",
    infer=lambda arguments: ArrayType(returned(arguments[4])),
    params=_PARAMS | {"fn": "Called with the left and the right element of every pair"},
    examples=[(f'joinWith({_LEFT}, {_RIGHT}, "id", "ref", (l, r) => {{ n: l.n, q: r.q }})', '[{ n: "a", q: 5 }]')],
)
def join_with(
    left: list[Any], right: list[Any], left_key: Key, right_key: Key, fn: Callable[[Any, Any], Any]
) -> list[Any]:
    """What a function makes of every pair of elements whose keys match."""
    partners = _partners("joinWith", left, right, left_key, right_key)
    return [fn(ours, theirs) for ours, found in zip(left, partners, strict=True) for theirs in found]


def _partners(name: str, left: list[Any], right: list[Any], left_key: Key, right_key: Key, *lonely: Any) -> list[Any]:
    """For every left element the right ones with its key; `lonely` stands for none."""
    keyed = by_key(right, right_key)
    nobody = list(lonely)
    key_of = selector(left_key)
    partners = [
        nobody if (key := key_of(item)) is None else keyed.get(key if type(key) is str else group_key(key), nobody)
        for item in left
    ]
    check_items(name, sum(map(len, partners)))
    return partners


def _lonely(array: list[Any], key: Key, other: list[Any], other_key: Key) -> list[Any]:
    """The elements that have no partner on the other side."""
    taken = by_key(other, other_key)
    key_of = selector(key)
    return [item for item in array if (value := key_of(item)) is None or group_key(value) not in taken]


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
