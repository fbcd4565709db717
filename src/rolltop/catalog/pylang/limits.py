"""What is said beside a type: `Annotated[int, Ge(1), "How many"]`, `Field(ge=1, description="How many")`."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

from rolltop.catalog.inference import Schema

__all__ = ["limited"]

_NUMBERS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_LENGTHS = {"min_length": ("minLength", "minItems"), "max_length": ("maxLength", "maxItems")}
_ALONE = {
    "Ge": "ge", "Gt": "gt", "Le": "le", "Lt": "lt", "MultipleOf": "multiple_of", "MinLen": "min_length",
    "MaxLen": "max_length", "Doc": "description",
}  # fmt: skip
"""Classes of annotated-types and of typing that say one thing, and what `Field` of pydantic calls it."""


def limited(schema: Schema, said: list[ast.expr]) -> Schema:
    """The schema with what these nodes say about its values; what they say of another type is passed over."""
    for node in said:
        for name, value in _statements(node):
            schema = schema | _rule(schema, name, value)
    return schema


def _statements(node: ast.expr) -> Iterator[tuple[str, Any]]:
    match node:
        case ast.Constant(value=str(text)):
            yield "description", text
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=keywords):
            given = [(_ALONE[name], args[0])] if name in _ALONE and args else []
            if name == "Field" or name in _ALONE:
                given += [(item.arg, item.value) for item in keywords if item.arg]
            for what, value in given:
                if isinstance(value, ast.Constant):
                    yield what, value.value


def _rule(schema: Schema, name: str, value: Any) -> Schema:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if name == "description" and isinstance(value, str):
        return {"description": " ".join(value.split())}
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return {}
    if name in _NUMBERS and {"integer", "number"} & set(kinds):
        return {_NUMBERS[name]: value} if name != "multiple_of" or value > 0 else {}
    if name in _LENGTHS and isinstance(value, int) and value >= 0:
        of_text, of_array = _LENGTHS[name]
        return {of_array if "array" in kinds else of_text: value} if {"array", "string"} & set(kinds) else {}
    return {}
