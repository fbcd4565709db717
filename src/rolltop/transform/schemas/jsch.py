"""JSON Schema, drafts 04 to 2020-12."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.json import read as read_json
from rolltop.transform.formats.json import write as write_json
from rolltop.transform.schemas.builtins import universal
from rolltop.transform.schemas.directives import compact, enrich, fields_of, flag, text_of, types_of
from rolltop.transform.values import Node

__all__ = ["describe", "generate", "read", "write"]

_DRAFTS = {
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
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


_VERSIONS = ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")


def _version(schema: Mapping[str, Any]) -> str:
    uri = schema.get("$schema")
    if not isinstance(uri, str):
        return "undefined"
    return next(
        (word for word in ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12") if word in uri), "undefined"
    )


# ---- description ------------------------------------------------------------------------------


def describe(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Definitions and the root object as `%types`."""
    types: dict[str, Any] = {}
    for container in ("definitions", "$defs"):
        for name, schema in (raw.get(container) or {}).items():
            if isinstance(schema, dict):
                types[name] = _describe_type(schema)
    if isinstance(raw.get("properties"), dict):
        types[str(raw.get("title") or "Root")] = _describe_type(raw)
    return compact(title=raw.get("title"), documentation=raw.get("description"), types=types)


def _describe_type(schema: Mapping[str, Any]) -> dict[str, Any]:
    note = schema.get("description")
    if isinstance(schema.get("enum"), list):
        return compact(kind="enumeration", documentation=note, values=schema["enum"])
    if isinstance(schema.get("properties"), dict):
        required = schema.get("required") or []
        fields = [_describe_field(name, part, name in required) for name, part in schema["properties"].items()]
        return compact(kind="structure", documentation=note, fields=fields)
    if schema.get("type") == "array":
        return compact(kind="array", documentation=note, itemType=_type_name(schema.get("items")))
    if schema.get("type") == "object":
        return compact(kind="structure", documentation=note, fields=[])
    return compact(kind="primitive", documentation=note, type=_type_name(schema))


def _describe_field(name: str, schema: Any, required: bool) -> dict[str, Any]:
    note = schema.get("description") if isinstance(schema, dict) else None
    if isinstance(schema, dict) and schema.get("type") == "array":
        item = _type_name(schema.get("items"))
        return compact(name=name, type=item, array=True, required=required, description=note)
    return compact(name=name, type=_type_name(schema), required=required, description=note)


def _type_name(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "any"
    if isinstance(schema.get("$ref"), str):
        return str(schema["$ref"].rpartition("/")[2])
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
    return str(type_) if isinstance(type_, str) else "any"


_FORMATS = {"date": "date", "date-time": "datetime", "time": "time"}


# ---- writing ----------------------------------------------------------------------------------


def write(value: Any, options: Mapping[str, Any]) -> str:
    draft = options.get("draft", "2020-12")
    if draft not in _DRAFTS:
        raise InvalidInput(f"unknown JSON Schema draft {draft!r}", hint=f"Known are {', '.join(_DRAFTS)}.")
    if not isinstance(value, dict):
        raise WriteFailure("a JSON Schema is an object")
    if "%types" in value and not _is_own(value):
        return write_json(generate(value, options), {})
    if options.get("strict") is not False and not any(key in value for key in _KEYWORDS):
        raise WriteFailure(
            "the result has no JSON Schema keyword", hint="Give type, properties, $ref, … or %types; or strict: false."
        )
    shown = _described(value) if options.get("addDescriptions") is not False else dict(value)
    return write_json(shown if "$schema" in shown else {"$schema": _DRAFTS[draft], **shown}, {})


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


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose definitions are the types."""
    types = types_of(value, "jsch")
    draft = str(options.get("draft", "2020-12"))
    schema: dict[str, Any] = {"$schema": _DRAFTS[draft]}
    title, note = text_of(value, "%title"), text_of(value, "%documentation")
    schema.update({key: text for key, text in (("title", title), ("description", note)) if text})
    container = "definitions" if draft == "draft-07" else "$defs"
    schema[container] = {name: _definition(type_, types, container) for name, type_ in types.items()}
    return schema


def _definition(type_: Mapping[str, Any], types: Mapping[str, Any], container: str) -> dict[str, Any]:
    note = text_of(type_, "%documentation", "%description")
    described = {"description": note} if note else {}
    kind = type_.get("%kind", "structure")
    if kind == "enumeration":
        values = [item.get("%value") if isinstance(item, dict) else item for item in type_.get("%values") or []]
        return {"type": "string", **described, "enum": values}
    if kind == "structure":
        fields = fields_of(type_)
        properties = {field["%name"]: _property(field, types, container) for field in fields}
        required = [field["%name"] for field in fields if flag(field, "%required")]
        return {"type": "object", **described, "properties": properties, **({"required": required} if required else {})}
    if kind == "array":
        return {"type": "array", **described, "items": _reference(type_.get("%itemType"), types, container)}
    if kind == "union":
        return {**described, "anyOf": [_reference(part, types, container) for part in type_.get("%unionTypes") or []]}
    return {**_reference(type_.get("%type", "string"), types, container), **described}


def _property(field: Mapping[str, Any], types: Mapping[str, Any], container: str) -> dict[str, Any]:
    is_map = flag(field, "%map")
    type_ = field.get("%itemType") if is_map and field.get("%itemType") else field.get("%type", "string")
    if type_ == "union" and field.get("%unionTypes"):
        schema: dict[str, Any] = {"anyOf": [_reference(part, types, container) for part in field["%unionTypes"]]}
    else:
        schema = _reference(type_, types, container)
    if flag(field, "%array"):
        schema = {"type": "array", "items": schema}
    elif is_map:
        schema = {"type": "object", "additionalProperties": schema}
    note = text_of(field, "%description", "%documentation")
    return {**schema, "description": note} if note else schema


def _reference(type_: Any, types: Mapping[str, Any], container: str) -> dict[str, Any]:
    name = str(type_)
    if name in types:
        return {"$ref": f"#/{container}/{_pointer(name)}"}
    return dict(_PROPERTY_TYPES.get(name) or _PROPERTY_TYPES.get(universal(name), {"type": "string"}))


def _pointer(name: str) -> str:
    """A name as a part of a JSON pointer in an address."""
    return quote(name.replace("~", "~0").replace("/", "~1"), safe="~")


_PROPERTY_TYPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"}, "number": {"type": "number"}, "integer": {"type": "integer"},
    "boolean": {"type": "boolean"}, "null": {"type": "null"}, "object": {"type": "object"}, "array": {"type": "array"},
    "long": {"type": "integer"}, "int": {"type": "integer"}, "double": {"type": "number"}, "float": {"type": "number"},
    "decimal": {"type": "string", "format": "decimal"}, "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"}, "time": {"type": "string", "format": "time"},
    "any": {}, "union": {}, "map": {"type": "object"},
}  # fmt: skip
