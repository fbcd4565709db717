"""What a .proto file declares, as programs see it and as a description of types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.schemas.model import compact, enrich
from rolltop.transform.schemas.proto_parse import parse
from rolltop.transform.values import Node

__all__ = ["INTEGERS", "describe", "read"]

INTEGERS = {
    "int32": 32, "uint32": 32, "sint32": 32, "fixed32": 32, "sfixed32": 32,
    "int64": 64, "uint64": 64, "sint64": 64, "fixed64": 64, "sfixed64": 64,
}  # fmt: skip
_SCALARS = {"string": "string", "bool": "boolean", "bytes": "bytes", "double": "number", "float": "float"}


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    raw = parse(data)
    if raw["syntax"] != "proto3":
        raise ReadFailure(
            f"only proto3 files are read, this one is {raw['syntax']}", hint='Start with syntax = "proto3";'
        )
    return enrich(Node(_plain(raw), None, None, {"schemaType": "proto-schema"}), lambda _: describe(raw))


def _plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The raw value as programs see it: `message` and `enum` are objects when there is one.

    Such an object has a name, as an XML element that occurs once: it counts as an array of one.
    """
    shown: dict[str, Any] = {}
    if raw["package"]:
        shown["package"] = raw["package"]
    shown["syntax"] = raw["syntax"]
    for key, items in (("message", raw["messages"]), ("enum", raw["enums"])):
        listed = [_plain_message(item) if key == "message" else _plain_enum(item) for item in items]
        if listed:
            shown[key] = Node(listed[0], None, key) if len(listed) == 1 else listed
    return shown


def _plain_message(message: Mapping[str, Any]) -> dict[str, Any]:
    fields = [
        {key: field[key] for key in ("name", "type", "number", "label") if field.get(key) is not None}
        for field in message["fields"]
    ]
    return {"name": message["name"], "field": fields}


def _plain_enum(enum: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": enum["name"],
        "value": [{"name": value["name"], "number": value["number"]} for value in enum["values"]],
    }


# ---- description ------------------------------------------------------------------------------


def describe(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Enums, then messages; nested ones under their full name (`Outer.Inner`)."""
    types: dict[str, Any] = {}
    everything = list(_walk(raw, ""))
    names = _Names({name: kind for name, kind, _ in everything}, raw["package"] or "")
    for wanted in ("enum", "message"):
        for name, kind, item in everything:
            if kind == wanted:
                types[name] = _enumeration(item) if kind == "enum" else _structure(name, item, names)
    return compact(namespace=raw["package"] or None, types=types)


def _walk(holder: Mapping[str, Any], prefix: str) -> Any:
    for enum in holder["enums"]:
        yield prefix + enum["name"], "enum", enum
    for message in holder["messages"]:
        yield prefix + message["name"], "message", message
        yield from _walk(message, f"{prefix}{message['name']}.")


def _enumeration(enum: Mapping[str, Any]) -> dict[str, Any]:
    values = [compact(value=v["name"], ordinal=v["number"], documentation=v["note"]) for v in enum["values"]]
    return compact(kind="enumeration", documentation=enum["note"], values=values)


def _structure(name: str, message: Mapping[str, Any], names: _Names) -> dict[str, Any]:
    fields = sorted(message["fields"], key=lambda field: int(field["number"]))
    return compact(
        kind="structure",
        documentation=message["note"],
        fields=[_field(field, name, names) for field in fields],
        reserved=message["reserved"] or None,
        reservedNames=message["reserved_names"] or None,
    )


def _field(field: Mapping[str, Any], scope: str, names: _Names) -> dict[str, Any]:
    if field.get("key"):
        item = names.resolve(field["value"], scope)
        wide = 64 if INTEGERS.get(item) == 64 else None
        key = _universal(field["key"])
        means = _DOUBLE if item == "double" else None
        shape = compact(type="map", map=True, keyType=key, itemType=_universal(item), size=wide, means=means)
    else:
        type_ = names.resolve(field["type"], scope)
        shape = compact(
            type=_universal(type_),
            means=_DOUBLE if type_ == "double" else None,
            size=INTEGERS.get(type_),
            protoType=type_ if type_ in INTEGERS and type_ not in ("int32", "int64") else None,
            array=True if field.get("label") == "repeated" else None,
            optional=True if _may_be_missing(field, names.kinds.get(type_), type_) else None,
        )
    return {
        "%name": field["name"],
        **shape,
        **compact(fieldNumber=field["number"], oneof=field.get("oneof"), documentation=field["note"]),
    }


_DOUBLE = {"number": "double"}


def _may_be_missing(field: Mapping[str, Any], kind: str | None, type_: str) -> bool:
    """Whether a field can be told to be missing: others have zero or an empty text instead, or no elements."""
    if field.get("label") == "repeated":
        return False
    is_message = kind == "message" or (kind is None and type_ not in INTEGERS and type_ not in _SCALARS)
    return field.get("label") == "optional" or "oneof" in field or is_message


@dataclass(frozen=True, slots=True)
class _Names:
    """What a file declares: names with `enum` or `message`, and the package before them."""

    kinds: Mapping[str, str]
    package: str

    def resolve(self, type_: str, scope: str) -> str:
        """The name of a declared type, looked for from the inside out; it may be given with its package."""
        while scope:
            if f"{scope}.{type_}" in self.kinds:
                return f"{scope}.{type_}"
            scope = scope.rpartition(".")[0]
        full = type_.removeprefix(".").removeprefix(f"{self.package}.")
        return full if full in self.kinds else type_


def _universal(type_: str) -> str:
    return "integer" if type_ in INTEGERS else _SCALARS.get(type_, type_)
