"""Unions as Avro has them: none inside another, every kind of type once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["kind_in_union", "union"]


def kind_in_union(schema: Any) -> str:
    """What a union has once: a type that has no name, or a name."""
    if not isinstance(schema, dict):
        return str(schema)
    kind = schema.get("type")
    return str(schema.get("name")) if kind in ("record", "error", "enum", "fixed") else kind_in_union(kind)


def union(members: list[Any]) -> Any:
    """One of several. Arrays become an array of one or the other, and maps; a single one needs no union."""
    found: dict[str, Any] = {}
    for schema in _flat(members):
        kind = kind_in_union(schema)
        if kind in ("array", "map") and kind in found:
            inside = "items" if kind == "array" else "values"
            found[kind] = {"type": kind, inside: union([found[kind][inside], schema[inside]])}
        else:
            found.setdefault(kind, schema)
    schemas = list(found.values())
    return schemas[0] if len(schemas) == 1 else schemas


def _flat(members: list[Any]) -> Iterator[Any]:
    for member in members:
        if isinstance(member, list):
            yield from _flat(member)
        else:
            yield member
