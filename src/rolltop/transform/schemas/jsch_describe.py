"""What a JSON Schema says, described uniformly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from rolltop.transform.errors import ReadFailure
from rolltop.transform.schemas.directives import compact, held_name

__all__ = ["describe"]

_FORMATS = {"date": "date", "date-time": "datetime", "time": "time"}
_DEEPEST = 100


def describe(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Definitions and the root object as `%types`."""
    types: dict[str, Any] = {}
    describer = _Describer(str(raw.get("title") or "Root"))
    for container in ("definitions", "$defs"):
        for name, schema in (raw.get(container) or {}).items():
            if isinstance(schema, dict):
                types[name] = describer.type(schema)
    if isinstance(raw.get("properties"), dict):
        types[describer.root] = describer.type(raw)
    return compact(title=raw.get("title"), documentation=raw.get("description"), types=types)


class _Describer:
    def __init__(self, root: str) -> None:
        self.root = root
        self.depth = 0

    def type(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """A definition, or the root."""
        note = schema.get("description")
        if isinstance(schema.get("enum"), list):
            return compact(kind="enumeration", documentation=note, values=schema["enum"])
        if isinstance(schema.get("properties"), dict):
            return compact(kind="structure", documentation=note, fields=self._fields(schema))
        if schema.get("type") == "array":
            item = self._shape(schema.get("items"))
            return compact(kind="array", documentation=note, itemType=held_name(item), items=_unless_plain(item))
        shape = self._shape(schema)
        if schema.get("type") == "object":
            more = {key: part for key, part in shape.items() if key in ("%map", "%itemType", "%items")}
            return {**compact(kind="structure", documentation=note, fields=[]), **more}
        return {**compact(kind="primitive", documentation=note), **shape}

    def _fields(self, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
        required = schema.get("required") or []
        return [self._field(name, part, name in required) for name, part in schema["properties"].items()]

    def _field(self, name: str, schema: Any, required: bool) -> dict[str, Any]:
        note = schema.get("description") if isinstance(schema, dict) else None
        return {"%name": name, **self._shape(schema), **compact(required=required, description=note)}

    def _shape(self, schema: Any) -> dict[str, Any]:
        """`%type`, and what goes with it: of an array, its items' type."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ReadFailure(f"the JSON Schema is nested more than {_DEEPEST} deep")
        found = self._of_kind(schema) if isinstance(schema, dict) else {"%type": "any"}
        self.depth -= 1
        return found

    def _of_kind(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        if "$ref" not in schema and (options := _options(schema)) is not None:
            return self._choice(options)
        type_ = self._type_name(schema)
        shape = {"%type": type_, **_exact(schema, type_)}
        words = schema.get("type")
        nullable = {"%nullable": True} if isinstance(words, list) and "null" in words else {}
        if type_ == "array":
            return {**self._array(schema), **nullable}
        if type_ == "object" and isinstance(schema.get("properties"), dict):
            return {**shape, "%fields": self._fields(schema), **nullable}
        if type_ == "object" and isinstance(schema.get("additionalProperties"), dict):
            return {**shape, **self._map(schema["additionalProperties"]), **nullable}
        return {**shape, **nullable}

    def _array(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        item = self._shape(schema.get("items"))
        if item.keys() & {"%array", "%map", "%nullable"}:
            return {"%type": held_name(item), "%array": True, "%items": item}
        return {**item, "%array": True}

    def _map(self, values: Mapping[str, Any]) -> dict[str, Any]:
        item = self._shape(values)
        return compact(map=True, itemType=held_name(item), items=_unless_plain(item))

    def _choice(self, options: list[Any]) -> dict[str, Any]:
        """One of several: null beside one other is that with null, others are a union."""
        real = [option for option in options if not (isinstance(option, dict) and option.get("type") == "null")]
        nullable = {"%nullable": True} if len(real) < len(options) else {}
        if len(real) == 1:
            return {**self._shape(real[0]), **nullable}
        shapes = [self._shape(option) for option in real]
        if not shapes or any(shape["%type"] == "any" for shape in shapes):
            return {"%type": "any", **nullable}
        union = [shape["%type"] if len(shape) == 1 else shape for shape in shapes]
        return {"%type": "any", "%means": {"any": "union"}, "%unionTypes": union, **nullable}

    def _type_name(self, schema: Any) -> str:
        if not isinstance(schema, dict):
            return "any"
        if isinstance(schema.get("$ref"), str):
            return self._target(schema["$ref"])
        type_ = schema.get("type")
        if isinstance(type_, list):
            real = [word for word in type_ if word != "null"]
            type_ = real[0] if len(real) == 1 else "any"
        if schema.get("format") == "decimal" and type_ in ("string", "number"):
            return "decimal"
        if type_ == "string" and schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        if isinstance(schema.get("enum"), list) and type_ is None:
            return "string"
        if type_ is None and isinstance(schema.get("properties"), dict):
            return "object"
        return str(type_) if isinstance(type_, str) else "any"

    def _target(self, reference: str) -> str:
        """The name of what a reference leads to."""
        if reference == "#":
            return self.root
        return unquote(reference.rpartition("/")[2]).replace("~1", "/").replace("~0", "~")


def _unless_plain(item: dict[str, Any]) -> dict[str, Any] | None:
    """What the name of a type does not tell."""
    return item if len(item) > 1 else None


def _options(schema: Mapping[str, Any]) -> list[Any] | None:
    """The schemas one of which holds, where there is nothing else to tell the type."""
    words = schema.get("type")
    if isinstance(words, list) and len(set(words) - {"null"}) > 1 and "enum" not in schema:
        return [{**schema, "type": word} for word in words]
    if words is not None or "enum" in schema or "properties" in schema:
        return None
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return list(schema[key])
    every = schema.get("allOf")
    return every if isinstance(every, list) and len(every) == 1 else None


def _exact(schema: Mapping[str, Any], type_: str) -> dict[str, Any]:
    """How large numbers may be (those of JSON have 64 bits), and the values that are allowed."""
    exact: dict[str, Any] = {"%means": {"number": "double"}} if type_ == "number" else {}
    if type_ == "integer" and schema.get("format") == "int64":
        exact["%size"] = 64
    values = schema.get("enum")
    kind = {"string": str, "integer": int}.get(type_)
    if isinstance(values, list) and kind and all(type(value) is kind for value in values):
        exact["%enum"] = values
    return exact
