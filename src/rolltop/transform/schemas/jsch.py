"""JSON Schema, drafts 04 to 2020-12."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.json import read as read_json
from rolltop.transform.formats.json import write as write_json
from rolltop.transform.schemas.directives import enrich
from rolltop.transform.schemas.jsch_describe import describe
from rolltop.transform.schemas.jsch_generate import DRAFTS, generate
from rolltop.transform.values import Node

__all__ = ["describe", "generate", "read", "write"]

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
