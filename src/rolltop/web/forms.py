"""A form from a tool's JSON Schema, and the arguments from what was filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

__all__ = ["Field", "FormError", "arguments_of", "fields_of", "typed_value"]

LONG_TEXT = ("content", "transformation", "inputData", "source", "text", "code")
"""Arguments that people write over several lines."""


class FormError(ValueError):
    """What was filled in cannot be read."""


@dataclass(frozen=True)
class Field:
    name: str
    kind: str
    """`text`, `long`, `number`, `choice`, `switch`, `lines` (a list of texts) or `json`."""
    description: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    default: str = ""
    whole: bool = False


def fields_of(schema: Mapping[str, Any], hidden: frozenset[str] = frozenset({"confirm"})) -> list[Field]:
    """The fields of a form; consent is asked for by the page itself."""
    required = schema.get("required") or ()
    return [
        _field(name, property_, name in required)
        for name, property_ in (schema.get("properties") or {}).items()
        if name not in hidden
    ]


def _field(name: str, schema: Mapping[str, Any], required: bool) -> Field:
    description, given = str(schema.get("description", "")), schema.get("default")
    default = "" if given is None else given if isinstance(given, str) else orjson.dumps(given).decode()
    kind, whole = "json", False
    choices: tuple[str, ...] = ()
    plain = schema.get("type")
    if schema.get("enum"):
        kind, choices = "choice", tuple(str(choice) for choice in schema["enum"])
    elif plain == "string":
        kind = "long" if name in LONG_TEXT else "text"
    elif plain in ("integer", "number"):
        kind, whole = "number", plain == "integer"
    elif plain == "boolean":
        kind, choices = "switch", ("true", "false")
    elif plain == "array" and (schema.get("items") or {}).get("type") == "string":
        kind = "lines"
    return Field(name, kind, description, required, choices, default, whole)


def arguments_of(fields: list[Field], filled: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments; what was left empty is not given."""
    arguments: dict[str, Any] = {}
    for field in fields:
        text = str(filled.get(field.name, ""))
        if field.kind not in ("long", "text"):
            text = text.strip()
        if not text and not (field.required and field.kind in ("long", "text")):
            continue
        arguments[field.name] = _read(field, text)
    return arguments


def _read(field: Field, text: str) -> Any:
    try:
        if field.kind == "number":
            return int(text) if field.whole else float(text)
        if field.kind == "switch":
            return text == "true"
        if field.kind == "lines":
            return orjson.loads(text) if text.startswith("[") else [line for line in text.splitlines() if line.strip()]
        if field.kind == "json":
            return orjson.loads(text)
    except ValueError:
        wanted = {"number": "a number", "lines": "one text a line", "json": "JSON"}[field.kind]
        raise FormError(f"{field.name}: this is not {wanted}.") from None
    return text.replace("\r\n", "\n")


def typed_value(text: str) -> Any:
    """JSON where it is JSON (true, 3, a list), else the text itself."""
    try:
        return orjson.loads(text)
    except ValueError:
        return text
