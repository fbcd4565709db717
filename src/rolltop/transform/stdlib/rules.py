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

__all__ = [
    "deep_merged",
    "element",
    "field_union",
    "leaves",
    "members",
    "merged",
    "optional",
    "pair_values",
    "reshaped",
    "returned",
    "same_kind",
    "without_null",
]


def members(type_: Type) -> tuple[Type, ...]:
    return type_.members if isinstance(type_, UnionType) else (type_,)


def without_null(type_: Type) -> Type:
    return union(member for member in members(type_) if member != NULL)


def optional(type_: Type) -> Type:
    return union((type_, NULL))


def element(type_: Type) -> Type:
    """The type of the elements when the value is used as an array (one XML element is an array of one)."""
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


Within = tuple[Type, ...]
"""Objects that a rule is inside of: definitions of a schema may hold themselves."""


def deep_merged(left: Type, right: Type, within: Within = ()) -> Type | None:
    """The type of two objects merged part by part; arrays in both are strung together."""
    if any(left is each for each in within[::2]) and any(right is each for each in within[1::2]):
        return ANY
    over = merged((left, right))
    if not isinstance(left, ObjectType) or not isinstance(right, ObjectType) or not isinstance(over, ObjectType):
        return None
    fields = []
    for name, field in over.fields:
        before, after = left.index.get(name), right.index.get(name)
        both = None
        if before is not None and after is not None:
            both = _both(before, after, (*within, left, right))
        fields.append((name, both or field))
    return ObjectType(tuple(fields), over.required, over.rest)


def _both(before: Type, after: Type, within: Within) -> Type | None:
    if isinstance(before, ArrayType) and isinstance(after, ArrayType):
        return ArrayType(union((before.item, after.item)))
    if isinstance(before, ObjectType) and isinstance(after, ObjectType):
        return deep_merged(before, after, within)
    # Kinds that may or may not be containers at run time: whatever either side can be.
    return None if _plain(before) or _plain(after) else ANY


def _plain(type_: Type) -> bool:
    return all(not isinstance(member, (ArrayType, ObjectType)) and member != ANY for member in members(type_))


def leaves(type_: Type, *, into_objects: bool, within: Within = ()) -> Type:
    """The type of what is inside arrays (and objects), however deep."""
    found = []
    for member in members(type_):
        if isinstance(member, ArrayType):
            found.append(leaves(member.item, into_objects=into_objects, within=within))
        elif isinstance(member, ObjectType) and into_objects:
            if not any(member is each for each in within):
                found.append(leaves(field_union(member), into_objects=True, within=(*within, member)))
        else:
            found.append(member)
    return union(found)


def reshaped(type_: Type, leaf: Type, within: Within = ()) -> Type:
    """The same arrays and objects with other leaves."""
    if isinstance(type_, UnionType):
        return union(reshaped(member, leaf, within) for member in type_.members)
    if isinstance(type_, ArrayType):
        return ArrayType(reshaped(type_.item, leaf, within))
    if isinstance(type_, ObjectType):
        if any(type_ is each for each in within):
            return ANY
        inside = (*within, type_)
        fields = tuple((name, reshaped(field, leaf, inside)) for name, field in type_.fields)
        return ObjectType(fields, type_.required, None if type_.rest is None else reshaped(type_.rest, leaf, inside))
    return ANY if type_ == ANY else leaf


def pair_values(arguments: Sequence[Type]) -> Type | None:
    """The object type that an array of [key, value] pairs makes."""
    pair = element(arguments[0])
    return ObjectType(rest=pair.item) if isinstance(pair, ArrayType) else None
