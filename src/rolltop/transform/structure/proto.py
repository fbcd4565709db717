"""Protocol Buffers files to a structure: messages written out where they are used, maps, oneofs, enums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.schemas.proto_read import parse

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


def structure_of_proto(text: str) -> dict[str, Any]:
    """The message that no other one uses; several such messages stand side by side as properties."""
    raw = parse(text)
    reader = _Reader(raw)
    roots = reader.roots()
    if not roots:
        raise ReadFailure("the file declares no message")
    if len(roots) == 1:
        return {**reader.message(roots[0], ()), "title": roots[0]}
    nodes = {name: reader.message(name, ()) for name in roots}
    return {"type": "object", "properties": nodes, "notes": [f"one of {len(roots)} messages"]}


class _Reader:
    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.package = raw["package"] or ""
        self.written = 0
        self.messages: dict[str, Mapping[str, Any]] = {}
        self.enums: dict[str, Mapping[str, Any]] = {}
        self._collect(raw, "")

    def _collect(self, holder: Mapping[str, Any], prefix: str) -> None:
        self.enums.update({prefix + enum["name"]: enum for enum in holder["enums"]})
        for message in holder["messages"]:
            self.messages[prefix + message["name"]] = message
            self._collect(message, f"{prefix}{message['name']}.")

    def roots(self) -> list[str]:
        """Top-level messages that no other message has as a field; all of them when they use each other in circles."""
        used = {name for holder, message in self.messages.items() for name in self._used(holder, message)}
        top = [name for name in self.messages if "." not in name]
        return [name for name in top if name not in used] or top

    def _used(self, holder: str, message: Mapping[str, Any]) -> Iterator[str]:
        for field in message["fields"]:
            name = self._resolve(field.get("value") or field["type"], holder)
            if name != holder and name in self.messages:
                yield name

    def _resolve(self, name: str, scope: str) -> str:
        """The full name of a type as protobuf looks it up: from the inside out, the package left away."""
        name = name.removeprefix(".")
        name = name.removeprefix(f"{self.package}.") if self.package else name
        while True:
            full = f"{scope}.{name}" if scope else name
            if full in self.messages or full in self.enums or not scope:
                return full
            scope = scope.rpartition(".")[0]

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
            return {"type": "string", "enum": [value["name"] for value in self.enums[full]["values"]]}
        if full in inside:
            return {"type": "object", "recursive": full}
        self.written += 1
        if self.written > _MOST_MESSAGES:
            return {"type": "object", "description": f"{name}, not written out again"}
        if full in self.messages:
            return self.message(full, inside)
        return {"type": "object", "description": f"{name}, defined in another file"}
