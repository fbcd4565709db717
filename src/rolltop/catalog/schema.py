"""Whether a definition is in order: the structure of the file, and JSON Schema Draft 7."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from rolltop.catalog.definition import FIELDS
from rolltop.catalog.inference import fits

__all__ = ["DRAFT_7", "TYPES", "is_tool_name", "problems_of", "type_problems", "validator_for"]

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
# What MCP allows for the name of a tool.
_NAME = re.compile(r"[A-Za-z0-9._]+-[A-Za-z0-9._-]{1,100}")
TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


def is_tool_name(name: str) -> bool:
    """Whether this can be the name of a tool, package-function."""
    return _NAME.fullmatch(name) is not None


def problems_of(document: Any) -> Iterator[str]:
    """What makes a document no definition; nothing when it is one."""
    if not isinstance(document, Mapping):
        yield "is not a mapping"
        return
    name = document.get("name")
    if not isinstance(name, str) or not is_tool_name(name):
        yield "name must be of the form package-function, in letters, digits, dots, hyphens and underscores"
    for key, kind in (("description", str), ("implementation_example", str), ("category", str), ("calls", str)):
        if document.get(key) is not None and not isinstance(document[key], kind):
            yield f"{key} must be text"
    for key in ("dangerous", "requires_approval"):
        if not isinstance(document.get(key, False), bool):
            yield f"{key} must be true or false"
    if document.get("language", "r") not in ("r", "python", "openapi"):
        yield "language must be r, python or openapi"
    yield from _parameter_problems(document.get("parameters"))
    if document.get("returns") is not None:
        yield from _schema_problems(document["returns"], "returns")


def unknown_fields(document: Mapping[str, Any]) -> list[str]:
    return [str(key) for key in document if key not in FIELDS]


def _parameter_problems(parameters: Any) -> Iterator[str]:
    if not isinstance(parameters, Mapping):
        yield "parameters must be a mapping"
        return
    if parameters.get("type", "object") != "object":
        yield "parameters.type must be object"
    properties = parameters.get("properties") or {}
    required = parameters.get("required") or []
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        yield "parameters.properties must be a mapping and parameters.required a list"
        return
    for name, schema in properties.items():
        yield from _schema_problems(schema, f"parameters.properties.{name}")
    for name in required:
        if name not in properties:
            yield f"parameters.required names {name}, which is not among the properties"


def _schema_problems(schema: Any, where: str) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        yield f"{where} must be a mapping"
        return
    kinds = schema.get("type")
    if not all(kind in TYPES for kind in ([kinds] if not isinstance(kinds, list) else kinds)) or kinds == []:
        yield f"{where}.type must be one of {', '.join(TYPES)}"
    if "enum" in schema and not isinstance(schema["enum"], list):
        yield f"{where}.enum must be a list"
    if kinds == "array":
        if "items" not in schema:
            yield f"{where}.items is missing: an array says what it holds"
        else:
            yield from _schema_problems(schema["items"], f"{where}.items")
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        yield f"{where}.properties must be a mapping"
        return
    for name, inner in properties.items():
        yield from _schema_problems(inner, f"{where}.properties.{name}")


def type_problems(schema: Mapping[str, Any], where: str) -> Iterator[str]:
    """Defaults, enums and examples that the schema itself would refuse, and arrays that do not say what they hold."""
    kinds = schema.get("type")
    if isinstance(kinds, list) and set(kinds) - {"null"} == {"array"} and "items" not in schema:
        yield f"{where}: is an array that does not say what it holds (items)"
    if schema.get("default") is not None and not _accepts(schema, schema["default"]):
        yield f"{where}: its default does not fit its type"
    for value in schema.get("enum", ()):
        if not fits(value, dict(schema)):
            yield f"{where}: the choice {value!r} does not fit its type"
    for value in schema.get("examples", ()):
        if not _accepts(schema, value):
            yield f"{where}: the example {value!r} does not fit its type"


def _accepts(schema: Mapping[str, Any], value: Any) -> bool:
    return bool(validator_class()(dict(schema)).is_valid(value))


@lru_cache(maxsize=1)
def validator_class() -> Any:
    """jsonschema's Draft 7 validator; imported when a value is first checked, because it is slow to load."""
    from jsonschema import Draft7Validator  # noqa: PLC0415

    return Draft7Validator


def validator_for(schema: Mapping[str, Any]) -> Any:
    """A validator for arguments; raises jsonschema's SchemaError when the schema itself is wrong."""
    validator = validator_class()
    validator.check_schema(schema)
    return validator(schema)
