"""From a schema of the input to the type that the inference starts with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.types import (
    ANY,
    BOOLEAN,
    INTEGER,
    NEVER,
    NULL,
    NUMBER,
    STRING,
    ArrayType,
    ObjectType,
    RepeatedType,
    Type,
    union,
)

__all__ = ["type_of_schema"]

_SIMPLE: dict[str, Type] = {
    "string": STRING,
    "number": NUMBER,
    "integer": INTEGER,
    "boolean": BOOLEAN,
    "null": NULL,
}
_MAX_DEPTH = 40


def type_of_schema(schema: Any, *, closed: bool = False) -> Type:
    """The type of the values that a JSON Schema allows; what it does not say is Any.

    `closed`: objects have no more fields than it says, as other kinds of schemas mean it.
    """
    return _Reader(schema, closed).type(schema, 0)


class _Reader:
    def __init__(self, root: Any, closed: bool) -> None:
        self.root = root
        self.closed = closed

    def type(self, schema: Any, depth: int) -> Type:
        if schema is False:
            return NEVER
        if not isinstance(schema, dict) or depth > _MAX_DEPTH:
            return ANY
        if isinstance(schema.get("$ref"), str):
            return self.type(self._target(schema["$ref"]), depth + 1)
        if "const" in schema:
            return _of_values([schema["const"]])
        if isinstance(schema.get("enum"), list):
            return _of_values(schema["enum"])
        for choice in ("oneOf", "anyOf"):
            if isinstance(schema.get(choice), list):
                return union(self.type(option, depth + 1) for option in schema[choice])
        declared = schema.get("type")
        if isinstance(declared, list):
            return union(self._named(name, schema, depth) for name in declared)
        if declared is None and ("properties" in schema or "attributes" in schema):
            declared = "object"
        return self._named(declared, schema, depth)

    def _named(self, name: Any, schema: Mapping[str, Any], depth: int) -> Type:
        if name == "object":
            return self._object(schema, depth)
        if name == "array":
            kind = RepeatedType if "cardinality" in schema else ArrayType
            return kind(self.type(schema.get("items"), depth + 1))
        return _SIMPLE.get(str(name), ANY)

    def _object(self, schema: Mapping[str, Any], depth: int) -> Type:
        fields: dict[str, Type] = {}
        for name, part in (schema.get("properties") or {}).items():
            fields[name] = self.type(part, depth + 1)
        for name, part in (schema.get("attributes") or {}).items():
            fields["@" + name] = self.type(part, depth + 1)
        required = frozenset(name for name in schema.get("required") or [] if name in fields)
        more = schema.get("additionalProperties", not (self.closed and fields))
        rest = None if more is False else ANY if more is True else self.type(more, depth + 1)
        return ObjectType(tuple(fields.items()), required, rest)

    def _target(self, reference: str) -> Any:
        """What a local reference points to; others are unknown."""
        if not reference.startswith("#"):
            return True
        found = self.root
        for part in reference.lstrip("#/").split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if part and isinstance(found, dict):
                found = found.get(key, True)
        return found


def _of_values(values: list[Any]) -> Type:
    def one(value: Any) -> Type:
        if value is None:
            return NULL
        if isinstance(value, bool):
            return BOOLEAN
        if isinstance(value, int):
            return INTEGER
        if isinstance(value, float):
            return NUMBER
        return STRING if isinstance(value, str) else ANY

    return union(one(value) for value in values)
