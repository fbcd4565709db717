"""The schema of an input as callers give it: JSON Schema, or what `get_input_schema` answered."""

from __future__ import annotations

from typing import Any

__all__ = ["plain_schema"]


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
