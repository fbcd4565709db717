"""What a served tool promises of its result, from `returns`, and whether a result keeps the promise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.inference import Schema, is_a

__all__ = ["keeps_promise", "promised_result"]

_DEEPEST = 20
_SCALARS = ("string", "number", "integer", "boolean")


def promised_result(definition: Definition) -> Schema:
    """The schema of `result`; empty where the documentation says nothing that could be checked.

    It allows what every result may be: a missing value is null, and in R a single value is a vector of one.
    Text of R is no promise: that is also what a description gives that names no type.
    """
    returns = definition.returns
    if not returns or (definition.language == "r" and returns.get("type") == "string" and "enum" not in returns):
        return {}
    return _promise(returns, definition.language, 0)


def _promise(schema: Mapping[str, Any], language: str, depth: int) -> Schema:
    kinds = schema.get("type")
    said: Schema = {"description": schema["description"]} if schema.get("description") else {}
    if not isinstance(kinds, str | list) or not kinds or depth > _DEEPEST:
        return said
    types = list(dict.fromkeys([*([kinds] if isinstance(kinds, str) else kinds), "null"]))
    items: Schema = {}
    if language == "r" and kinds in _SCALARS:
        if kinds == "string":
            return said
        items = {"type": [kinds, "null"]}
        types.insert(1, "array")
    elif isinstance(schema.get("items"), Mapping):
        items = _promise(schema["items"], language, depth + 1)
    promise: Schema = {"type": types, **({"items": items} if items else {})}
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and properties:
        promise["properties"] = {name: _promise(each, language, depth + 1) for name, each in properties.items()}
    return promise | said


def keeps_promise(value: Any, promise: Mapping[str, Any]) -> bool:
    """Whether a result is what `promised_result` says; the same answer as a JSON Schema validator's, in less time."""
    kinds = promise.get("type")
    if not kinds:
        return True
    if not any(is_a(value, kind) for kind in kinds):
        return False
    if isinstance(value, list):
        items = promise.get("items")
        return not items or all(keeps_promise(item, items) for item in value)
    if isinstance(value, dict):
        known = promise.get("properties", {})
        return all(keeps_promise(value[name], each) for name, each in known.items() if name in value)
    return True
