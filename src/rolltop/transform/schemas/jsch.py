"""JSON Schema, drafts 04 to 2020-12: read and describe; `jsch_write` generates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.json import read as read_json
from rolltop.transform.formats.json import write as write_json
from rolltop.transform.schemas.jsch_write import DRAFTS, generate
from rolltop.transform.schemas.model import compact, enrich, held_name
from rolltop.transform.values import Node

__all__ = ["describe", "generate", "read", "write"]

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


_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_KEYWORDS = frozenset(
    {
        "$schema", "$ref", "$defs", "definitions", "type", "properties", "items", "enum", "const",
        "oneOf", "anyOf", "allOf",
    }
)  # fmt: skip


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    raw = read_json(data, options)
    if not isinstance(raw, dict):
        if isinstance(raw, bool):
            return raw
        raise ReadFailure("a JSON Schema is an object (or true or false)")
    return enrich(_tagged(raw, root=True), describe)


def _tagged(value: Any, *, root: bool = False) -> Any:
    """The schema with metadata on its parts, reached in programs by `.^schemaType`."""
    if isinstance(value, list):
        return [_tagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    parts: dict[str, Any] = {}
    for key, item in value.items():
        role = _ROLES.get(key)
        if role and isinstance(item, dict):
            inner = {name: _role(_tagged(part), role[0]) for name, part in item.items()}
            parts[key] = Node(inner, None, None, {"schemaType": role[1]})
        elif key == "items":
            parts[key] = _role(_tagged(item), "jsch-items")
        else:
            parts[key] = _tagged(item)
    if root or "type" in value or "$schema" in value:
        return Node(parts, None, None, {"schemaType": "jsch-schema", "version": _version(value)})
    return parts


_ROLES = {
    "properties": ("jsch-property", "jsch-properties"),
    "definitions": ("jsch-definition", "jsch-definitions"),
    "$defs": ("jsch-definition", "jsch-definitions"),
}


def _role(value: Any, role: str) -> Any:
    if not isinstance(value, dict):
        return value
    known = getattr(value, "metadata", None) or {}
    return Node(value, None, None, {**known, "schemaType": role})


def _version(schema: Mapping[str, Any]) -> str:
    uri = schema.get("$schema")
    if not isinstance(uri, str):
        return "undefined"
    return next(
        (word for word in ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12") if word in uri), "undefined"
    )


# ---- writing ----------------------------------------------------------------------------------


def write(value: Any, options: Mapping[str, Any]) -> str:
    draft = options.get("draft", "2020-12")
    if draft not in DRAFTS:
        raise InvalidInput(f"unknown JSON Schema draft {draft!r}", hint=f"Known are {', '.join(DRAFTS)}.")
    if not isinstance(value, dict):
        raise WriteFailure("a JSON Schema is an object")
    if "%types" in value and not _is_own(value):
        return write_json(generate(value, options), {})
    if options.get("strict") is not False and not any(key in value for key in _KEYWORDS):
        raise WriteFailure(
            "the result has no JSON Schema keyword", hint="Give type, properties, $ref, … or %types; or strict: false."
        )
    shown = _described(value) if options.get("addDescriptions") is not False else dict(value)
    return write_json(shown if "$schema" in shown else {"$schema": DRAFTS[draft], **shown}, {})


def _is_own(value: Mapping[str, Any]) -> bool:
    """Whether the schema is JSON Schema itself and not one of another format that is to become it."""
    if "properties" in value or "$schema" in value:
        return True
    kind = value.get("type")
    return isinstance(kind, list) or (isinstance(kind, str) and kind in _TYPES)


def _described(value: Any) -> Any:
    """`_description` anywhere becomes `description`."""
    if isinstance(value, list):
        return [_described(item) for item in value]
    if not isinstance(value, dict):
        return value
    shown = {key: _described(item) for key, item in value.items() if key != "_description"}
    if "_description" in value:
        shown["description"] = value["_description"]
    return shown
