"""Everyday arithmetic: rounding, powers, random numbers, whole numbers from text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host
from rolltop.transform.types import INTEGER, NUMBER, Type
from rolltop.transform.values import INT_MAX, INT_MIN, fit, scalar_text

Number = int | float
_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")


def whole(value: Number) -> Number:
    """A whole double as an integer, if it fits; infinities and not-a-number stay."""
    return fit(int(value)) if math.isfinite(value) else value


@function(
    "abs(n: Number): Number",
    category="math",
    infer=lambda arguments: INTEGER if arguments[0] == INTEGER else NUMBER,
    examples=[("abs(-2.5)", "2.5"), ("abs(3)", "3"), ('abs("-4")', "4")],
)
def abs_(n: Number) -> Number:
    """A number without its sign."""
    return -n if n < 0 and n != INT_MIN else fit(abs(n)) if n == INT_MIN else n


def _round_type(arguments: Sequence[Type]) -> Type | None:
    return INTEGER if len(arguments) == 1 or arguments[0] == INTEGER else NUMBER


@function(
    "round(n: Number, digits?: Integer): Number",
    category="math",
    infer=_round_type,
    params={"digits": "Digits after the point; 0 by default, negative for tens and hundreds"},
    examples=[
        ("round(2.6)", "3"),
        ("round(2.5)", "2"),
        ("round(3.14159, 2)", "3.14"),
        ("round(1234, -2)", "1200"),
    ],
)
def round_(n: Number, digits: int = 0) -> Number:
    """The nearest number with so many digits; halves go to the even neighbour."""
    if type(n) is int:
        return n if digits >= 0 else fit(round(n, max(digits, -20)))
    if not math.isfinite(n):
        return n
    if digits <= 0:
        return whole(round(n, digits)) if digits else fit(round(n))
    if digits > 300:
        return n
    scaled = n * 10.0**digits
    # Beyond 2^53 a double has no fraction left to round.
    return round(scaled) / 10.0**digits if abs(scaled) < 2**53 else n


@function("ceil(n: Number): Integer", category="math", examples=[("ceil(2.1)", "3"), ("ceil(-2.9)", "-2")])
def ceil(n: Number) -> Number:
    """The next whole number that is not smaller."""
    try:
        result = math.ceil(n)
    except (OverflowError, ValueError):
        return n  # infinite or not a number
    return result if INT_MIN <= result <= INT_MAX else float(result)


@function("floor(n: Number): Integer", category="math", examples=[("floor(2.9)", "2"), ("floor(-2.1)", "-3")])
def floor(n: Number) -> Number:
    """The next whole number that is not larger."""
    try:
        result = math.floor(n)
    except (OverflowError, ValueError):
        return n  # infinite or not a number
    return result if INT_MIN <= result <= INT_MAX else float(result)


@function(
    "pow(base: Number, exponent: Number): Number",
    category="math",
    examples=[("pow(2, 10)", "1024"), ("pow(2, -1)", "0.5"), ("pow(9, 0.5)", "3")],
)
def pow_(base: Number, exponent: Number) -> float:
    """A number raised to a power."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        negative = base < 0 and exponent % 2 == 1
        return -math.inf if negative else math.inf
    except ValueError:
        return math.inf if base == 0 else math.nan


@function("sqrt(n: Number): Number", category="math", examples=[("sqrt(9)", "3"), ("sqrt(2) ** 2 > 1.999", "true")])
def sqrt(n: Number) -> float:
    """The square root; not a number for negative ones."""
    return math.sqrt(n) if n >= 0 else math.nan


@function("random(): Number", category="math", pure=False, examples=[("random() < 1", "true")])
def random() -> float:
    """A random number from 0 up to (not including) 1."""
    return host().random.random()


@function(
    "parseInt(value: Any): Integer",
    category="math",
    examples=[
        ('parseInt("42")', "42"),
        ('parseInt("-7")', "-7"),
        ("parseInt(42.0)", "42"),
        ('parseInt("42.0")', "error: whole"),
        ('parseInt(" 42")', "error: whole"),
    ],
)
def parse_int(value: Any) -> int:
    """The whole number that a text of digits spells, or that a number is; anything else is an error."""
    text = scalar_text(value)
    if text is None or _WHOLE.fullmatch(text) is None:
        fail(
            "parseInt requires text that spells a whole number, in digits only",
            hint="Use trim(value) for blanks around it, floor(toNumber(value)) to cut decimals off.",
        )
    result = int(text)
    if not INT_MIN <= result <= INT_MAX:
        fail("parseInt: the number does not fit into 64 bits")
    return result
