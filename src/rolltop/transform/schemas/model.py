"""The universal schema form that all schema formats share: names, built-in types, directives and their shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.values import Node, is_number, kind_of, parse_number, scalar_text

__all__ = [
    "STRUCT_FILE",
    "XSD_TYPES",
    "Distinct",
    "check_shapes",
    "compact",
    "distinct",
    "dotted",
    "edm_exact",
    "edm_universal",
    "enrich",
    "fields_of",
    "flag",
    "held_key",
    "held_name",
    "identifier",
    "text_of",
    "types_of",
    "unaliased",
    "universal",
    "well_known_file",
    "whole",
    "wide",
    "without",
    "word",
]


def dotted(namespace: str) -> str:
    """A namespace as words with dots between them; one that is an address is taken apart."""
    words = [part for part in re.split(r"[^A-Za-z0-9_]+", namespace) if part]
    return ".".join(f"_{part}" if part[0].isdigit() else part for part in words)


def identifier(name: str) -> str:
    """A name of ASCII letters, digits and `_`."""
    allowed = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
    return f"_{allowed}" if allowed[0].isdigit() else allowed


def word(name: str) -> str:
    """A name of letters of any script, digits and `_`."""
    allowed = re.sub(r"\W", "_", name) or "_"
    return f"_{allowed}" if allowed[0].isdigit() else allowed


class Distinct:
    """Gives every name once: one that is there already gets a number."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        given, number = name, self._numbers.get(name, 1)
        while given in self._taken:
            number += 1
            given = f"{name}_{number}"
        self._numbers[name] = number
        self._taken.add(given)
        return given


def distinct(names: Iterable[str], taken: Iterable[str] = (), allowed: Callable[[str], str] = identifier) -> list[str]:
    """Allowed names, each once."""
    given = Distinct(taken)
    return [given(allowed(name)) for name in names]


_LISTS = ("%values", "%members", "%unionTypes", "%enum", "%reserved", "%reservedNames", "%aliases")
_PARTS = ("%fields", "%attributes", "%navigation")
"""Lists of parts, of which one alone may stand without its list."""
_TEXT_DIRECTIVES = (
    "%kind", "%type", "%itemType", "%keyType", "%logicalType", "%schemaType", "%protoType", "%oneof", "%extends",
    "%baseType", "%target", "%documentation", "%description",
)  # fmt: skip


def check_shapes(types: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse lists and names of the wrong kind, with the type and the field that they are in."""
    for name, type_ in types.items():
        _check(type_, name)


def _check(part: Mapping[str, Any], place: str) -> None:
    for key in _LISTS:
        if not isinstance(part.get(key, []), list | None):
            raise _refused(place, key, "an array", part[key])
    for key in _TEXT_DIRECTIVES:
        if scalar_text(part.get(key)) is None:
            raise _refused(place, key, "text", part[key])
    for key in _PARTS:
        inner = part.get(key)
        if inner is not None and not isinstance(inner, list | dict):
            raise _refused(place, key, "an array", inner)
        for item in [inner] if inner and isinstance(inner, dict) else inner or ():
            if not isinstance(item, dict) or not isinstance(item.get("%name"), str):
                raise WriteFailure(f"{place}: every entry of {key} needs a %name")
            _check(item, f"{place}.{item['%name']}")
    for item in (part.get("%items"), part.get("%content"), *(part.get("%unionTypes") or ())):
        if isinstance(item, dict):
            _check(item, place)


def _refused(place: str, key: str, wanted: str, found: Any) -> WriteFailure:
    kind = kind_of(found)
    return WriteFailure(
        f"{place}: {key} must be {wanted}, not {'an' if kind[0] in 'ao' else 'a'} {kind}",
        hint='For example { %name: "tags", %type: "string", %array: true }, or %values: ["A", "B"].',
    )


_TEXTS = (
    "anyURI", "anySimpleType", "anyAtomicType", "token", "normalizedString", "language", "Name", "NCName", "NMTOKEN",
    "NMTOKENS", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES", "QName", "NOTATION", "duration", "dayTimeDuration",
    "yearMonthDuration", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay",
)  # fmt: skip
_WHOLE = (
    "byte", "short", "int", "integer", "long", "unsignedByte", "unsignedShort", "unsignedInt", "unsignedLong",
    "positiveInteger", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger",
)  # fmt: skip
XSD_TYPES = frozenset(
    {*_TEXTS, *_WHOLE, "string", "boolean", "decimal", "float", "double", "date", "time", "dateTime", "dateTimeStamp",
     "hexBinary", "base64Binary", "anyType"}
)  # fmt: skip
"""What `xs:` may stand before."""

_GOOGLE = {
    "Timestamp": ("datetime", "timestamp"), "Duration": ("string", "duration"), "FieldMask": ("string", "field_mask"),
    "Any": ("object", "any"), "Empty": ("object", "empty"), "Struct": ("object", "struct"), "Value": ("any", "struct"),
    "NullValue": ("any", "struct"), "ListValue": ("array", "struct"), "DoubleValue": ("number", "wrappers"),
    "FloatValue": ("float", "wrappers"), "Int64Value": ("long", "wrappers"), "UInt64Value": ("long", "wrappers"),
    "Int32Value": ("integer", "wrappers"), "UInt32Value": ("long", "wrappers"), "BoolValue": ("boolean", "wrappers"),
    "StringValue": ("string", "wrappers"), "BytesValue": ("binary", "wrappers"),
}  # fmt: skip
_PACKAGE = "google.protobuf."
STRUCT_FILE = "google/protobuf/struct.proto"

_UNIVERSAL = {
    **dict.fromkeys(_TEXTS, "string"),
    **dict.fromkeys(_WHOLE, "integer"),
    **dict.fromkeys(("long", "unsignedInt", "unsignedLong"), "long"),
    "dateTime": "datetime", "dateTimeStamp": "datetime", "hexBinary": "binary", "base64Binary": "binary",
    "anyType": "any",
}  # fmt: skip


def universal(name: str) -> str:
    """The nearest type that every format has; a name that means nothing special stays."""
    plain = name.removeprefix(".")
    if plain.startswith(_PACKAGE):
        return _GOOGLE.get(plain.removeprefix(_PACKAGE), (name, ""))[0]
    return _UNIVERSAL.get(name, name)


def well_known_file(name: str) -> str | None:
    """The file that declares a type which comes with protobuf."""
    plain = name.removeprefix(".")
    found = _GOOGLE.get(plain.removeprefix(_PACKAGE)) if plain.startswith(_PACKAGE) else None
    return f"google/protobuf/{found[1]}.proto" if found else None


_EDM = {
    "String": "string", "Guid": "string", "Duration": "string", "Boolean": "boolean",
    "Byte": "integer", "SByte": "integer", "Int16": "integer", "Int32": "integer", "Int64": "integer",
    "Single": "number", "Double": "number", "Decimal": "number",
    "Date": "date", "TimeOfDay": "time", "DateTimeOffset": "datetime", "Binary": "binary", "Stream": "binary",
}  # fmt: skip
_EDM_EXACT = {"Int64": "long", "Single": "float", "Double": "double", "Decimal": "decimal"}


def edm_universal(edm: str) -> str:
    """The type of a property of OData as descriptions have it."""
    if edm.startswith("Collection("):
        return "array"
    if not edm.startswith("Edm."):
        return "object"
    local = edm[4:]
    return "any" if local.startswith("Geo") else _EDM.get(local, "string")


def edm_exact(edm: str) -> str:
    """The same with the size of numbers."""
    return _EDM_EXACT.get(edm.removeprefix("Edm."), edm_universal(edm))


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
