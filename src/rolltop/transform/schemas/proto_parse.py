"""A lenient parser of .proto files: messages, enums, oneofs, maps, reserved ranges, comments.

Compilers refuse many real files (a missing import, an enum value used twice); a description does not
need to.
"""

from __future__ import annotations

import re
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.text import decode, place

__all__ = ["parse"]

_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<block>/\*.*?\*/)|//(?P<line>[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      |(?P<word>\.?[A-Za-z_][\w.]*)|(?P<number>-?\d[\w.+-]*)|(?P<mark>[{}\[\]()<>=;,:-])""",
    re.VERBOSE | re.DOTALL,
)
_LABELS = ("repeated", "optional", "required")
_MAX_DEPTH = 50


def parse(data: str | bytes) -> dict[str, Any]:
    """Everything that was declared, nested messages and comments included."""
    return _Parser(decode(data, "protobuf")).file()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.notes: dict[int, str] = {}
        """Comments before a token."""
        self.ends: dict[int, str] = {}
        """Comments after a token, in its line."""
        self._scan()
        self.index = 0

    def _scan(self) -> None:
        at, note = 0, []
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                raise self._error(at, f"unexpected {self.text[at]!r}")
            if found["line"] is not None and self.tokens and "\n" not in self.text[self._end() : at]:
                self.ends[len(self.tokens) - 1] = found["line"].strip()
            elif found["line"] is not None:
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

    def _end(self) -> int:
        _, text, at = self.tokens[-1]
        return at + len(text)

    def _noted(self, note: str | None) -> str | None:
        """What is said before a declaration, else what is said at the end of its line."""
        return note or self.ends.get(self.index - 1)

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
        field["note"] = self._noted(note)
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
            value["note"] = self._noted(value["note"])
            enum["values"].append(value)
        self.take("}")
        return enum
