"""Table Schema (Frictionless): the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.json import read as read_json
from rolltop.transform.formats.json import write as write_json
from rolltop.transform.schemas.completion import complete
from rolltop.transform.schemas.model import compact, enrich, fields_of, flag, text_of, unaliased, universal
from rolltop.transform.values import Node

__all__ = ["describe", "generate", "read", "write"]

_TO_UNIVERSAL = {
    "year": "string",
    "yearmonth": "string",
    "duration": "string",
    "geopoint": "string",
    "geojson": "object",
}
_FROM_UNIVERSAL = {
    "long": "integer", "int": "integer", "double": "number", "float": "number", "decimal": "number",
    "binary": "string", "bytes": "string",
}  # fmt: skip
_TYPES = frozenset(
    {"string", "number", "integer", "boolean", "object", "array", "date", "time", "datetime", "any",
     "year", "yearmonth", "duration", "geopoint", "geojson"}
)  # fmt: skip


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    raw = read_json(data, options)
    if not isinstance(raw, dict):
        raise ReadFailure("a Table Schema is an object with fields")
    return enrich(Node(raw, None, None, {"schemaType": "tsch-schema"}), describe)


def describe(raw: Mapping[str, Any]) -> dict[str, Any]:
    """One structure, `Record`, with a field per column."""
    fields = raw.get("fields")
    if not isinstance(fields, list):
        raise ReadFailure("the Table Schema has no fields")
    keys = raw.get("primaryKey")
    primary = [keys] if isinstance(keys, str) else keys if isinstance(keys, list) else []
    described = [_describe_field(field, primary) for field in fields if isinstance(field, dict)]
    record = compact(
        kind="structure",
        documentation=raw.get("description"),
        fields=described,
        key=primary or None,
        foreignKeys=raw.get("foreignKeys"),
    )
    return compact(title=raw.get("title"), types={"Record": record})


def _describe_field(field: Mapping[str, Any], primary: list[Any]) -> dict[str, Any]:
    constraints = field.get("constraints")
    limits: Mapping[str, Any] = constraints if isinstance(constraints, dict) else {}
    type_ = str(field.get("type", "string"))
    name = field.get("name")
    return compact(
        name=name,
        type=_TO_UNIVERSAL.get(type_, type_),
        means={"number": "double"} if type_ == "number" else None,
        required=limits.get("required") is True,
        description=field.get("description"),
        enum=limits.get("enum"),
        key=True if name in primary else None,
    )


def write(value: Any, options: Mapping[str, Any]) -> str:
    if not isinstance(value, dict):
        raise WriteFailure("a Table Schema is an object with fields")
    if "%types" in value and ("fields" not in value or value.get("type") == "record"):
        return write_json(generate(value, options), {})
    if options.get("strict") is not False:
        fields = value.get("fields")
        if not isinstance(fields, list) or not all(isinstance(field, dict) and field.get("name") for field in fields):
            raise WriteFailure("a Table Schema needs fields, each with a name", hint="Or say strict: false.")
    return write_json(value, {})


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of the structure that the schema is called after, else of the first one."""
    types = complete(value, "tsch")
    structures = {name: type_ for name, type_ in types.items() if type_.get("%kind", "structure") == "structure"}
    if not structures:
        raise WriteFailure("%types has no structure: a table needs one")
    record = structures.get(text_of(value, "%title") or "Root") or next(iter(structures.values()))
    fields = [unaliased(field, types) for field in fields_of(record)]
    schema: dict[str, Any] = {"fields": [_column(field, types) for field in fields]}
    keys = record.get("%key") or [field["%name"] for field in fields if flag(field, "%key")]
    if keys:
        schema["primaryKey"] = keys
    if record.get("%foreignKeys"):
        schema["foreignKeys"] = record["%foreignKeys"]
    for key, name in (("title", "%title"), ("description", "%documentation")):
        text = text_of(value, name) or text_of(record, name)
        if text:
            schema[key] = text
    return schema


def _column(field: Mapping[str, Any], types: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    declared = types.get(str(field.get("%type")), {})
    column: dict[str, Any] = {"name": field["%name"], "type": _column_type(field, declared)}
    note = text_of(field, "%description", "%documentation")
    if note:
        column["description"] = note
    limits: dict[str, Any] = {"required": True} if flag(field, "%required") else {}
    allowed = field.get("%enum") or [
        item.get("%value") if isinstance(item, dict) else item for item in declared.get("%values") or []
    ]
    if allowed and column["type"] not in ("array", "object"):
        limits["enum"] = allowed
    return {**column, "constraints": limits} if limits else column


def _column_type(field: Mapping[str, Any], declared: Mapping[str, Any]) -> str:
    if flag(field, "%array"):
        return "array"
    if flag(field, "%map") or declared.get("%kind") == "structure":
        return "object"
    type_ = str(field.get("%type", "string"))
    type_ = type_ if type_ in _TYPES or type_ in _FROM_UNIVERSAL else universal(type_)
    mapped = _FROM_UNIVERSAL.get(type_, type_)
    return mapped if mapped in _TYPES else "string"
