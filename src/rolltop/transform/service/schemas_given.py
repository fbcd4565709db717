"""The schema of an input as callers give it: JSON Schema, or what `get_input_schema` answered."""

from __future__ import annotations

from typing import Any

__all__ = ["plain_schema", "read_from_xml"]


def plain_schema(given: Any) -> Any:
    """JSON Schema with `attributes`; an answer's envelope and `primitive` at the root are undone."""
    if not isinstance(given, dict):
        return given
    inner = given.get("data")
    if isinstance(inner, dict) and "structure" in inner:
        given = inner
    structure = given.get("structure")
    if isinstance(structure, dict) and "properties" not in given:
        given = structure
    if given.get("type") == "primitive":
        return {**given, "type": given.get("valueType")} if "valueType" in given else True
    return given


def read_from_xml(schema: Any) -> Any:
    """The same schema for what the reader of XML makes of such documents: attributes and truth values are texts, and an
    element that may be nil can be an element without text."""
    if isinstance(schema, list):
        return [read_from_xml(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("nullable") is True:
        return True
    read = {key: _parts_from_xml(key, part) for key, part in schema.items()}
    kinds = schema.get("type")
    if kinds == "boolean":
        return {**read, "type": "string"}
    if isinstance(kinds, list):
        read["type"] = list(dict.fromkeys("string" if kind == "boolean" else kind for kind in kinds))
    return read


def _parts_from_xml(key: str, part: Any) -> Any:
    if key in ("properties", "$defs", "definitions") and isinstance(part, dict):
        return {name: read_from_xml(schema) for name, schema in part.items()}
    if key == "attributes" and isinstance(part, dict):
        return {name: {"type": "string"} for name in part}
    return read_from_xml(part)
