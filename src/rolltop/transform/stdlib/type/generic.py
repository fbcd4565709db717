"""Functions over any value: default values, equality, boolean logic."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.coerce import to_boolean
from rolltop.transform.stdlib.declare import Signature, function, parse_signature
from rolltop.transform.stdlib.rules import element, members, merged, without_null
from rolltop.transform.types import ANY, NULL, STRING, ArrayType, ObjectType, Type, union
from rolltop.transform.values import Node, concat_text, fit, is_element, is_number, kind_of, leaf


def _concat_type(arguments: Sequence[Type]) -> Type | None:
    first = arguments[0]
    if len(arguments) == 1 or first == STRING:
        return first
    if isinstance(first, ArrayType):
        return ArrayType(union(element(argument) for argument in arguments))
    return merged(arguments) if isinstance(first, ObjectType) else ANY


@function(
    "concat(first: T, ...more: Any): T",
    category="type",
    infer=_concat_type,
    examples=[
        ('concat("a", 1, null, "b")', '"a1b"'),
        ("concat([1], [2, 3], [])", "[1, 2, 3]"),
        ("concat({ a: 1 }, { b: 2 })", "{ a: 1, b: 2 }"),
        ("concat(null, null, 5)", "5"),
        ('concat([1], "x")', "error: cannot join"),
    ],
)
def concat(first: Any, *more: Any) -> Any:
    """Joins values of one kind; the first decides: texts and arrays are strung together, objects laid over
    each other, numbers added, booleans or-ed; of nulls the first value that is none."""
    if not more:
        return first
    if isinstance(first, dict) and str in map(type, more):
        first = leaf(first)
    if type(first) is str:
        return "".join([first, *[value if type(value) is str else _joined_text(value) for value in more]])
    if type(first) is list or (is_element(first) and list in map(type, more)):
        return functools.reduce(operator.iadd, map(_elements, more), list(_elements(first)))
    if first is None:
        return next((value for value in more if value is not None), None)
    return _join_alike(first, more)


def _join_alike(first: Any, more: tuple[Any, ...]) -> Any:
    test, join = next((joiner for joiner in _JOINERS if joiner[0](first)), (None, None))
    if test is None or join is None:
        fail(f"concat cannot join values of the kind {kind_of(first)}")
    for value in more:
        if not test(value):
            fail(f"concat cannot join {kind_of(first)} and {kind_of(value)}", hint="Convert the values first.")
    return join([first, *more])


def _joined_text(value: Any) -> str:
    if value is None:
        return ""
    text = concat_text(value)
    if text is None:
        fail(f"concat cannot join string and {kind_of(value)}", hint="Use joinBy for an array.")
    return text


def _elements(value: Any) -> list[Any]:
    if is_element(value):
        return [value]
    if not isinstance(value, list):
        fail(f"concat cannot join array and {kind_of(value)}", hint="Write [value] to add one element.")
    return value


def _merge(objects: list[dict[str, Any]]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    attributes: dict[str, str] = {}
    for value in objects:
        properties.update(value)
        if type(value) is Node:
            attributes.update(value.attributes)
    return Node(properties, attributes) if attributes else properties


_JOINERS: tuple[tuple[Callable[[Any], bool], Callable[[list[Any]], Any]], ...] = (
    (lambda value: isinstance(value, dict), _merge),
    (is_number, lambda numbers: fit(sum(numbers))),
    (lambda value: type(value) is bool, any),
    (lambda value: type(value) is bytes, b"".join),
)


def _coalesce_type(arguments: Sequence[Type]) -> Type | None:
    if any(NULL not in members(argument) and argument != ANY for argument in arguments):
        return union(without_null(argument) for argument in arguments)
    return union([*map(without_null, arguments), NULL])


@function(
    "coalesce(...values: T): T?",
    category="type",
    infer=_coalesce_type,
    examples=[('coalesce(null, "", "x")', '""'), ("coalesce()", "null")],
)
def coalesce(*values: Any) -> Any:
    """The first value that is not null; null when there is none."""
    for value in values:
        if value is not None:
            return value
    return None


def _default_type(arguments: Sequence[Type]) -> Type | None:
    return union((without_null(arguments[0]), arguments[1]))


@function(
    "default(value: T?, fallback: T): T",
    category="type",
    infer=_default_type,
    examples=[("default(null, 5)", "5"), ("default(0, 5)", "0")],
)
def default(value: Any, fallback: Any) -> Any:
    """A value, or the fallback when it is null."""
    return fallback if value is None else value


@function(
    "defaultValue(value: T?, fallback: T): T",
    category="type",
    infer=_default_type,
    examples=[('defaultValue(null, "n/a")', '"n/a"')],
)
def default_value(value: Any, fallback: Any) -> Any:
    """A value, or the fallback when it is null; the same as default."""
    return fallback if value is None else value


@function(
    "if(condition: Boolean, then: T, otherwise: U): T | U",
    category="type",
    examples=[('if (1 < 2) "yes" else "no"', '"yes"')],
)
def if_(condition: bool, then: Any, otherwise: Any) -> Any:
    """One of two values, by a condition. In programs write `if (condition) then else otherwise`."""
    return then if condition else otherwise


@function(
    "isEmpty(value: Any): Boolean",
    category="type",
    examples=[('isEmpty("")', "true"), ("isEmpty([])", "true"), ("isEmpty(null)", "true"), ("isEmpty(0)", "false")],
)
def is_empty(value: Any) -> bool:
    """Whether a value is null, the empty text, an empty array, object or binary."""
    if isinstance(value, dict):
        return not value and not getattr(value, "attributes", None)
    return value is None or (isinstance(value, (str, list, bytes)) and not value)


@function(
    "isNotEmpty(value: Any): Boolean",
    category="type",
    examples=[("isNotEmpty([0])", "true"), ("isNotEmpty({})", "false")],
)
def is_not_empty(value: Any) -> bool:
    """Whether a value is anything but null, empty text, array, object or binary."""
    return not is_empty(value)


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
