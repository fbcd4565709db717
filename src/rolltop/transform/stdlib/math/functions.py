"""Arithmetic, rounding, powers, logarithms and trigonometry."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.host import host
from rolltop.transform.types import INTEGER, NUMBER, Type
from rolltop.transform.values import INT_MAX, INT_MIN, as_decimal, fit, is_number, parse_number, scalar_text

Number = int | float
_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")


def whole(value: Number) -> Number:
    """A whole double as an integer, if it fits; infinities and not-a-number stay."""
    return fit(int(value)) if math.isfinite(value) else value


def _rounded(n: Decimal, digits: int = 0) -> Number | Decimal:
    """Halves of a decimal go to the even neighbour too; the result has just so many digits."""
    made = n.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN)
    return fit(int(made)) if digits <= 0 else made


@function(
    "decimal(value: Any): Number",
    category="math",
    examples=[
        ("decimal(49.99) * 10", "499.9"),
        ('decimal("0.1") + 0.2 == 0.3', "true"),
        ('decimal("x")', "error: spells no number"),
    ],
)
def decimal(value: Any) -> Decimal:
    """An exact decimal number of 28 digits, for money; what is calculated with one is exact too.

    A double counts by its shortest digits. `49.99m` is the same as a literal. Division rounds to 28 digits; functions
    other than abs, avg, ceil, floor, max, min, round, sort, sum and their kin turn a decimal into a double.
    """
    text = scalar_text(value)
    number = parse_number(text.strip()) if text is not None and type(value) is not bool else None
    if number is None or text is None:
        fail("decimal: this spells no number", hint='Give a number or a text of digits such as "49.99".')
    return as_decimal(value) if is_number(value) and type(value) is not float else +Decimal(text.strip())


@function(
    "abs(n: Number): Number",
    category="math",
    decimal=abs,
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
    decimal=_rounded,
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


@function(
    "ceil(n: Number): Integer",
    category="math",
    decimal=lambda n: fit(math.ceil(n)),
    examples=[("ceil(2.1)", "3"), ("ceil(-2.9)", "-2")],
)
def ceil(n: Number) -> Number:
    """The next whole number that is not smaller."""
    try:
        result = math.ceil(n)
    except (OverflowError, ValueError):
        return n  # infinite or not a number
    return result if INT_MIN <= result <= INT_MAX else float(result)


@function(
    "floor(n: Number): Integer",
    category="math",
    decimal=lambda n: fit(math.floor(n)),
    examples=[("floor(2.9)", "2"), ("floor(-2.1)", "-3")],
)
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


GOLDEN_RATIO = (1 + math.sqrt(5)) / 2


@function("pi(): Number", category="math", examples=[("round(pi(), 5)", "3.14159")])
def pi() -> float:
    """The ratio of a circle's circumference to its diameter."""
    return math.pi


@function("e(): Number", category="math", examples=[("round(e(), 5)", "2.71828")])
def e() -> float:
    """The base of the natural logarithm."""
    return math.e


@function("goldenRatio(): Number", category="math", examples=[("round(goldenRatio(), 5)", "1.61803")])
def golden_ratio() -> float:
    """The golden ratio, (1 + √5) / 2."""
    return GOLDEN_RATIO


@function("sin(x: Number): Number", category="math", examples=[("sin(0)", "0"), ("sin(pi() / 2)", "1")])
def sin(x: float) -> float:
    """The sine of an angle in radians."""
    return math.sin(x) if math.isfinite(x) else math.nan


@function("cos(x: Number): Number", category="math", examples=[("cos(0)", "1")])
def cos(x: float) -> float:
    """The cosine of an angle in radians."""
    return math.cos(x) if math.isfinite(x) else math.nan


@function("tan(x: Number): Number", category="math", examples=[("tan(0)", "0"), ("round(tan(pi() / 4), 10)", "1")])
def tan(x: float) -> float:
    """The tangent of an angle in radians."""
    return math.tan(x) if math.isfinite(x) else math.nan


@function(
    "asin(x: Number): Number",
    category="math",
    examples=[("asin(1) == pi() / 2", "true"), ("asin(2)", "error: -1 to 1")],
)
def asin(x: float) -> float:
    """The angle in radians whose sine is x."""
    return math.asin(_ratio("asin", x))


@function("acos(x: Number): Number", category="math", examples=[("acos(1)", "0"), ("acos(-2)", "error: -1 to 1")])
def acos(x: float) -> float:
    """The angle in radians whose cosine is x."""
    return math.acos(_ratio("acos", x))


def _ratio(name: str, x: float) -> float:
    if not -1 <= x <= 1:
        fail(f"{name} requires a number from -1 to 1")
    return x


@function("atan(x: Number): Number", category="math", examples=[("atan(1) == pi() / 4", "true")])
def atan(x: float) -> float:
    """The angle in radians whose tangent is x."""
    return math.atan(x)


@function("atan2(y: Number, x: Number): Number", category="math", examples=[("atan2(1, 0) == pi() / 2", "true")])
def atan2(y: float, x: float) -> float:
    """The angle in radians of the direction to the point (x, y)."""
    return math.atan2(y, x)


@function("sinh(x: Number): Number", category="math", examples=[("sinh(0)", "0")])
def sinh(x: float) -> float:
    """The hyperbolic sine."""
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


@function("cosh(x: Number): Number", category="math", examples=[("cosh(0)", "1")])
def cosh(x: float) -> float:
    """The hyperbolic cosine."""
    try:
        return math.cosh(x)
    except OverflowError:
        return math.inf


@function("tanh(x: Number): Number", category="math", examples=[("tanh(0)", "0")])
def tanh(x: float) -> float:
    """The hyperbolic tangent."""
    return math.tanh(x)


@function("exp(x: Number): Number", category="math", examples=[("exp(0)", "1"), ("exp(1) == e()", "true")])
def exp(x: float) -> float:
    """e raised to a power."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


@function("ln(x: Number): Number", category="math", examples=[("ln(1)", "0"), ("ln(0)", "error: greater than 0")])
def ln(x: float) -> float:
    """The natural logarithm."""
    return math.log(_positive("ln", x))


@function("log10(x: Number): Number", category="math", examples=[("log10(1000)", "3")])
def log10(x: float) -> float:
    """The logarithm to base 10."""
    return math.log10(_positive("log10", x))


@function("log2(x: Number): Number", category="math", examples=[("log2(8)", "3")])
def log2(x: float) -> float:
    """The logarithm to base 2."""
    return math.log2(_positive("log2", x))


@function(
    "logBase(x: Number, base?: Number): Number",
    category="math",
    params={"base": "e by default"},
    examples=[("round(logBase(81, 3), 10)", "4"), ("logBase(1)", "0"), ("logBase(8, 1)", "error: base")],
)
def log_base(x: float, base: float = math.e) -> float:
    """The logarithm to any base."""
    _positive("logBase", x)
    if base <= 0 or base == 1:
        fail("logBase requires a base greater than 0 and other than 1")
    return math.log(x) if base == math.e else math.log(x, base)


def _positive(name: str, x: float) -> float:
    if not x > 0:
        fail(f"{name} requires a number greater than 0")
    return x


@function("toRadians(degrees: Number): Number", category="math", examples=[("toRadians(180) == pi()", "true")])
def to_radians(degrees: float) -> float:
    """An angle in radians, from degrees."""
    return math.radians(degrees)


@function("toDegrees(radians: Number): Number", category="math", examples=[("toDegrees(pi())", "180")])
def to_degrees(radians: float) -> float:
    """An angle in degrees, from radians."""
    return math.degrees(radians)
