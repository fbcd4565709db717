"""Joins of two arrays as in a database. Keys match by text, so that `7` meets `"7"`; null never matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rolltop.transform.stdlib._grouping import Key, by_key
from rolltop.transform.stdlib._limits import check_items
from rolltop.transform.stdlib._rules import element, optional, returned
from rolltop.transform.stdlib._text import group_key, selector
from rolltop.transform.stdlib.declare import Infer, function
from rolltop.transform.types import ArrayType, ObjectType, Type

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
