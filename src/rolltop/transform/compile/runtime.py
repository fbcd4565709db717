"""What generated code calls besides the operators: short cuts' guards, spreads, computed keys, try."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.run import access, operators
from rolltop.transform.run.recursion import DEEPEST
from rolltop.transform.stdlib.texts import group_key
from rolltop.transform.values import Node, fit, is_element, truthy

__all__ = ["HELPERS", "Surprise"]


class Surprise(Exception):
    """A value that a short cut is not made for."""


def as_array(value: Any) -> list[Any]:
    """What `map` goes over: an array, or one XML element."""
    if type(value) is list:
        return value
    if is_element(value):
        return [value]
    raise Surprise


def only_array(value: Any) -> list[Any]:
    if type(value) is list:
        return value
    raise Surprise


def spread_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def build(parts: list[tuple[str, Any, Any]]) -> dict[str, Any]:
    """An object with attributes or computed keys."""
    properties: dict[str, Any] = {}
    attributes: dict[str, str] = {}
    for kind, key, value in parts:
        if kind == "spread":
            properties.update(spread_object(value))
            continue
        name = access.key_text(key) if kind == "computed" else key
        if kind == "attribute" or (kind == "computed" and len(name) > 1 and name[0] == "@"):
            attributes[name[1:] if kind == "computed" else name] = access.attribute_text(value)
        else:
            properties[name] = value
    return access.object_of(properties, attributes)


def attempt(body: Callable[[], Any], handler: Callable[[str], Any], counter: list[int] | None = None) -> Any:
    """`try`: only failures of the program are caught; surprises go on to the fallback."""
    depth = 0 if counter is None else counter[0]
    try:
        return body()
    except EvaluationFailure as failure:
        if counter is not None:
            counter[0] = depth  # the calls that failed did not count themselves out
        return handler(failure.message)


def enter(counter: list[int]) -> None:
    """A function that calls itself begins; too deep inside itself, the evaluator says so."""
    if counter[0] == DEEPEST:
        raise Surprise
    counter[0] += 1


def leave(counter: list[int], _entered: None, value: Any) -> Any:
    """It ends with this value."""
    counter[0] -= 1
    return value


def no_case() -> NoReturn:
    raise EvaluationFailure("No matching case in match expression")


def member(target: Any, name: str) -> Any:
    """`x?.name`."""
    return access.prop(target, name) if isinstance(target, dict) else None


def guarded(target: Any, rule: Callable[[Any, str], Any], name: str) -> Any:
    """`x?.@name` and the like."""
    return rule(target, name) if isinstance(target, dict) else None


def grouped(values: Iterable[Any], keys: Iterable[str]) -> dict[str, list[Any]]:
    """Values by their keys, both in the order in which they come."""
    groups: dict[str, list[Any]] = {}
    for key, value in zip(keys, values, strict=True):
        if key in groups:
            groups[key].append(value)
        else:
            groups[key] = [value]
    return groups


HELPERS: dict[str, Any] = {
    "AR": as_array,
    "OA": only_array,
    "SA": access.spliced,
    "SO": spread_object,
    "BUILD": build,
    "GROUP": grouped,
    "KEY": group_key,
    "TRY": attempt,
    "ENTER": enter,
    "LEAVE": leave,
    "NOCASE": no_case,
    "SAFE": member,
    "GUARDED": guarded,
    "PROP": access.prop,
    "ATTR": access.attribute,
    "META": access.metadata,
    "VALUES": access.all_values,
    "ATTRS": access.all_attributes,
    "INDEX": access.index,
    "CALL": access.call,
    "TRUE": truthy,
    "FIT": fit,
    "NEG": operators.negate,
    "NODE": Node,
    "NUM": frozenset({int, float}),
    "ADD": operators.add,
    "SUB": operators.subtract,
    "MUL": operators.multiply,
    "DIV": operators.divide,
    "MOD": operators.modulo,
    "POW": operators.power,
    "EQ": operators.same,
    "NE": operators.different,
    "LT": operators.less,
    "LE": operators.less_or_equal,
    "GT": operators.greater,
    "GE": operators.greater_or_equal,
    "INF": float("inf"),
}
