"""Statistics of arrays of numbers. Elements that are no numbers, numeric text among them, are passed over."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib._text import identity
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import leaf

Number = int | float
_NUMBERS = frozenset({int, float})


def _numbers(name: str, array: list[Any], least: int) -> list[Number]:
    numbers = array if _NUMBERS.issuperset(map(type, array)) else [n for n in map(_number, array) if n is not None]
    if len(numbers) < least:
        fail(f"{name} requires at least {least} {'number' if least == 1 else 'numbers'}, got {len(numbers)}")
    return numbers


def _number(value: Any) -> Number | None:
    value = leaf(value)
    return value if type(value) in _NUMBERS else None


def _total(numbers: Sequence[float]) -> float:
    """The sum, exact before it is rounded; infinite or not a number where that is what comes out."""
    try:
        return math.fsum(numbers)
    except OverflowError:
        return sum(numbers)
    except ValueError:  # infinities of both signs
        return math.nan


def _at(ordered: list[Number], share: float) -> Number:
    """The value below which a share (0 to 1) of ordered numbers lies, interpolated."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    if low == place:
        return ordered[low]
    return ordered[low] + (ordered[low + 1] - ordered[low]) * (place - low)


@function(
    "median(array: Array): Number",
    category="math",
    examples=[
        ("median([3, 1, 2])", "2"),
        ("median([1, 2, 3, 4])", "2.5"),
        ('median(["1", null, 30])', "30"),
        ("median([])", "error: at least 1 number"),
    ],
)
def median(array: list[Any]) -> Number:
    """The number in the middle, or the mean of the two in the middle; what is no number does not count."""
    ordered = sorted(_numbers("median", array, 1))
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@function(
    "mode(array: Array<T>): T?",
    category="math",
    examples=[('mode(["a", "b", "b", "a", "b"])', '"b"'), ("mode([1, 2])", "1"), ("mode([])", "null")],
)
def mode(array: list[Any]) -> Any:
    """The value that occurs most often (of several the first); null for an empty array."""
    counts: dict[Hashable, int] = {}
    firsts: dict[Hashable, Any] = {}
    for item in array:
        key = identity(item)
        counts[key] = counts.get(key, 0) + 1
        firsts.setdefault(key, item)
    return firsts[max(counts, key=counts.__getitem__)] if counts else None


@function(
    "variance(array: Array): Number",
    category="math",
    examples=[("variance([2, 4, 4, 4, 5, 5, 7, 9]) * 7", "32"), ("variance([1])", "error: at least 2 numbers")],
)
def variance(array: list[Any]) -> float:
    """The variance of a sample: squared distances from the mean, divided by n - 1."""
    numbers = _numbers("variance", array, 2)
    mean = _total(numbers) / len(numbers)
    distances = [n - mean for n in numbers]
    # A product overflows to infinity, where a power is an error.
    return _total([distance * distance for distance in distances]) / (len(numbers) - 1)


@function(
    "stdDev(array: Array): Number",
    category="math",
    examples=[("stdDev([1, 2, 3])", "1"), ("stdDev([1])", "error: at least 2 numbers")],
)
def std_dev(array: list[Any]) -> float:
    """The standard deviation of a sample: the square root of the variance."""
    return math.sqrt(variance(_numbers("stdDev", array, 2)))


@function(
    "percentile(array: Array, p: Number): Number",
    category="math",
    params={"p": "0 to 100"},
    examples=[
        ("percentile([1, 2, 3, 4, 5], 50)", "3"),
        ("percentile([10, 20], 25)", "12.5"),
        ("percentile([1], 101)", "error: 0 to 100"),
    ],
)
def percentile(array: list[Any], p: float) -> Number:
    """The number below which so many percent of the numbers lie, interpolated between neighbours."""
    if not 0 <= p <= 100:
        fail("percentile requires a percentage from 0 to 100")
    return _at(sorted(_numbers("percentile", array, 1)), p / 100)


@function(
    "quartiles(array: Array): Array<Number>",
    category="math",
    examples=[("quartiles([1, 2, 3, 4, 5])", "[2, 3, 4]")],
)
def quartiles(array: list[Any]) -> list[Number]:
    """The three numbers that cut ordered numbers into quarters."""
    ordered = sorted(_numbers("quartiles", array, 1))
    return [_at(ordered, 0.25), _at(ordered, 0.5), _at(ordered, 0.75)]


@function("iqr(array: Array): Number", category="math", examples=[("iqr([1, 2, 3, 4, 5])", "2")])
def iqr(array: list[Any]) -> Number:
    """The distance between the third and the first quartile."""
    low, _, high = quartiles(_numbers("iqr", array, 1))
    return high - low
