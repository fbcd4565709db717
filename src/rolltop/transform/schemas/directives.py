"""The universal schema form: what all schema formats share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.schemas.shapes import check_shapes
from rolltop.transform.values import Node, is_number, parse_number, scalar_text

__all__ = [
    "compact", "enrich", "fields_of", "flag", "held_key", "held_name", "text_of", "types_of", "unaliased", "whole",
    "wide", "without",
]  # fmt: skip


def enrich(raw: dict[str, Any], describe: Callable[[dict[str, Any]], dict[str, Any]]) -> Node:
    """The raw schema with its description and how the description went."""
    diagnostics: dict[str, Any] = {"%_status": "complete"}
    try:
        described = describe(raw)
    except ReadFailure as failure:
        described = {}
        diagnostics = {"%_status": "failed", "%_warnings": [failure.message]}
    except (AttributeError, KeyError, TypeError, ValueError):
        # The raw schema is whatever somebody wrote: a part of the wrong shape ends the description, not the reading.
        described = {}
        diagnostics = {"%_status": "failed", "%_warnings": ["a part of the schema does not have the shape it should"]}
    properties = {**raw, **described, "%_diagnostics": diagnostics}
    if isinstance(raw, Node):
        return Node(properties, raw.attributes, raw.name, raw.metadata)
    return Node(properties)


def compact(**parts: Any) -> dict[str, Any]:
    """`%` directives from keyword arguments, those that are None left out. `kind_` gives `%kind`."""
    return {"%" + name.rstrip("_"): value for name, value in parts.items() if value is not None}


def types_of(value: Any, writer: str) -> dict[str, dict[str, Any]]:
    """The `%types` of a value that a writer works from."""
    types = value.get("%types") if isinstance(value, dict) else None
    if types is None and (reason := _why_not_described(value)):
        raise WriteFailure(f"the schema cannot be described, so that output {writer} has no types: {reason}")
    if not isinstance(types, dict) or not all(isinstance(type_, dict) for type_ in types.values()):
        raise WriteFailure(
            f"output {writer} needs a schema: its own keywords, or %types with one object per type",
            hint='For example { %types: { Person: { %kind: "structure", %fields: [ … ] } } }.',
        )
    check_shapes(types)
    return types


def _why_not_described(value: Any) -> str | None:
    diagnostics = value.get("%_diagnostics") if isinstance(value, dict) else None
    warnings = diagnostics.get("%_warnings") if isinstance(diagnostics, dict) else None
    return text_of({"%": warnings[0]}, "%") if isinstance(warnings, list) and warnings else None


def fields_of(type_: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of a structure; one field alone may stand without its array."""
    fields = type_.get("%fields") or []
    listed = fields if isinstance(fields, list) else [fields]
    for field in listed:
        if not isinstance(field, dict) or not isinstance(field.get("%name"), str):
            raise WriteFailure("every entry of %fields needs a %name")
    return listed


def unaliased(field: Mapping[str, Any], types: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A field whose type is only another name for an array, a map, a union, bytes or a simple type, as one of that."""
    seen: set[str] = set()
    found = dict(field)
    while (name := str(found.get("%type", "string"))) not in seen and name in types:
        seen.add(name)
        alias = types[name]
        match alias.get("%kind", "structure"):
            case "primitive":
                found["%type"] = alias.get("%type", "string")
            case "array" | "map" as kind if flag(found, "%array") or flag(found, "%map"):
                found |= {"%type": kind, "%items": _held(alias, kind)}
            case "array" | "map" as kind:
                found |= _held(alias, kind)
            case "union":
                found |= {"%type": "union", "%unionTypes": alias.get("%unionTypes") or []}
            case "fixed":
                found["%type"] = "binary"
            case _:
                return found
    if name in types:  # it is in itself
        kind = str(types[name].get("%kind"))
        found["%type"] = kind if kind in ("array", "map") else "any"
    return found


def held_name(item: Mapping[str, Any]) -> str:
    """The type of what is in an array or a map, in one word."""
    word = str(item.get("%type", "any"))
    if flag(item, "%array"):
        return "array"
    return "map" if flag(item, "%map") and word != "object" else word


def held_key(part: Mapping[str, Any]) -> str:
    """Where an array or a map has the type of what is in it."""
    in_map = flag(part, "%map") and not flag(part, "%array")
    return "%itemType" if part.get("%kind") == "array" or (in_map and part.get("%itemType")) else "%type"


def _held(alias: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """What has the name of an array or of a map, as a field has it."""
    inside = {"%items": alias["%items"]} if "%items" in alias else {}
    item = alias.get("%itemType", "any")
    if kind == "map":
        return {"%type": "map", "%map": True, "%itemType": item, **inside}
    return {"%type": item, "%array": True, **inside}


def flag(part: Mapping[str, Any], name: str, default: bool = False) -> bool:
    """A boolean directive; the text `true` counts."""
    value = part.get(name)
    return default if value is None else value is True or value == "true"


def text_of(part: Mapping[str, Any], *names: str) -> str | None:
    """The first of these directives that is there, as text."""
    for name in names:
        value = part.get(name)
        if value is not None:
            return scalar_text(value)
    return None


def whole(value: Any) -> int | None:
    """A whole number from a number or its text."""
    number: Any = parse_number(value) if isinstance(value, str) else value
    return int(number) if is_number(number) and float(number).is_integer() else None


def wide(field: Mapping[str, Any]) -> bool:
    """Whether an integer may need 64 bits, by its size or by what it was called in the format that it comes from."""
    if text_of(field, "%protoType") in ("uint32", "fixed32"):
        return True  # half of its values are too large for 32 bits with a sign
    return whole(field.get("%size")) == 64 or text_of(field, "%schemaType") == "Edm.Int64"


def without(value: dict[str, Any]) -> dict[str, Any]:
    """A copy without the directives that `enrich` added."""
    kept = {key: item for key, item in value.items() if not key.startswith("%")}
    return Node(kept, value.attributes, value.name, value.metadata) if isinstance(value, Node) else kept
