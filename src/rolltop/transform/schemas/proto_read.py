"""A lenient reader of .proto files: messages, enums, oneofs, maps, reserved ranges, comments.

Compilers refuse many real files (a missing import, an enum value used twice); a description does not
need to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.text import decode, place
from rolltop.transform.schemas.directives import compact, enrich
from rolltop.transform.values import Node

__all__ = ["describe", "parse", "read"]

_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<block>/\*.*?\*/)|//(?P<line>[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      |(?P<word>\.?[A-Za-z_][\w.]*)|(?P<number>-?\d[\w.+-]*)|(?P<mark>[{}\[\]()<>=;,:-])""",
    re.VERBOSE | re.DOTALL,
)
_INTEGERS = {
    "int32": 32, "uint32": 32, "sint32": 32, "fixed32": 32, "sfixed32": 32,
    "int64": 64, "uint64": 64, "sint64": 64, "fixed64": 64, "sfixed64": 64,
}  # fmt: skip
_SCALARS = {"string": "string", "bool": "boolean", "bytes": "bytes", "double": "number", "float": "float"}
_LABELS = ("repeated", "optional", "required")
_MAX_DEPTH = 50


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    raw = parse(data)
    if raw["syntax"] != "proto3":
        raise ReadFailure(
            f"only proto3 files are read, this one is {raw['syntax']}", hint='Start with syntax = "proto3";'
        )
    return enrich(Node(_plain(raw), None, None, {"schemaType": "proto-schema"}), lambda _: describe(raw))


def parse(data: str | bytes) -> dict[str, Any]:
    """Everything that was declared, nested messages and comments included."""
    return _Parser(decode(data, "protobuf")).file()


def _plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The raw value as programs see it: `message` and `enum` are objects when there is one."""
    shown: dict[str, Any] = {}
    if raw["package"]:
        shown["package"] = raw["package"]
    shown["syntax"] = raw["syntax"]
    for key, items in (("message", raw["messages"]), ("enum", raw["enums"])):
        listed = [_plain_message(item) if key == "message" else _plain_enum(item) for item in items]
        if listed:
            shown[key] = listed[0] if len(listed) == 1 else listed
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
    names = {name for name, _, _ in everything}
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


def _structure(name: str, message: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    fields = sorted(message["fields"], key=lambda field: int(field["number"]))
    return compact(
        kind="structure",
        documentation=message["note"],
        fields=[_field(field, name, names) for field in fields],
        reserved=message["reserved"] or None,
        reservedNames=message["reserved_names"] or None,
    )


def _field(field: Mapping[str, Any], scope: str, names: set[str]) -> dict[str, Any]:
    if field.get("key"):
        item = _resolve(field["value"], scope, names)
        shape = compact(type="map", map=True, keyType=_universal(field["key"]), itemType=_universal(item))
    else:
        type_ = _resolve(field["type"], scope, names)
        shape = compact(
            type=_universal(type_), size=_INTEGERS.get(type_), array=True if field.get("label") == "repeated" else None
        )
    return {
        "%name": field["name"],
        **shape,
        **compact(fieldNumber=field["number"], oneof=field.get("oneof"), documentation=field["note"]),
    }


def _resolve(type_: str, scope: str, names: set[str]) -> str:
    """The full name of a nested type, looked for from the inside out."""
    while scope:
        if f"{scope}.{type_}" in names:
            return f"{scope}.{type_}"
        scope = scope.rpartition(".")[0]
    return type_


def _universal(type_: str) -> str:
    return "integer" if type_ in _INTEGERS else _SCALARS.get(type_, type_)


# ---- parsing ----------------------------------------------------------------------------------


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.notes: dict[int, str] = {}
        self._scan()
        self.index = 0

    def _scan(self) -> None:
        at, note = 0, []
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                raise self._error(at, f"unexpected {self.text[at]!r}")
            if found["line"] is not None:
                note.append(found["line"].strip())
            elif found.lastgroup not in ("space", "block"):
                if note:
                    self.notes[len(self.tokens)] = " ".join(note)
                    note = []
                self.tokens.append((str(found.lastgroup), found[0], at))
            elif found[0].count("\n") > 1:
                note = []
            at = found.end()
        self.tokens.append(("end", "", len(self.text)))

    def _error(self, at: int, reason: str) -> ReadFailure:
        line, column = place(self.text, at)
        return ReadFailure(f"protobuf parse error at {line}:{column} - {reason}", line, column)

    def peek(self) -> str:
        return self.tokens[self.index][1]

    def take(self, wanted: str | None = None) -> str:
        kind, text, at = self.tokens[self.index]
        if kind == "end" or (wanted is not None and text != wanted):
            shown = text or "the end of the file"
            raise self._error(at, f"expected {wanted or 'more'}, found {shown}")
        self.index += 1
        return text

    def word(self) -> str:
        kind, text, at = self.tokens[self.index]
        if kind != "word":
            raise self._error(at, f"expected a name, found {text or 'the end of the file'}")
        self.index += 1
        return text

    def number(self) -> int:
        _, text, at = self.tokens[self.index]
        try:
            value = int(text, 0) if len(text) < 20 else None
        except ValueError:
            value = None
        if value is None:
            raise self._error(at, f"expected a number, found {text or 'the end of the file'}")
        self.index += 1
        return value

    def skip_statement(self) -> None:
        """Past something that a description does not need: options, imports, services."""
        depth = 0
        while self.tokens[self.index][0] != "end":
            text = self.take()
            depth += (text in ("{", "[")) - (text in ("}", "]"))
            if depth <= 0 and text in (";", "}"):
                if text == "}" and self.peek() == ";":
                    self.take()
                return

    def file(self) -> dict[str, Any]:
        file: dict[str, Any] = {"syntax": "proto3", "package": None, "messages": [], "enums": []}
        while self.tokens[self.index][0] != "end":
            note = self.notes.get(self.index)
            word = self.peek()
            if word == "syntax":
                self.take()
                self.take("=")
                file["syntax"] = self.take().strip("\"'")
                self.take(";")
            elif word == "package":
                self.take()
                file["package"] = self.word()
                self.take(";")
            elif word == "message":
                file["messages"].append(self.message(note, 0))
            elif word == "enum":
                file["enums"].append(self.enum(note))
            else:
                self.skip_statement()
        return file

    def message(self, note: str | None, depth: int) -> dict[str, Any]:
        opened = self.tokens[self.index][2]
        if depth > _MAX_DEPTH:
            raise self._error(opened, f"more than {_MAX_DEPTH} levels of messages")
        self.take("message")
        return self._body(self.word(), note, depth)

    def _body(self, name: str, note: str | None, depth: int) -> dict[str, Any]:
        message: dict[str, Any] = {
            "name": name, "note": note, "fields": [], "messages": [], "enums": [],
            "reserved": [], "reserved_names": [],
        }  # fmt: skip
        self.take("{")
        while self.peek() != "}":
            self._member(message, depth)
        self.take("}")
        return message

    def _member(self, message: dict[str, Any], depth: int) -> None:
        note = self.notes.get(self.index)
        word = self.peek()
        after = self.tokens[min(self.index + 1, len(self.tokens) - 1)][0]
        if word == "message" and after == "word":
            message["messages"].append(self.message(note, depth + 1))
        elif word == "enum" and after == "word":
            message["enums"].append(self.enum(note))
        elif word == "oneof" and after == "word":
            self._oneof(message)
        elif word == "reserved":
            self._reserved(message)
        elif word in ("option", "extensions", "extend", ";"):
            self.skip_statement()
        elif word in (*_LABELS, "group") and "group" in (word, self._after(1)) and self._after(3) == "=":
            self._group(message, note, depth)
        else:
            message["fields"].append(self.field(note))

    def _after(self, count: int) -> str:
        return self.tokens[min(self.index + count, len(self.tokens) - 1)][1]

    def _group(self, message: dict[str, Any], note: str | None, depth: int) -> None:
        """`optional group Result = 1 { … }` of proto2: a message and a field of it at once."""
        label = self.take() if self.peek() in _LABELS else None
        self.take("group")
        name = self.word()
        self.take("=")
        number = self.number()
        if self.peek() == "[":
            self._options()
        if depth >= _MAX_DEPTH:
            raise self._error(self.tokens[self.index][2], f"more than {_MAX_DEPTH} levels of messages")
        message["messages"].append(self._body(name, note, depth + 1))
        message["fields"].append({"note": note, "label": label, "type": name, "name": name.lower(), "number": number})

    def _oneof(self, message: dict[str, Any]) -> None:
        self.take()
        name = self.word()
        self.take("{")
        while self.peek() != "}":
            if self.peek() == "option":
                self.skip_statement()
                continue
            message["fields"].append({**self.field(self.notes.get(self.index)), "oneof": name})
        self.take("}")

    def _reserved(self, message: dict[str, Any]) -> None:
        self.take()
        while True:
            if self.tokens[self.index][0] == "string":
                message["reserved_names"].append(self.take()[1:-1])
            else:
                message["reserved"].append(self._range())
            if self.take() == ";":
                return

    def _range(self) -> int | dict[str, int]:
        first = self.number()
        if self.peek() != "to":
            return first
        self.take()
        if self.peek() == "max":
            self.take()
            return {"from": first, "to": 536_870_911}
        return {"from": first, "to": self.number()}

    def field(self, note: str | None) -> dict[str, Any]:
        field: dict[str, Any] = {"note": note, "label": None}
        if self.peek() in _LABELS and self.tokens[self.index + 1][0] == "word":
            field["label"] = self.take()
        field["type"] = self.word()
        if field["type"] == "map" and self.peek() == "<":
            self.take()
            field["key"] = self.word()
            self.take(",")
            field["value"] = self.word()
            self.take(">")
            field["type"] = f"map<{field['key']}, {field['value']}>"
        field["name"] = self.word()
        self.take("=")
        field["number"] = self.number()
        if self.peek() == "[":
            self._options()
        self.take(";")
        return field

    def _options(self) -> None:
        depth = 0
        while True:
            text = self.take()
            depth += (text in "[{") - (text in "]}")
            if depth == 0:
                return

    def enum(self, note: str | None) -> dict[str, Any]:
        self.take("enum")
        enum: dict[str, Any] = {"name": self.word(), "note": note, "values": []}
        self.take("{")
        while self.peek() != "}":
            if self.peek() in ("option", "reserved", ";"):
                self.skip_statement()
                continue
            value: dict[str, Any] = {"note": self.notes.get(self.index), "name": self.word()}
            self.take("=")
            value["number"] = self.number()
            if self.peek() == "[":
                self._options()
            self.take(";")
            enum["values"].append(value)
        self.take("}")
        return enum
