"""Avro schemas to a structure: named types written out where they are used, unions, logical types."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import ReadFailure

__all__ = ["structure_of_avro"]

_PRIMITIVES: dict[str, dict[str, Any]] = {
    "null": {"type": "null"},
    "boolean": {"type": "boolean"},
    "int": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "long": {"type": "integer"},
    "float": {"type": "number"},
    "double": {"type": "number"},
    "bytes": {"type": "string", "contentEncoding": "binary"},
    "string": {"type": "string"},
}
_LOGICAL_FORMATS = {"uuid": "uuid", "date": "date", "decimal": "decimal"}
_DEEPEST = 60
_MOST_RECORDS = 2000
"""Records that are written out; types that use each other often would grow without end."""


def structure_of_avro(schema: Any) -> dict[str, Any]:
    """The structure of the values that a schema describes."""
    reader = _Reader()
    node = reader.node(schema, "", ())
    if node.get("type") not in ("object", "array"):
        return {**node, "type": "primitive", **({"valueType": node["type"]} if "type" in node else {})}
    return node


class _Reader:
    def __init__(self) -> None:
        self.named: dict[str, dict[str, Any]] = {}
        self.written = 0

    def node(self, schema: Any, space: str, inside: tuple[str, ...]) -> dict[str, Any]:
        if len(inside) > _DEEPEST:
            raise ReadFailure("the Avro schema is nested too deeply")
        if isinstance(schema, str):
            return self._by_name(schema, space, inside)
        if isinstance(schema, list):
            return self._union(schema, space, inside)
        if not isinstance(schema, dict):
            raise ReadFailure("an Avro schema is an object, an array (union) or a type name")
        kind = schema.get("type")
        if kind in ("record", "error", "enum", "fixed"):
            return self._declared(schema, space, inside)
        if kind == "array":
            return {"type": "array", "items": self.node(schema.get("items"), space, inside)}
        if kind == "map":
            return {"type": "object", "additionalProperties": self.node(schema.get("values"), space, inside)}
        return {**self.node(kind, space, inside), **_logical(schema)}

    def _declared(self, schema: dict[str, Any], space: str, inside: tuple[str, ...]) -> dict[str, Any]:
        name = schema.get("name")
        if not isinstance(name, str):
            raise ReadFailure(f"an Avro {schema.get('type')} has no name")
        space = str(schema.get("namespace") or (name.rpartition(".")[0] or space))
        full = name if "." in name or not space else f"{space}.{name}"
        self.named[full] = {**schema, "namespace": space}
        return self._named(full, inside)

    def _by_name(self, name: str, space: str, inside: tuple[str, ...]) -> dict[str, Any]:
        if name in _PRIMITIVES:
            return dict(_PRIMITIVES[name])
        full = name if name in self.named or "." in name or not space else f"{space}.{name}"
        if full not in self.named:
            raise ReadFailure(f"the Avro type {name!r} is not defined", hint="Define it before it is used.")
        return self._named(full, inside)

    def _named(self, full: str, inside: tuple[str, ...]) -> dict[str, Any]:
        schema = self.named[full]
        doc = {"description": schema["doc"]} if isinstance(schema.get("doc"), str) else {}
        if schema["type"] == "enum":
            return {"type": "string", "enum": list(schema.get("symbols") or []), **doc}
        if schema["type"] == "fixed":
            size = schema.get("size")
            return {"type": "string", "contentEncoding": "binary", "maxLength": size, **_logical(schema), **doc}
        if full in inside:
            return {"type": "object", "recursive": full}
        self.written += 1
        if self.written > _MOST_RECORDS:
            return {"type": "object", "description": f"{full}, not written out again"}
        return {**self._record(schema, (*inside, full)), **doc}

    def _record(self, schema: dict[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        required: list[str] = []
        fields = schema.get("fields")
        for field in fields if isinstance(fields, list) else []:
            if not isinstance(field, dict) or not isinstance(field.get("name"), str) or "type" not in field:
                raise ReadFailure(f"a field of {schema.get('name')} has no name or no type")
            node = self.node(field["type"], str(schema.get("namespace") or ""), inside)
            if isinstance(field.get("doc"), str):
                node["description"] = field["doc"]
            if "default" in field:
                node["default"] = field["default"]
            many = node.get("type") == "array"
            properties[field["name"]] = {**node, "cardinality": "0..n" if many else "1"}
            required.append(field["name"])
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}

    def _union(self, members: list[Any], space: str, inside: tuple[str, ...]) -> dict[str, Any]:
        real = [self.node(member, space, inside) for member in members if member != "null"]
        optional = len(real) < len(members)
        if len(real) == 1 and isinstance(real[0].get("type"), str) and real[0]["type"] not in ("object", "array"):
            return {**real[0], "type": [real[0]["type"], "null"]} if optional else real[0]
        if len(real) == 1 and not optional:
            return real[0]
        return {"anyOf": [*real, *([{"type": "null"}] if optional else [])]}


def _logical(schema: dict[str, Any]) -> dict[str, Any]:
    logical = schema.get("logicalType")
    if not isinstance(logical, str):
        return {}
    shown: dict[str, Any] = {"logicalType": logical}
    if logical in _LOGICAL_FORMATS:
        shown["format"] = _LOGICAL_FORMATS[logical]
    for part in ("precision", "scale"):
        if part in schema:
            shown[part] = schema[part]
    return shown
