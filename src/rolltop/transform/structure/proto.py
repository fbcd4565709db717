"""Protocol Buffers files to a structure: messages written out where they are used, maps, oneofs, enums."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.schemas.proto_parse import parse
from rolltop.transform.structure.references import ALONE, Files, references

__all__ = ["structure_of_proto"]

_SCALARS: dict[str, dict[str, Any]] = {
    "double": {"type": "number"}, "float": {"type": "number"}, "bool": {"type": "boolean"},
    "string": {"type": "string"}, "bytes": {"type": "string", "contentEncoding": "base64"},
} | {
    name: {"type": "integer", **({"minimum": 0} if name in ("uint32", "uint64", "fixed32", "fixed64") else {})}
    for name in (
        "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64",
    )
}  # fmt: skip
_MOST_MESSAGES = 2000
"""Messages that are written out; a file whose messages use each other often would grow without end."""
_KNOWN: dict[str, dict[str, Any]] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Duration": {"type": "string"},
    "google.protobuf.Struct": {"type": "object"},
    "google.protobuf.Empty": {"type": "object"},
    "google.protobuf.Any": {"type": "object"},
}


def structure_of_proto(text: str, files: Files = ALONE) -> dict[str, Any]:
    """The message that no other one uses; several such messages stand side by side as properties."""
    reader = _Reader(parse(text), _imported(text, files))
    roots = reader.roots()
    if not roots:
        return _enums_only(reader)
    if len(roots) == 1:
        return {**reader.message(roots[0], ()), "title": reader.shown(roots[0])}
    nodes = {reader.shown(name): reader.message(name, ()) for name in roots}
    return {"type": "object", "properties": nodes, "notes": [f"one of {len(roots)} messages"]}


def _enums_only(reader: _Reader) -> dict[str, Any]:
    """A file without messages is about the values of its enums."""
    names = [name for name in reader.enums if name in reader.own_enums]
    if not names:
        raise ReadFailure("the file declares no message and no enum")
    nodes = {reader.shown(name): reader.enum(name) for name in names}
    if len(nodes) == 1:
        [(name, node)] = nodes.items()
        return {**node, "type": "primitive", "valueType": "string", "title": name}
    return {"type": "object", "properties": nodes, "notes": [f"{len(nodes)} enums, no message"]}


def _imported(text: str, files: Files) -> list[Mapping[str, Any]]:
    """The files that a file imports, directly or not; those that are no such file are left out."""
    texts = dict(files.texts) if references(text, "protobuf") else {}
    found: list[Mapping[str, Any]] = []
    for other in texts.values():
        with contextlib.suppress(ReadFailure):
            found.append(parse(other))
    return found


class _Reader:
    """Messages and enums by their full names, the package in front."""

    def __init__(self, raw: Mapping[str, Any], imported: Sequence[Mapping[str, Any]]) -> None:
        self.package = raw["package"] or ""
        self.written = 0
        self.messages: dict[str, Mapping[str, Any]] = {}
        self.enums: dict[str, Mapping[str, Any]] = {}
        self._collect(raw, _prefix(self.package))
        self.own = [_prefix(self.package) + message["name"] for message in raw["messages"]]
        self.own_enums = {_prefix(self.package) + enum["name"] for enum in raw["enums"]}
        for other in imported:
            self._collect(other, _prefix(other["package"] or ""))

    def _collect(self, holder: Mapping[str, Any], prefix: str) -> None:
        for enum in holder["enums"]:
            self.enums.setdefault(prefix + enum["name"], enum)
        for message in holder["messages"]:
            self.messages.setdefault(prefix + message["name"], message)
            self._collect(message, f"{prefix}{message['name']}.")

    def roots(self) -> list[str]:
        """Top-level messages that no other message has as a field; all of them when they use each other in circles."""
        used = {name for holder, message in self.messages.items() for name in self._used(holder, message)}
        return [name for name in self.own if name not in used] or self.own

    def shown(self, name: str) -> str:
        """A name as it is written within its file."""
        return name.removeprefix(_prefix(self.package))

    def _used(self, holder: str, message: Mapping[str, Any]) -> Iterator[str]:
        for field in message["fields"]:
            name = self._resolve(field.get("value") or field["type"], holder)
            if name != holder and name in self.messages:
                yield name

    def _resolve(self, name: str, scope: str) -> str:
        """The full name of a type as protobuf looks it up: from the inside out; a dot in front says it is full."""
        if name.startswith("."):
            return name[1:]
        while True:
            full = f"{scope}.{name}" if scope else name
            if full in self.messages or full in self.enums or not scope:
                return full
            scope = scope.rpartition(".")[0]

    def enum(self, name: str) -> dict[str, Any]:
        """The names that an enum has; a name that stands twice is one."""
        return {"type": "string", "enum": list(dict.fromkeys(value["name"] for value in self.enums[name]["values"]))}

    def message(self, name: str, inside: tuple[str, ...]) -> dict[str, Any]:
        message = self.messages[name]
        properties = {field["name"]: self._field(field, name, (*inside, name)) for field in message["fields"]}
        node: dict[str, Any] = {"type": "object", "properties": properties}
        required = [field["name"] for field in message["fields"] if field.get("label") == "required"]
        if required:
            node["required"] = required
        if message["note"]:
            node["description"] = message["note"]
        return node

    def _field(self, field: Mapping[str, Any], holder: str, inside: tuple[str, ...]) -> dict[str, Any]:
        cardinality = "1" if field.get("label") == "required" else "0..1"
        if field.get("key"):
            node: dict[str, Any] = {
                "type": "object",
                "additionalProperties": self._type(field["value"], holder, inside),
                "keyType": self._type(field["key"], holder, inside).get("type"),
            }
        else:
            node = self._type(field["type"], holder, inside)
        if field.get("label") == "repeated":
            node, cardinality = {"type": "array", "items": node}, "0..n"
        if field.get("oneof"):
            node["oneof"] = field["oneof"]
        if field.get("note"):
            node["description"] = field["note"]
        return {**node, "cardinality": cardinality}

    def _type(self, name: str, holder: str, inside: tuple[str, ...]) -> dict[str, Any]:
        if name in _SCALARS:
            return dict(_SCALARS[name])
        if name.removeprefix(".") in _KNOWN:
            return dict(_KNOWN[name.removeprefix(".")])
        full = self._resolve(name, holder)
        if full in self.enums:
            return self.enum(full)
        if full in inside:
            return {"type": "object", "recursive": self.shown(full)}
        self.written += 1
        if self.written > _MOST_MESSAGES:
            return {"type": "object", "description": f"{name}, not written out again"}
        if full in self.messages:
            return self.message(full, inside)
        return {"type": "object", "description": f"{name}, defined in another file"}


def _prefix(package: str) -> str:
    return f"{package}." if package else ""
