"""Trigonometry, logarithms and constants."""

from __future__ import annotations

import math

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function

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
