"""A structure in one or two sentences, for a reader who has not seen the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["in_words", "summarize"]

_NAMES = {
    "xml": "XML", "json": "JSON", "csv": "CSV", "yaml": "YAML", "xsd": "XSD", "json-schema": "JSON Schema",
    "avro": "Avro", "protobuf": "Protocol Buffers",
}  # fmt: skip
_MOST = 12
"""Fields that are named at one level."""
_LEVELS = 3


def summarize(format_: str, mode: str, structure: Mapping[str, Any], notes: list[str]) -> str:
    """What the document or schema is about."""
    name = _NAMES.get(format_, format_)
    roots = structure.get("properties")
    if format_ in ("xml", "xsd") and isinstance(roots, Mapping) and len(roots) == 1:
        root, node = next(iter(roots.items()))
        kind = "document with" if mode == "instance" else "schema for"
        text = f"{name} {kind} {root} root element{_containing(node)}"
    elif format_ == "csv":
        columns = _listed(_fields(structure.get("items", {}), 0))
        text = f"CSV table with the columns {columns}" if columns else "CSV table without columns"
    else:
        text = f"{name} {'document' if mode == 'instance' else 'schema'}: {in_words(structure)}"
    return "; ".join([text, *notes])


def in_words(schema: Mapping[str, Any]) -> str:
    """`Object with orderId (string) and total (number)`."""
    fields = _fields(schema, 0)
    kind = schema.get("type")
    if kind == "object" and fields:
        return f"Object with {_listed(fields)}"
    if kind == "object":
        others = schema.get("additionalProperties")
        return f"Object with any keys, each {_short(others)}" if isinstance(others, Mapping) else "Object"
    if kind == "array":
        items = schema.get("items") or {}
        inner = _fields(items, 0)
        return f"Array of objects with {_listed(inner)}" if inner else f"Array of {_short(items)}"
    return _short(schema).capitalize() if schema else "A value of any type"


def _containing(node: Mapping[str, Any]) -> str:
    fields = _fields(node, 0)
    return f" containing {_listed(fields)}" if fields else f" ({_short(node)})"


def _fields(node: Mapping[str, Any], level: int) -> list[str]:
    named = [(f"@{name}", part) for name, part in (node.get("attributes") or {}).items()]
    named += list((node.get("properties") or {}).items())
    shown = [f"{name} {_field(part, level)}".strip() for name, part in named[:_MOST]]
    return [*shown, f"{len(named) - _MOST} more"] if len(named) > _MOST else shown


def _field(node: Mapping[str, Any], level: int) -> str:
    many = node.get("type") == "array"
    inner = (node.get("items") or {}) if many else node
    parts = _fields(inner, level + 1) if level < _LEVELS else []
    if parts:
        return f"{'array ' if many else ''}({', '.join(parts)})"
    return f"array of {_short(inner)}" if many else f"({_short(inner)})"


def _short(node: Any) -> str:
    if not isinstance(node, Mapping) or not node:
        return "any"
    kind = node.get("valueType", node.get("type"))
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    if kind is None and "anyOf" in node:
        return " or ".join(dict.fromkeys(_short(option) for option in node["anyOf"]))
    again = node.get("recursive") or str(node.get("$ref", "")).rpartition("/")[2]
    if again:
        return f"{again} again"
    return str(kind or "any")


def _listed(parts: list[str]) -> str:
    """`a`, `a and b`, `a, b, and c`."""
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"
