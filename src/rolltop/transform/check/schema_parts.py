"""`allOf` put together: one schema that asks for what all of them ask for.

What is put together of the same parts is one object, however often and in whatever nesting it is come by: schemas that
refer to themselves have an end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rolltop.transform.check.schema_walk import References

__all__ = ["Conjunctions"]

_MAPS = ("properties", "attributes", "patternProperties")
_SHAPING = frozenset((*_MAPS, "type", "required", "items", "prefixItems", "additionalProperties", "anyOf", "oneOf"))
_SAYING = _SHAPING | {"additionalItems", "cardinality", "const", "enum", "valueType"}


class Conjunctions:
    """The schemas of one document whose parts all have to hold."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._made: dict[frozenset[int], tuple[list[Any], dict[str, Any] | bool]] = {}
        self._options: dict[int, tuple[Any, list[Any]]] = {}

    def flat(self, schema: dict[str, Any]) -> tuple[dict[str, Any] | bool, str | None]:
        """A schema without `allOf`, nor a `$ref` that has more beside it; and the name of a definition in it."""
        if "allOf" not in schema and ("$ref" not in schema or not _SHAPING & schema.keys()):
            return schema, None
        parts = self._parts(schema)
        key = frozenset(map(id, parts))
        if key not in self._made:
            self._made[key] = parts, _all_of(parts)
        return self._made[key][1], next(filter(None, map(self._references.names.get, map(id, parts))), None)

    def alternatives(self, schema: dict[str, Any]) -> list[Any] | None:
        """The schemas one of which holds, each with what stands beside them; None when there are none."""
        if id(schema) in self._options:
            return self._options[id(schema)][1]
        choice = next((key for key in ("oneOf", "anyOf") if isinstance(schema.get(key), list)), None)
        if choice is None:
            return None
        beside = {key: value for key, value in schema.items() if key != choice}
        options = list(schema[choice])
        if _SHAPING & beside.keys():
            options = [{"allOf": [beside, option]} for option in options]
        self._options[id(schema)] = schema, options
        return options

    def _parts(self, schema: Any) -> list[Any]:
        """The schemas that say something themselves, references followed."""
        parts: list[Any] = []
        passed: set[int] = set()
        waiting = [schema]
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict) and id(part) not in passed:
                passed.add(id(part))
                if part.keys() & _SAYING:
                    parts.append(part)
                waiting += reversed(part.get("allOf") or ())
                if "$ref" in part:
                    waiting.append(self._references.targets[part["$ref"]])
            elif part is False:
                parts.append(part)
        return parts


def _all_of(parts: Iterable[Any]) -> dict[str, Any] | bool:
    """What schemas ask for together, by themselves; false when that is impossible."""
    merged: dict[str, Any] = {}
    for part in parts:
        if part is False:
            return False
        for key in part.keys() & _SAYING:
            value = part[key]
            if value is not None:
                merged[key] = _both(key, merged[key], value) if key in merged else value
    return False if merged.get("type") == [] else merged


def _both(key: str, first: Any, second: Any) -> Any:
    if first == second:
        return first
    if key in _MAPS:
        shared = {name: _both("items", first[name], second[name]) for name in first if name in second}
        return {**first, **second, **shared}
    if key == "required":
        return list(dict.fromkeys([*first, *second]))
    if key == "type":
        return _both_types(first, second)
    if key == "items" and not isinstance(first, list) and not isinstance(second, list):
        return {"allOf": [first, second]}
    # What else is said twice only narrows: to know one of it is right, if not all.
    return first


def _both_types(first: Any, second: Any) -> list[Any]:
    firsts, seconds = ([words] if isinstance(words, str) else list(words) for words in (first, second))
    if "any" in firsts or "any" in seconds:
        return seconds if "any" in firsts else firsts
    kept = [word for word in firsts if word in seconds or (word == "integer" and "number" in seconds)]
    return kept + [word for word in seconds if word == "integer" and "number" in firsts and word not in kept]
