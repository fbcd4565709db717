"""From a type of the language to JSON Schema, counting what is uncertain on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rolltop.transform.types import NULL, ArrayType, ObjectType, RepeatedType, Scalar, Type, UnionType

__all__ = ["Described", "describe_type"]

_SCALARS: dict[str, dict[str, Any]] = {
    "String": {"type": "string"},
    "Number": {"type": "number"},
    "Integer": {"type": "integer"},
    "Boolean": {"type": "boolean"},
    "Null": {"type": "null"},
    "Date": {"type": "string", "format": "date"},
    "DateTime": {"type": "string", "format": "date-time"},
    "LocalDateTime": {"type": "string"},
    "Time": {"type": "string"},
    "Binary": {"type": "string", "contentEncoding": "base64"},
}


@dataclass(slots=True)
class Described:
    """A schema, how many leaves it has, and the paths of those that nobody can be sure about."""

    schema: dict[str, Any] = field(default_factory=dict)
    leaves: int = 0
    uncertain: list[str] = field(default_factory=list)

    @property
    def vague_root(self) -> bool:
        return "" in self.uncertain or "(result)" in self.uncertain


def describe_type(type_: Type) -> Described:
    """The JSON Schema of the values that the type has when they are written as JSON."""
    described = Described()
    described.schema = _schema(type_, "", described)
    return described


def _schema(type_: Type, path: str, seen: Described) -> dict[str, Any]:
    if isinstance(type_, ObjectType):
        return _object(type_, path, seen)
    if isinstance(type_, ArrayType):
        items = _schema(type_.item, f"{path}[]", seen)
        array = {"type": "array", "items": items} if items else {"type": "array"}
        return {"anyOf": [items, array]} if isinstance(type_, RepeatedType) else array
    if isinstance(type_, UnionType):
        return _union(type_, path, seen)
    seen.leaves += 1
    known = _SCALARS.get(type_.name) if isinstance(type_, Scalar) else None
    if known is None:
        seen.uncertain.append(path or "(result)")
        return {}
    return dict(known)


def _object(type_: ObjectType, path: str, seen: Described) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": "object"}
    if not type_.fields:
        seen.leaves += 1
    inner = f"{path}." if path else ""
    properties = {name: _schema(part, inner + name, seen) for name, part in type_.fields}
    if properties:
        shown["properties"] = properties
    required = [name for name, _ in type_.fields if name in type_.required]
    if required:
        shown["required"] = required
    if type_.rest is not None:
        shown.update(_others(type_.rest, path, seen))
    return shown


def _others(rest: Type, path: str, seen: Described) -> dict[str, Any]:
    others = _schema(rest, f"{path}.*" if path else "*", seen)
    return {"additionalProperties": others} if others else {}


def _union(type_: UnionType, path: str, seen: Described) -> dict[str, Any]:
    real = [member for member in type_.members if member != NULL]
    options = [_schema(member, path, seen) for member in real]
    if len(real) > 1 and path not in seen.uncertain:
        seen.uncertain.append(path or "(result)")
    if any(not option for option in options):
        return {}
    if len(real) < len(type_.members):
        options.append({"type": "null"})
    if all(set(option) == {"type"} for option in options):
        return {"type": [option["type"] for option in options]}
    return {"anyOf": options}
