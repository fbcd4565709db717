"""Logic on values. As conditions, text is true only when it says true, yes or 1; empty arrays and objects are false."""

from __future__ import annotations

from typing import Any

from rolltop.transform.stdlib.coerce import to_boolean
from rolltop.transform.stdlib.declare import Signature, function, parse_signature

_SIGNATURE: Signature = parse_signature("logic(value: Boolean): Boolean", {})


def true_value(value: Any) -> bool:
    return to_boolean(value, _SIGNATURE, 0)


@function(
    "not(value: Boolean): Boolean",
    category="type",
    examples=[("not(true)", "false"), ('not("no")', "true"), ("not([])", "true")],
)
def not_(value: bool) -> bool:
    """The opposite of a condition."""
    return not value


@function(
    "and(...values: Boolean): Boolean",
    category="type",
    examples=[("and(true, 1, [0])", "true"), ("and(true, false)", "false"), ("and()", "true")],
)
def and_(*values: bool) -> bool:
    """Whether all conditions are true; true without any."""
    return all(values)


@function(
    "or(...values: Boolean): Boolean",
    category="type",
    examples=[("or(false, 1)", "true"), ("or(false, null)", "false"), ("or()", "false")],
)
def or_(*values: bool) -> bool:
    """Whether at least one condition is true; false without any."""
    return any(values)


@function(
    "xor(a: Boolean, b: Boolean): Boolean",
    category="type",
    examples=[("xor(true, false)", "true"), ("xor(true, true)", "false")],
)
def xor(a: bool, b: bool) -> bool:
    """Whether exactly one of two conditions is true."""
    return a is not b


@function(
    "nand(a: Boolean, b: Boolean): Boolean",
    category="type",
    examples=[("nand(true, true)", "false"), ("nand(true, false)", "true")],
)
def nand(a: bool, b: bool) -> bool:
    """Whether not both conditions are true."""
    return not (a and b)


@function(
    "nor(a: Boolean, b: Boolean): Boolean",
    category="type",
    examples=[("nor(false, false)", "true"), ("nor(true, false)", "false")],
)
def nor(a: bool, b: bool) -> bool:
    """Whether neither of two conditions is true."""
    return not (a or b)


@function(
    "xnor(a: Boolean, b: Boolean): Boolean",
    category="type",
    examples=[("xnor(false, false)", "true"), ("xnor(true, false)", "false")],
)
def xnor(a: bool, b: bool) -> bool:
    """Whether both conditions are true or both false."""
    return a is b


@function(
    "implies(a: Boolean, b: Boolean): Boolean",
    category="type",
    examples=[("implies(true, false)", "false"), ("implies(false, false)", "true")],
)
def implies(a: bool, b: bool) -> bool:
    """Whether the second condition is true whenever the first is."""
    return not a or b


@function(
    "all(array: Array): Boolean",
    category="type",
    examples=[("all([true, 1])", "true"), ("all([true, 0])", "false"), ("all([])", "true")],
)
def all_(array: list[Any]) -> bool:
    """Whether all elements are true; true for an empty array."""
    return all(map(true_value, array))


@function("any(array: Array): Boolean", category="type", examples=[("any([false, 1])", "true"), ("any([])", "false")])
def any_(array: list[Any]) -> bool:
    """Whether at least one element is true."""
    return any(map(true_value, array))


@function(
    "none(array: Array): Boolean", category="type", examples=[("none([false, 0])", "true"), ("none([true])", "false")]
)
def none(array: list[Any]) -> bool:
    """Whether no element is true."""
    return not any(map(true_value, array))
