"""From a schema of the input to the type that the inference starts with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.check.schema_parts import Conjunctions
from rolltop.transform.check.schema_walk import walk_schema
from rolltop.transform.named_types import NamedObject
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
_MOST = 50_000
"""Parts of a schema that are looked at."""


def type_of_schema(
    schema: Any, *, closed: bool = False, xml: bool = False, unfollowed: list[str] | None = None
) -> Type:
    """The type of the values that a JSON Schema allows; what it does not say is Any. `InvalidInput` when it is none.

    `closed`: objects have no more fields than it says, as other kinds of schemas mean it. `xml`: it describes elements,
    of which one is no array of one. `unfollowed` gets the references to other documents: what is there counts as Any.
    """
    reader = _Reader(schema, closed, xml)
    if unfollowed is not None:
        unfollowed += reader.references.unfollowed
    return reader.type(schema)


class _Reader:
    def __init__(self, schema: Any, closed: bool, xml: bool) -> None:
        self.xml = xml
        self.references = walk_schema(schema)
        self.conjunctions = Conjunctions(self.references)
        self.closed = closed
        self.seen = 0
        self.known: dict[int, tuple[Any, Type]] = {}
        """Types of definitions, by identity; what they are of is kept with them."""
        self.objects: dict[int, tuple[Any, NamedObject]] = {}
        """The objects in them, in the same way."""

    def type(self, schema: Any, depth: int = 0, name: str | None = None) -> Type:
        """The type of a schema; `name` is that of the definition around it, if any."""
        if schema is False:
            return NEVER
        self.seen += 1
        if not isinstance(schema, dict) or depth > _MAX_DEPTH or self.seen > _MOST:
            return ANY
        if id(schema) in self.known:
            return self.known[id(schema)][1]
        own = self.references.names.get(id(schema))
        if own is None:
            return self._plain(schema, depth, name)
        self.known[id(schema)] = schema, ANY  # a definition that is itself, or nothing but arrays of itself
        made = self._plain(schema, depth, own)
        self.known[id(schema)] = schema, made
        return made

    def _plain(self, given: dict[str, Any], depth: int, name: str | None) -> Type:
        schema, inside = self.conjunctions.flat(given)
        name = name or inside
        if isinstance(schema, bool):
            return ANY if schema else NEVER
        if "$ref" in schema:
            return self.type(self.references.targets[schema["$ref"]], depth + 1, name)
        if "const" in schema:
            return _of_values([schema["const"]])
        if isinstance(schema.get("enum"), list):
            return _of_values(schema["enum"])
        options = self.conjunctions.alternatives(schema)
        if options is not None:
            return union(self.type(option, depth + 1, name) for option in options)
        declared = schema.get("type")
        if declared == "primitive":
            declared = schema.get("valueType")
        if declared is None and ("properties" in schema or "attributes" in schema):
            declared = "object"
        words = declared if isinstance(declared, list) else [declared]
        return union([self._of_word(word, schema, depth, name) for word in words])

    def _of_word(self, word: Any, schema: dict[str, Any], depth: int, name: str | None) -> Type:
        if word == "array":
            kind = RepeatedType if self.xml and "cardinality" in schema else ArrayType
            return kind(self._items(schema, depth, name))
        if word != "object":
            return _SIMPLE.get(str(word), ANY)
        if name is None:
            return self._object(schema, depth, None)
        if id(schema) not in self.objects:
            self.objects[id(schema)] = schema, NamedObject(name, lambda: self._object(schema, 0, name))
        return self.objects[id(schema)][1]

    def _items(self, schema: Mapping[str, Any], depth: int, name: str | None) -> Type:
        parts = schema.get("prefixItems")
        items = schema.get("items")
        if isinstance(items, list):  # as older drafts have it
            parts, items = items, schema.get("additionalItems")
        rest = self.type(items, depth + 1, name)
        return union([*(self.type(part, depth + 1, name) for part in parts), rest]) if parts else rest

    def _object(self, schema: Mapping[str, Any], depth: int, name: str | None) -> ObjectType:
        fields: dict[str, Type] = {}
        for key, part in (schema.get("properties") or {}).items():
            fields[key] = self.type(part, depth + 1, name)
        for key, part in (schema.get("attributes") or {}).items():
            fields["@" + key] = self.type(part, depth + 1, name)
        required = frozenset(key for key in schema.get("required") or [] if key in fields)
        rest = self._rest(schema, bool(fields), depth, name)
        described = bool(fields) and "patternProperties" not in schema and not schema.get("additionalProperties")
        return ObjectType(tuple(fields.items()), required, rest, described=described)

    def _rest(self, schema: Mapping[str, Any], fields: bool, depth: int, name: str | None) -> Type | None:
        """The type of other fields; None when there are no others."""
        patterns = [self.type(part, depth + 1, name) for part in (schema.get("patternProperties") or {}).values()]
        more = schema.get("additionalProperties", not (self.closed and fields))
        if more is not False:
            patterns.append(self.type(more, depth + 1, name))
        return union(patterns) if patterns else None


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
