"""Pieces of type rules: what a result type is, given the argument types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rolltop.transform.types import (
    ANY,
    NEVER,
    NULL,
    STRING,
    ArrayType,
    FunctionType,
    ObjectType,
    Type,
    UnionType,
    union,
)

__all__ = ["element", "field_union", "merged", "optional", "returned", "same_kind", "without_null"]


def members(type_: Type) -> tuple[Type, ...]:
    return type_.members if isinstance(type_, UnionType) else (type_,)


def without_null(type_: Type) -> Type:
    return union(member for member in members(type_) if member != NULL)


def optional(type_: Type) -> Type:
    return union((type_, NULL))


def element(type_: Type) -> Type:
    """The type of the elements when the value is used as an array (one object is an array of one)."""
    return union(_element(member) for member in members(type_))


def _element(type_: Type) -> Type:
    if isinstance(type_, ArrayType):
        return type_.item
    return type_ if isinstance(type_, ObjectType) else ANY


def returned(type_: Type) -> Type:
    """What calling a value of this type gives."""
    return type_.result if isinstance(type_, FunctionType) else ANY


def field_union(type_: Type) -> Type:
    """Any value of an object of this type."""
    if not isinstance(type_, ObjectType):
        return ANY
    rest = () if type_.rest is None else (type_.rest,)
    return union([*(field for _, field in type_.fields), *rest])


def same_kind(arguments: Sequence[Type]) -> Type | None:
    """The result has the type of the first argument, its fields no longer certain."""
    kinds = [_loosened(member) for member in members(arguments[0])]
    return None if ANY in kinds else union(kinds)


def _loosened(type_: Type) -> Type:
    if isinstance(type_, ObjectType):
        return ObjectType(type_.fields, frozenset(), type_.rest)
    return type_ if isinstance(type_, ArrayType) or type_ == STRING else ANY


def merged(types: Iterable[Type]) -> Type | None:
    """The object type of several objects laid over each other, the later over the earlier."""
    fields: dict[str, Type] = {}
    required: set[str] = set()
    rest: Type | None = None
    for type_ in types:
        if not isinstance(type_, ObjectType):
            return None
        if type_.rest is not None:
            rest = union((rest or NEVER, type_.rest))
            over = type_.index
            fields = {name: old if name in over else union((old, type_.rest)) for name, old in fields.items()}
        for name, field in type_.fields:
            sure = name in type_.required or name not in fields
            fields[name] = field if sure else union((fields[name], field))
        required |= type_.required
    return ObjectType(tuple(fields.items()), frozenset(required), rest)
