"""Bits of whole numbers (64 bits, signed) and of binaries."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import INT_MAX, INT_MIN, is_number, unwrap

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
