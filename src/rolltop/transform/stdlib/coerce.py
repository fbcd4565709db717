"""From any value to what a declared parameter type promises the body of a function."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextvars import ContextVar
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from rolltop.transform.errors import TypeFailure
from rolltop.transform.types import (
    ANY,
    BINARY,
    BOOLEAN,
    DATE,
    DATETIME,
    INTEGER,
    LOCAL_DATETIME,
    NULL,
    NUMBER,
    STRING,
    TIME,
    ArrayType,
    FunctionType,
    ObjectType,
    Type,
    UnionType,
    Variable,
)
from rolltop.transform.values import Node, arity_of, fit, is_element, kind_of, leaf, parse_number, scalar_text, unwrap

if TYPE_CHECKING:
    from rolltop.transform.stdlib.declare import Signature

__all__ = ["Coercer", "adapt", "coercer_of", "ready_types", "takes"]

Coercer = Callable[[Any, "Signature", int], Any]
"""(value, signature, index of the parameter) to the value that the body gets."""


def coercer_of(wanted: Type) -> Coercer | None:
    """How arguments of this parameter type are coerced; None: they are passed on as they are."""
    if isinstance(wanted, UnionType):
        return _coercer_of_union(wanted)
    if isinstance(wanted, FunctionType):
        return _function_coercer(len(wanted.params))
    if isinstance(wanted, ArrayType):
        return to_array
    if isinstance(wanted, ObjectType):
        return to_object
    return _SCALARS.get(wanted)


def ready_types(wanted: Type) -> frozenset[type]:
    """Python types whose values a coercer of this type would pass on as they are."""
    if isinstance(wanted, UnionType):
        ready = frozenset().union(*map(_ready_in_union, wanted.members))
        # One Python type for two kinds: it is ready where both are wanted.
        return ready | {dt.datetime} if {DATETIME, LOCAL_DATETIME} <= set(wanted.members) else ready
    if isinstance(wanted, ArrayType):
        return frozenset({list})
    if isinstance(wanted, ObjectType):
        return frozenset({dict, Node})
    return _READY.get(wanted, frozenset())


def _ready_in_union(member: Type) -> frozenset[type]:
    # An element with nothing but text stands for the text, so Node is not ready where text may be meant.
    return ready_types(member) - {Node}


_READY: dict[Type, frozenset[type]] = {
    STRING: frozenset({str}),
    NUMBER: frozenset({int, float}),
    INTEGER: frozenset({int}),
    BOOLEAN: frozenset({bool}),
    BINARY: frozenset({bytes}),
    NULL: frozenset({type(None)}),
    DATE: frozenset({dt.date}),
    TIME: frozenset({dt.time}),
}


def _coercer_of_union(wanted: UnionType) -> Coercer | None:
    if NULL in wanted.members and len(wanted.members) == 2:
        inner = coercer_of(wanted.members[0])
        if inner is None:
            return None
        return lambda value, signature, at: None if value is None else inner(value, signature, at)
    if any(isinstance(member, Variable) or member == ANY for member in wanted.members):
        return None
    kinds = frozenset(kind for member in wanted.members for kind in _kinds(member))
    arities = [len(member.params) for member in wanted.members if isinstance(member, FunctionType)]
    # Where an object may be meant, an element that has attributes is one.
    plain = leaf if "string" in kinds and "object" not in kinds else unwrap

    def check(value: Any, signature: Signature, at: int) -> Any:
        for arity in arities:
            if takes(value, arity):
                return value
        value = plain(value)
        if arities and callable(value):
            return adapt(value, arities[0])
        if kind_of(value) not in kinds:
            raise refuse(value, signature, at)
        return value

    return check


def _kinds(member: Type) -> tuple[str, ...]:
    if isinstance(member, ArrayType):
        return ("array",)
    if isinstance(member, ObjectType):
        return ("object",)
    if isinstance(member, FunctionType):
        return ("function",)
    return _KIND_NAMES.get(str(member), ())


_KIND_NAMES = {
    "String": ("string",),
    "Number": ("number",),
    "Integer": ("number",),
    "Boolean": ("boolean",),
    "Null": ("null",),
    "Binary": ("binary",),
    "Date": ("date",),
    "DateTime": ("dateTime",),
    "LocalDateTime": ("localDateTime",),
    "Time": ("time",),
}


def to_string(value: Any, signature: Signature, at: int) -> str:
    if type(value) is str:
        return value
    if value is None:
        return ""
    text = scalar_text(value)
    if text is None:
        raise refuse(value, signature, at)
    return text if leaf(value) is not None else ""


def to_number(value: Any, signature: Signature, at: int) -> int | float:
    kind = type(value)
    if kind is int or kind is float:
        return value  # type: ignore[no-any-return]
    if kind is bool:
        return int(value)
    if kind is Decimal:
        return float(value)
    if value is None:
        return 0
    if kind is str:
        number = parse_number(value)
        if number is not None:
            return number
    inner = unwrap(value)
    if inner is not value:
        return to_number(inner, signature, at)
    raise refuse(value, signature, at)


def to_integer(value: Any, signature: Signature, at: int) -> int:
    number = to_number(value, signature, at)
    try:
        return int(fit(int(number)))
    except (OverflowError, ValueError):
        raise refuse(value, signature, at) from None


def to_boolean(value: Any, signature: Signature, at: int) -> bool:
    if type(value) is bool:
        return value
    if type(value) is str:
        return value.strip().lower() in ("true", "yes", "1")
    if value is None:
        return False
    if isinstance(value, (int, float, Decimal, list, dict)):
        return bool(value)
    return True


def to_binary(value: Any, signature: Signature, at: int) -> bytes:
    if type(value) is bytes:
        return value
    if type(value) is str:
        return value.encode()
    raise refuse(value, signature, at)


READS_XML: ContextVar[bool] = ContextVar("rolltop_transform_reads_xml", default=False)
"""Whether the program that runs reads XML."""
_TEXTS = frozenset({str, int, float})


def to_array(value: Any, signature: Signature, at: int) -> list[Any]:
    if type(value) is list:
        return value
    if is_element(value):
        # One XML child is read as an object, two as an array: one counts as an array of one.
        return [value]
    if type(value) in _TEXTS and READS_XML.get():
        # Nor does an element with text only, which is read as its text, cease to be one of several.
        return [value]
    raise refuse(value, signature, at)


def to_object(value: Any, signature: Signature, at: int) -> dict[str, Any]:
    if type(value) is dict or type(value) is Node:
        return value
    raise refuse(value, signature, at)


_SCALARS: dict[Type, Coercer] = {
    STRING: to_string,
    NUMBER: to_number,
    INTEGER: to_integer,
    BOOLEAN: to_boolean,
    BINARY: to_binary,
}


def _function_coercer(wanted: int) -> Coercer:
    def to_function(value: Any, signature: Signature, at: int) -> Callable[..., Any]:
        if takes(value, wanted):
            return value  # type: ignore[no-any-return]
        if not callable(value):
            raise refuse(value, signature, at)
        return adapt(value, wanted)

    return to_function


def takes(value: Any, count: int) -> bool:
    """Whether a value certainly is a function of so many arguments."""
    arity = getattr(value, "arity", None)
    if arity is not None:
        return bool(arity == count)
    code = getattr(value, "__code__", None)
    return code is not None and code.co_argcount == count and not code.co_flags & _VARIADIC


_VARIADIC = 0x04


def adapt(function: Callable[..., Any], wanted: int) -> Callable[..., Any]:
    """A callable that takes exactly `wanted` arguments: surplus ones are dropped, missing ones are null."""
    arity = arity_of(function)
    if arity is None or arity == wanted:
        return function
    if arity < wanted:
        return lambda *arguments: function(*arguments[:arity])
    padding = (None,) * (arity - wanted)
    return lambda *arguments: function(*arguments, *padding)


def refuse(value: Any, signature: Signature, at: int) -> TypeFailure:
    """The error for an argument of the wrong kind."""
    parameter = signature.parameters[at]
    hint = f"The signature is {signature.text}."
    if isinstance(parameter.type, ArrayType) and kind_of(value) in ("string", "number"):
        hint += " Write toArray(x) for an array of one."
    if isinstance(parameter.type, ArrayType) and kind_of(value) == "object":
        hint += " Write [x] for an array of one object, values(x) or entries(x) for what is in it."
    return TypeFailure(
        f"{signature.name} requires {_wanted(parameter.type)} for '{parameter.name}', got {_article(kind_of(value))}",
        hint=hint,
    )


def _wanted(type_: Type) -> str:
    if isinstance(type_, ArrayType):
        return "an array"
    if isinstance(type_, ObjectType):
        return "an object"
    if isinstance(type_, FunctionType):
        return "a function"
    if isinstance(type_, UnionType):
        return " or ".join(_wanted(member) for member in type_.members)
    return _article({"Integer": "number"}.get(str(type_), str(type_).lower()))


def _article(word: str) -> str:
    if word == "null":
        return word
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
