"""Statistics over an array of numbers, and bitwise operations."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.texts import identity
from rolltop.transform.values import INT_MAX, INT_MIN, is_number, leaf, unwrap

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


_PAIR = "(a: Any, b: Any): (Integer | Binary)?"
_BITS = 64


def _whole(value: Any, name: str) -> int:
    if isinstance(value, float) and value.is_integer() and INT_MIN <= value <= INT_MAX:
        return int(value)
    if type(value) is not int:
        fail(f"{name} takes whole numbers of 64 bits, or two binaries", hint="Round the number first.")
    return value


def _combined(a: Any, b: Any, work: Callable[[int, int], int], name: str) -> Any:
    if isinstance(a, bytes) and isinstance(b, bytes):
        if len(a) != len(b):
            fail(f"{name} takes binaries of the same length, not {len(a)} and {len(b)}", hint="Pad the shorter one.")
        return bytes(map(work, a, b))
    left, right = unwrap(a), unwrap(b)
    if not is_number(left) or not is_number(right):
        return None
    return work(_whole(left, name), _whole(right, name))


def _signed(number: int) -> int:
    """The low 64 bits as a signed number."""
    low = number & (1 << _BITS) - 1
    return low - (1 << _BITS) if low >> _BITS - 1 else low


@function(
    f"bitwiseAnd{_PAIR}",
    category="crypto",
    examples=[
        ("bitwiseAnd(12, 10)", "8"),
        ('bitwiseAnd("a", 1)', "null"),
        ('toHex(bitwiseAnd(fromHex("ff0f"), fromHex("0fff")))', '"0f0f"'),
    ],
)
def bitwise_and(a: Any, b: Any) -> Any:
    """The bits that both have; null unless both are whole numbers, or both binary."""
    return _combined(a, b, operator.and_, "bitwiseAnd")


@function(f"bitwiseOr{_PAIR}", category="crypto", examples=[("bitwiseOr(12, 10)", "14")])
def bitwise_or(a: Any, b: Any) -> Any:
    """The bits that one or both have; null unless both are whole numbers, or both binary."""
    return _combined(a, b, operator.or_, "bitwiseOr")


@function(f"bitwiseXor{_PAIR}", category="crypto", examples=[("bitwiseXor(12, 10)", "6")])
def bitwise_xor(a: Any, b: Any) -> Any:
    """The bits that only one has; null unless both are whole numbers, or both binary."""
    return _combined(a, b, operator.xor, "bitwiseXor")


@function(
    "bitwiseNot(a: Any): (Integer | Binary)?",
    category="crypto",
    examples=[("bitwiseNot(5)", "-6"), ('toHex(bitwiseNot(fromHex("00ff")))', '"ff00"')],
)
def bitwise_not(a: Any) -> Any:
    """Every bit turned over; null unless it is a whole number or binary."""
    if isinstance(a, bytes):
        return bytes(255 - byte for byte in a)
    number = unwrap(a)
    return ~_whole(number, "bitwiseNot") if is_number(number) else None


def _distance(k: int) -> int:
    if not 0 <= k < _BITS:
        fail(f"cannot shift by {k} bits", hint="Shift by 0 to 63.")
    return k


@function(
    "shiftLeft(n: Integer | Binary, bits: Integer): Integer | Binary",
    category="crypto",
    examples=[("shiftLeft(1, 4)", "16"), ('toHex(shiftLeft(fromHex("00ff"), 4))', '"0ff0"')],
    params={"bits": "0 to 63"},
)
def shift_left(n: Any, bits: int) -> Any:
    """Bits moved to the left; those that leave on the left are lost."""
    if isinstance(n, bytes):
        moved = int.from_bytes(n) << _distance(bits)
        return (moved & (1 << 8 * len(n)) - 1).to_bytes(len(n))
    return _signed(_whole(n, "shiftLeft") << _distance(bits))


@function(
    "shiftRight(n: Integer | Binary, bits: Integer): Integer | Binary",
    category="crypto",
    examples=[("shiftRight(16, 4)", "1"), ("shiftRight(-16, 2)", "-4"), ("shiftRight(1, 64)", "error: cannot shift")],
    params={"bits": "0 to 63"},
)
def shift_right(n: Any, bits: int) -> Any:
    """Bits moved to the right; the sign of a number stays."""
    if isinstance(n, bytes):
        return (int.from_bytes(n) >> _distance(bits)).to_bytes(len(n))
    return _whole(n, "shiftRight") >> _distance(bits)
