"""The types that the checker, the inference and the standard library's signatures speak of.

Types are immutable and hashable. `parse_type` reads the notation used in signatures and annotations::

    String Number Integer Boolean Null Date DateTime LocalDateTime Time Binary Any Never
    Object  Map<T>  Array  Array<T>  T? (T or null)  A | B  (A, B) => R  T U V (type variables)
    { name: String, note?: String }   (closed)      { name: String, ... }   (open)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

__all__ = [
    "ANY",
    "BINARY",
    "BOOLEAN",
    "DATE",
    "DATETIME",
    "INTEGER",
    "LOCAL_DATETIME",
    "NEVER",
    "NULL",
    "NUMBER",
    "OBJECT",
    "STRING",
    "TIME",
    "ArrayType",
    "FunctionType",
    "ObjectType",
    "RepeatedType",
    "Scalar",
    "Type",
    "UnionType",
    "Variable",
    "has_variables",
    "parse_type",
    "union",
]


class Type:
    """Base of all types. Written out, not generated: every start of a program that calls a function pays for it."""

    __slots__ = ()

    def _parts(self) -> tuple[object, ...]:
        """What makes two types of one class equal."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Type) and type(self) is type(other) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self), self._parts()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


class Scalar(Type):
    """A type without parts. There is one object of each, so that they are compared by identity."""

    __slots__ = ("name",)
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return parse_type, (self.name,)

    def __str__(self) -> str:
        return self.name


class Variable(Type):
    """A type variable of a signature: bound by the arguments, used by the result."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def _parts(self) -> tuple[object, ...]:
        return (self.name,)

    def __str__(self) -> str:
        return self.name


class ArrayType(Type):
    __slots__ = ("item",)

    def __init__(self, item: Type) -> None:
        self.item = item

    def _parts(self) -> tuple[object, ...]:
        return (self.item,)

    def __str__(self) -> str:
        return f"Array<{self.item}>"


class RepeatedType(ArrayType):
    """Elements of one name in XML: an array where there are several, the element itself where there is one."""

    __slots__ = ()


class ObjectType(Type):
    """Known fields, which of them are always there, and the type of any other field (None: no others).

    `described`: a schema or a sample of the input names these fields. Others may be there, but a program that asks for
    one has probably misspelled it.
    """

    __slots__ = ("described", "fields", "index", "required", "rest")

    def __init__(
        self,
        fields: tuple[tuple[str, Type], ...] = (),
        required: frozenset[str] = frozenset(),
        rest: Type | None = None,
        *,
        described: bool = False,
    ) -> None:
        self.described = described
        self.fields = fields
        self.required = required
        self.rest = rest
        self.index = dict(fields)

    def _parts(self) -> tuple[object, ...]:
        return self.fields, self.required, self.rest

    def __str__(self) -> str:
        if not self.fields:
            return "Object" if self.rest is ANY else "{}" if self.rest is None else f"Map<{self.rest}>"
        shown = [f"{name}{'' if name in self.required else '?'}: {type_}" for name, type_ in self.fields]
        return "{ " + ", ".join([*shown, *(["..."] if self.rest is not None else [])]) + " }"


class FunctionType(Type):
    __slots__ = ("params", "result")

    def __init__(self, params: tuple[Type, ...], result: Type) -> None:
        self.params = params
        self.result = result

    def _parts(self) -> tuple[object, ...]:
        return self.params, self.result

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.params))}) => {self.result}"


class UnionType(Type):
    """Two or more members, flat, without duplicates, `Null` last."""

    __slots__ = ("members",)

    def __init__(self, members: tuple[Type, ...]) -> None:
        self.members = members

    def _parts(self) -> tuple[object, ...]:
        return self.members

    def __str__(self) -> str:
        if len(self.members) == 2 and self.members[1] is NULL:
            inner = str(self.members[0])
            return f"({inner})?" if isinstance(self.members[0], FunctionType) else f"{inner}?"
        return " | ".join(map(str, self.members))


STRING, NUMBER, INTEGER, BOOLEAN = Scalar("String"), Scalar("Number"), Scalar("Integer"), Scalar("Boolean")
NULL, ANY, NEVER, BINARY = Scalar("Null"), Scalar("Any"), Scalar("Never"), Scalar("Binary")
DATE, DATETIME, LOCAL_DATETIME, TIME = Scalar("Date"), Scalar("DateTime"), Scalar("LocalDateTime"), Scalar("Time")
OBJECT = ObjectType(rest=ANY)
_EMPTY_ARRAY = ArrayType(NEVER)

_NAMED: dict[str, Type] = {
    scalar.name: scalar
    for scalar in (
        STRING, NUMBER, INTEGER, BOOLEAN, NULL, ANY, NEVER, BINARY, DATE, DATETIME, LOCAL_DATETIME, TIME,
    )
}  # fmt: skip
_NAMED["Object"] = OBJECT
_NAMED["Array"] = ArrayType(ANY)
_NAMED["Function"] = FunctionType((), ANY)


def union(types: Iterable[Type]) -> Type:
    """The least type that holds all of them.

    Integer disappears beside Number, an empty array beside other arrays, everything beside Any.
    """
    flat: list[Type] = []
    for type_ in types:
        if type_ is ANY:
            return ANY
        for member in type_.members if isinstance(type_, UnionType) else (type_,):
            if member is not NEVER and member not in flat:
                flat.append(member)
    if len(flat) < 2:
        return flat[0] if flat else NEVER
    if NUMBER in flat and INTEGER in flat:
        flat.remove(INTEGER)
    if _EMPTY_ARRAY in flat and sum(isinstance(member, ArrayType) for member in flat) > 1:
        flat.remove(_EMPTY_ARRAY)
    if NULL in flat:
        flat.remove(NULL)
        flat.append(NULL)
    return flat[0] if len(flat) == 1 else UnionType(tuple(flat))


def has_variables(type_: Type) -> bool:
    """Whether a type variable is in it."""
    if isinstance(type_, ArrayType):
        return has_variables(type_.item)
    if isinstance(type_, UnionType):
        return any(map(has_variables, type_.members))
    if isinstance(type_, FunctionType):
        return has_variables(type_.result) or any(map(has_variables, type_.params))
    if isinstance(type_, ObjectType):
        parts = [part for _, part in type_.fields]
        return any(map(has_variables, parts if type_.rest is None else [*parts, type_.rest]))
    return isinstance(type_, Variable)


@cache
def parse_type(text: str) -> Type:
    """Read a type; `ValueError` says what was not understood."""
    reader = _Reader(text)
    type_ = reader.union()
    reader.done()
    return type_


class _Reader:
    _TOKEN = re.compile(r"\s*(=>|\.\.\.|[A-Za-z_$@%#][\w$@.:-]*|[<>(){}\[\],?|:])")

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = self._TOKEN.match(text, position)
            if match is None:
                raise ValueError(f"cannot read the type {self.text!r} at {text[position:]!r}")
            self.tokens.append(match[1])
            position = match.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str | None = None) -> str:
        token = self.peek()
        if not token or (wanted is not None and token != wanted):
            raise ValueError(f"cannot read the type {self.text!r}: expected {wanted or 'a type'}, found {token!r}")
        self.at += 1
        return token

    def done(self) -> None:
        if self.peek():
            raise ValueError(f"cannot read the type {self.text!r}: {self.peek()!r} is left over")

    def union(self) -> Type:
        members = [self.optional()]
        while self.peek() == "|":
            self.take()
            members.append(self.optional())
        return members[0] if len(members) == 1 else union(members)

    def optional(self) -> Type:
        type_ = self.primary()
        while self.peek() == "?":
            self.take()
            type_ = union((type_, NULL))
        return type_

    def primary(self) -> Type:
        token = self.take()
        if token == "(":
            return self.function()
        if token == "{":
            return self.object()
        if token in ("Array", "Map") and self.peek() == "<":
            self.take("<")
            inner = self.union()
            self.take(">")
            return ArrayType(inner) if token == "Array" else ObjectType(rest=inner)
        if token in _NAMED:
            return _NAMED[token]
        if len(token) == 1 and token.isupper():
            return Variable(token)
        raise ValueError(f"unknown type {token!r}")

    def function(self) -> Type:
        params: list[Type] = []
        while self.peek() != ")":
            params.append(self.union())
            if self.peek() == ",":
                self.take()
        self.take(")")
        if self.peek() != "=>" and len(params) == 1:
            return params[0]
        self.take("=>")
        return FunctionType(tuple(params), self.union())

    def object(self) -> Type:
        fields: list[tuple[str, Type]] = []
        required: set[str] = set()
        rest: Type | None = None
        while self.peek() != "}":
            name = self.take().removesuffix(":")
            if name == "...":
                rest = ANY
            else:
                optional = self.peek() == "?"
                if optional:
                    self.take()
                if self.peek() == ":":
                    self.take()
                fields.append((name, self.union()))
                if not optional:
                    required.add(name)
            if self.peek() == ",":
                self.take()
        self.take("}")
        return ObjectType(tuple(fields), frozenset(required), rest)
