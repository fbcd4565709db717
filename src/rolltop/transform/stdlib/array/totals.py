"""Totals over an array: count, sum, avg, min, max, joined text. Numeric text counts as a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.array.order import ordering
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.rules import element, members, optional
from rolltop.transform.stdlib.texts import key_text, selector
from rolltop.transform.types import DATE, DATETIME, INTEGER, LOCAL_DATETIME, NUMBER, STRING, TIME, Type, union
from rolltop.transform.values import (
    as_decimal,
    concat_text,
    fit,
    is_number,
    is_temporal,
    kind_of,
    parse_number,
    truthy,
    unwrap,
)

__all__ = ["NUMBERS", "numbers_of"]

NUMBERS = frozenset({int, float})


def numbers_of(name: str, array: list[Any]) -> list[Any]:
    """The elements as numbers, all of them decimals if one is; an error names the first that is no number."""
    if NUMBERS.issuperset(map(type, array)):
        return array
    numbers = [_number(name, at, value) for at, value in enumerate(array)]
    return list(map(as_decimal, numbers)) if Decimal in map(type, numbers) else numbers


def _number(name: str, at: int, value: Any) -> int | float | Decimal:
    value = unwrap(value)
    if is_number(value):
        return value  # type: ignore[no-any-return]
    number = parse_number(value) if type(value) is str else None
    if number is None:
        what = "text that is no number" if type(value) is str else kind_of(value)
        fail(
            f"{name} requires numbers, but element {at} is {what}",
            hint="Filter such elements out first, or convert them with toNumber.",
        )
    return number


Key = str | Callable[[Any], Any]
_KEY = {"key": "Property name or function that gives the number"}


@function("size(array: Array): Integer", category="array", examples=[("size([1, 2])", "2")])
def size(array: list[Any]) -> int:
    """How many elements an array has."""
    return len(array)


@function(
    "count(array: Array): Integer",
    category="array",
    examples=[("count([1, 2, null])", "3"), ('count("abc")', "error: requires an array")],
)
def count(array: list[Any]) -> int:
    """How many elements an array has."""
    return len(array)


@function(
    "countBy(array: Array<T>, fn: (T) => Any): Integer",
    category="array",
    examples=[("countBy([1, 2, 3], x => x > 1)", "2")],
)
def count_by(array: list[Any], fn: Callable[[Any], Any]) -> int:
    """How many elements satisfy a condition."""
    return sum([truthy(fn(item)) for item in array])


def _sum_type(arguments: Sequence[Type]) -> Type | None:
    return INTEGER if element(arguments[0]) == INTEGER else NUMBER


@function(
    "sum(array: Array<Number>): Number",
    category="array",
    infer=_sum_type,
    examples=[
        ("sum([1, 2.5])", "3.5"),
        ("sum([])", "0"),
        ('sum(["2", 3])', "5"),
        ("sum([1, null])", "error: element 1 is null"),
    ],
)
def sum_(array: list[Any]) -> int | float:
    """The sum of numbers and numeric texts; 0 for an empty array."""
    if not NUMBERS.issuperset(map(type, array)):
        array = numbers_of("sum", array)
    total = sum(array)
    return total if type(total) is float else fit(total)


@function(
    "sumBy(array: Array<T>, key: String | ((T) => Any)): Number",
    category="array",
    params=_KEY,
    examples=[("sumBy([{ n: 1 }, { n: 2 }], r => r.n)", "3"), ('sumBy([{ n: 1 }, { n: 2 }], "n")', "3")],
)
def sum_by(array: list[Any], key: Key) -> int | float:
    """The sum of what a key gives for the elements."""
    return sum_(numbers_of("sumBy", list(map(selector(key), array))))


@function(
    "avg(array: Array<Number>): Number?",
    category="array",
    examples=[("avg([1, 2])", "1.5"), ("avg([])", "null")],
)
def avg(array: list[Any]) -> float | None:
    """The mean of numbers and numeric texts; null for an empty array."""
    return sum(numbers_of("avg", array)) / len(array) if array else None


@function(
    "avgBy(array: Array<T>, key: String | ((T) => Any)): Number?",
    category="array",
    params=_KEY,
    examples=[("avgBy([{ n: 1 }, { n: 2 }], r => r.n)", "1.5"), ("avgBy([], r => r)", "null")],
)
def avg_by(array: list[Any], key: Key) -> float | None:
    """The mean of what a key gives for the elements; null for an empty array."""
    return sum(numbers_of("avgBy", list(map(selector(key), array)))) / len(array) if array else None


def _extreme_type(arguments: Sequence[Type]) -> Type | None:
    alone = len(arguments) == 1
    kinds = members(element(arguments[0]) if alone else union(arguments))
    if all(kind in _NUMERIC for kind in kinds):
        found: Type = union(NUMBER if kind == STRING else kind for kind in kinds)
    elif len(kinds) == 1 and kinds[0] in _TEMPORAL:
        found = kinds[0]
    else:
        return None
    return optional(found) if alone else found


_NUMERIC = frozenset({NUMBER, INTEGER, STRING})
_TEMPORAL = frozenset({DATE, DATETIME, LOCAL_DATETIME, TIME})


@function(
    "min(first: Any, ...more: Any): Any",
    category="array",
    infer=_extreme_type,
    params={"first": "An array, or the first of several values"},
    examples=[("min([3, 1, 2])", "1"), ("min(3, 1.5)", "1.5"), ("min([])", "null"), ("min(3)", "error: array")],
)
def min_(first: Any, *more: Any) -> Any:
    """The smallest of numbers (or of dates); null for an empty array."""
    if not more and type(first) is list and NUMBERS.issuperset(map(type, first)):
        return min(first) if first else None
    return _extreme("min", first, more, min)


@function(
    "max(first: Any, ...more: Any): Any",
    category="array",
    infer=_extreme_type,
    params={"first": "An array, or the first of several values"},
    examples=[("max([3, 1, 2])", "3"), ('max(3, "10")', "10"), ("max([])", "null"), ("max(3)", "error: array")],
)
def max_(first: Any, *more: Any) -> Any:
    """The largest of numbers (or of dates); null for an empty array."""
    if not more and type(first) is list and NUMBERS.issuperset(map(type, first)):
        return max(first) if first else None
    return _extreme("max", first, more, max)


def _extreme(name: str, first: Any, more: tuple[Any, ...], choose: Callable[..., Any]) -> Any:
    if not more and not isinstance(first, list):
        fail(f"{name} requires an array or several numbers, got {kind_of(first)}")
    array: list[Any] = [first, *more] if more else first
    if not array:
        return None
    if all(map(is_temporal, array)):
        keys = ordering(array)
        return array[choose(range(len(array)), key=keys.__getitem__)]
    return choose(numbers_of(name, array))


@function(
    "joinToString(array: Array, separator?: String): String",
    category="array",
    params={"separator": "A comma by default"},
    examples=[('joinToString(["a", 1, null])', '"a,1,null"'), ('joinToString(["a", "b"], " + ")', '"a + b"')],
)
def join_to_string(array: list[Any], separator: str = ",") -> str:
    """Joins the texts of the elements with a separator; null prints as null and 1.0 as 1.0."""
    try:
        return separator.join(array)
    except TypeError:
        return separator.join([_raw_text(item) for item in array])


def _raw_text(value: Any) -> str:
    text = concat_text(value)
    return key_text(value) if text is None else text
