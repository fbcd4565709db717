"""Goes once over all of a JSON Schema that is used: refuses what is none, and finds what its references mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolltop.errors import InvalidInput

__all__ = ["References", "walk_schema"]

_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_WORDS = frozenset((*_TYPES, "any", "primitive"))
"""`primitive` is what structures say of a value that is neither object nor array."""
_MAPS = ("properties", "attributes", "patternProperties")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalItems", "additionalProperties")


class References:
    """What the references of a schema lead to, by the reference itself."""

    def __init__(self) -> None:
        self.targets: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        """Names of the definitions, by the identity of what they lead to."""
        self.unfollowed: list[str] = []
        """References out of the schema; what they lead to can be anything."""


def walk_schema(schema: Any) -> References:
    """The references of a schema; `InvalidInput` says what in it is no JSON Schema, and where."""
    references = References()
    find = _finder(schema)
    waiting: list[tuple[Any, str]] = [(schema, "#")]
    while waiting:
        part, place = waiting.pop()
        if not isinstance(part, dict):
            if not isinstance(part, bool):
                raise _wrong(place, "a schema is an object, true or false")
            continue
        _check(part, place)
        waiting.extend(_parts(part, place))
        reference = part.get("$ref")
        if reference is None or reference in references.targets:
            continue
        target = find(reference)
        if target is None and reference.startswith("#"):
            raise _wrong(place, f"nothing is at {reference[:60]}", hint="A $ref leads to a part of the same schema.")
        references.targets[reference] = True if target is None else target
        if target is None:
            references.unfollowed.append(reference)
        elif id(target) not in references.names:
            references.names[id(target)] = reference.rpartition("/")[2].strip("#") or _title(schema)
            waiting.append((target, reference))
    return references


def _finder(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return lambda reference: None
    # Imported here: it draws in the readers of all schema formats.
    from rolltop.transform.structure.related import ALONE  # noqa: PLC0415
    from rolltop.transform.structure.schema_documents import SchemaDocuments  # noqa: PLC0415

    return SchemaDocuments(schema, ALONE).find


def _title(schema: Any) -> str:
    title = schema.get("title")
    return title if isinstance(title, str) and title else "Input"


def _parts(schema: dict[str, Any], place: str) -> Iterator[tuple[Any, str]]:
    """The schemas in a schema, and where they are."""
    for key in _MAPS:
        for name, part in (schema.get(key) or {}).items():
            yield part, f"{place}/{key}/{name}"
    for key in (*_LISTS, *_SINGLE):
        inner = schema.get(key)
        if isinstance(inner, list):
            yield from ((part, f"{place}/{key}/{at}") for at, part in enumerate(inner))
        elif inner is not None:
            yield inner, f"{place}/{key}"


def _check(schema: dict[str, Any], place: str) -> None:
    declared = schema.get("type")
    for word in declared if isinstance(declared, list) else [declared]:
        if word is not None and (not isinstance(word, str) or word not in _WORDS):
            raise _wrong(f"{place}/type", "there is no such type", hint=f"Types are {', '.join(_TYPES)}.")
    for keys, kind, what in ((_MAPS, dict, "an object"), ((*_LISTS, "enum", "required"), list, "an array")):
        for key in keys:
            if schema.get(key) is not None and not isinstance(schema[key], kind):
                raise _wrong(f"{place}/{key}", f"{key} is {what}")
    if not all(isinstance(name, str) for name in schema.get("required") or []):
        raise _wrong(f"{place}/required", "required has names of properties")
    if not isinstance(schema.get("$ref", ""), str):
        raise _wrong(f"{place}/$ref", "$ref is a text")


def _wrong(place: str, what: str, *, hint: str | None = None) -> InvalidInput:
    known = "Give JSON Schema, or the structure that get_input_schema gives."
    return InvalidInput(f"the schema of the input is no JSON Schema: at {place[:120]}, {what}", hint=hint or known)
