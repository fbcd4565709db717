"""From a schema of the input to the type that inference starts with.

References are resolved once; the parts of `allOf` become one schema that asks for what all of them ask
for. Equal parts give the same object, so schemas that refer to themselves come to an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.named_types import NamedObject
from rolltop.transform.types import (
    ANY,
    BOOLEAN,
    INTEGER,
    NEVER,
    NULL,
    NUMBER,
    STRING,
    ArrayType,
    ObjectType,
    RepeatedType,
    Type,
    union,
)

__all__ = ["Conjunctions", "References", "type_of_schema", "walk_schema"]

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
    from rolltop.transform.structure.references import ALONE, SchemaDocuments  # noqa: PLC0415

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


_SIMPLE: dict[str, Type] = {
    "string": STRING,
    "number": NUMBER,
    "integer": INTEGER,
    "boolean": BOOLEAN,
    "null": NULL,
}
_MAX_DEPTH = 40
_MOST = 50_000
"""Parts of a schema that are looked at."""


def type_of_schema(
    schema: Any, *, closed: bool = False, xml: bool = False, unfollowed: list[str] | None = None
) -> Type:
    """The type of the values that a JSON Schema allows; what it does not say is Any. `InvalidInput` when it is none.

    `closed`: objects have no more fields than it says, as other kinds of schemas mean it. `xml`: it describes elements,
    of which one is no array of one. `unfollowed` gets the references to other documents: what is there counts as Any.
    """
    reader = _Reader(schema, closed, xml)
    if unfollowed is not None:
        unfollowed += reader.references.unfollowed
    return reader.type(schema)


class _Reader:
    def __init__(self, schema: Any, closed: bool, xml: bool) -> None:
        self.xml = xml
        self.references = walk_schema(schema)
        self.conjunctions = Conjunctions(self.references)
        self.closed = closed
        self.seen = 0
        self.known: dict[int, tuple[Any, Type]] = {}
        """Types of definitions, by identity; what they are of is kept with them."""
        self.objects: dict[int, tuple[Any, NamedObject]] = {}
        """The objects in them, in the same way."""

    def type(self, schema: Any, depth: int = 0, name: str | None = None) -> Type:
        """The type of a schema; `name` is that of the definition around it, if any."""
        if schema is False:
            return NEVER
        self.seen += 1
        if not isinstance(schema, dict) or depth > _MAX_DEPTH or self.seen > _MOST:
            return ANY
        if id(schema) in self.known:
            return self.known[id(schema)][1]
        own = self.references.names.get(id(schema))
        if own is None:
            return self._plain(schema, depth, name)
        self.known[id(schema)] = schema, ANY  # a definition that is itself, or nothing but arrays of itself
        made = self._plain(schema, depth, own)
        self.known[id(schema)] = schema, made
        return made

    def _plain(self, given: dict[str, Any], depth: int, name: str | None) -> Type:
        schema, inside = self.conjunctions.flat(given)
        name = name or inside
        if isinstance(schema, bool):
            return ANY if schema else NEVER
        if "$ref" in schema:
            return self.type(self.references.targets[schema["$ref"]], depth + 1, name)
        if "const" in schema:
            return _of_values([schema["const"]])
        if isinstance(schema.get("enum"), list):
            return _of_values(schema["enum"])
        options = self.conjunctions.alternatives(schema)
        if options is not None:
            return union(self.type(option, depth + 1, name) for option in options)
        declared = schema.get("type")
        if declared == "primitive":
            declared = schema.get("valueType")
        if declared is None and ("properties" in schema or "attributes" in schema):
            declared = "object"
        words = declared if isinstance(declared, list) else [declared]
        return union([self._of_word(word, schema, depth, name) for word in words])

    def _of_word(self, word: Any, schema: dict[str, Any], depth: int, name: str | None) -> Type:
        if word == "array":
            kind = RepeatedType if self.xml and "cardinality" in schema else ArrayType
            return kind(self._items(schema, depth, name))
        if word != "object":
            return _SIMPLE.get(str(word), ANY)
        if name is None:
            return self._object(schema, depth, None)
        if id(schema) not in self.objects:
            self.objects[id(schema)] = schema, NamedObject(name, lambda: self._object(schema, 0, name))
        return self.objects[id(schema)][1]

    def _items(self, schema: Mapping[str, Any], depth: int, name: str | None) -> Type:
        parts = schema.get("prefixItems")
        items = schema.get("items")
        if isinstance(items, list):  # as older drafts have it
            parts, items = items, schema.get("additionalItems")
        rest = self.type(items, depth + 1, name)
        return union([*(self.type(part, depth + 1, name) for part in parts), rest]) if parts else rest

    def _object(self, schema: Mapping[str, Any], depth: int, name: str | None) -> ObjectType:
        fields: dict[str, Type] = {}
        for key, part in (schema.get("properties") or {}).items():
            fields[key] = self.type(part, depth + 1, name)
        for key, part in (schema.get("attributes") or {}).items():
            fields["@" + key] = self.type(part, depth + 1, name)
        required = frozenset(key for key in schema.get("required") or [] if key in fields)
        rest = self._rest(schema, bool(fields), depth, name)
        described = bool(fields) and "patternProperties" not in schema and not schema.get("additionalProperties")
        return ObjectType(tuple(fields.items()), required, rest, described=described)

    def _rest(self, schema: Mapping[str, Any], fields: bool, depth: int, name: str | None) -> Type | None:
        """The type of other fields; None when there are no others."""
        patterns = [self.type(part, depth + 1, name) for part in (schema.get("patternProperties") or {}).values()]
        more = schema.get("additionalProperties", not (self.closed and fields))
        if more is not False:
            patterns.append(self.type(more, depth + 1, name))
        return union(patterns) if patterns else None


def _of_values(values: list[Any]) -> Type:
    def one(value: Any) -> Type:
        if value is None:
            return NULL
        if isinstance(value, bool):
            return BOOLEAN
        if isinstance(value, int):
            return INTEGER
        if isinstance(value, float):
            return NUMBER
        return STRING if isinstance(value, str) else ANY

    return union(one(value) for value in values)
