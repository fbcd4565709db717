"""The description of types as a .proto file that protobuf's own compiler takes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.schemas.completion import complete
from rolltop.transform.schemas.model import (
    distinct,
    dotted,
    fields_of,
    flag,
    identifier,
    text_of,
    unaliased,
    universal,
    well_known_file,
    whole,
    wide,
)
from rolltop.transform.schemas.proto_read import INTEGERS

__all__ = ["generate"]

Types = Mapping[str, dict[str, Any]]
_SCALARS = frozenset({*INTEGERS, "string", "bool", "bytes", "double", "float"})
_FROM_UNIVERSAL = {
    "number": "double", "double": "double", "float": "float", "long": "int64", "decimal": "string",
    "boolean": "bool", "binary": "bytes", "bytes": "bytes", "string": "string", "date": "string",
    "datetime": "string", "time": "string", "any": "string",
    "object": "google.protobuf.Struct", "array": "google.protobuf.ListValue",
    "map": "google.protobuf.Struct", "union": "google.protobuf.Value", "null": "google.protobuf.Value",
}  # fmt: skip
_KEYS = frozenset({*INTEGERS, "string", "bool"})
_LAST_NUMBER = 536_870_911
_GOOGLE = re.compile(r"google\.protobuf\.\w+")


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """A proto3 file: enums first, then messages; `Outer.Inner` stands inside `Outer`."""
    types = complete(value, "proto")
    parts = ['syntax = "proto3";']
    package = dotted(text_of(value, "%namespace") or "")
    if package:
        parts.append(f"package {package};")
    writer = _Writer(types)
    declared = writer.declarations("")
    if writer.imports:
        parts.append("\n".join(f'import "{file}";' for file in sorted(writer.imports)))
    return "\n\n".join([*parts, *declared])


class _Writer:
    def __init__(self, types: Types) -> None:
        self.types = {name: type_ for name, type_ in types.items() if _is_declared(type_)}
        self.all = types
        self.imports: set[str] = set()
        self.names: dict[str, str] = {}
        self.inside: dict[str, list[str]] = {}
        """The types right inside a message, or inside nothing."""
        for name in self.types:
            self.inside.setdefault(self._holder(name), []).append(name)
        for outer, inside in self.inside.items():
            short = [name.removeprefix(f"{outer}.") if outer else name for name in inside]
            self.names.update(zip(inside, distinct(short), strict=True))

    def _holder(self, name: str) -> str:
        """The message that a type is declared in."""
        outer = name.rpartition(".")[0]
        while outer and outer not in self.types:
            outer = outer.rpartition(".")[0]
        return outer

    def declarations(self, outer: str) -> list[str]:
        """The enums and messages right inside a message, or inside nothing."""
        own = self.inside.get(outer, [])
        enums = [name for name in own if self.types[name].get("%kind") == "enumeration"]
        constants = self._constants(outer, enums)
        written = [_enum(self.names[name], self.types[name], constants[name]) for name in enums]
        return written + [self._message(name) for name in own if name not in enums]

    def _constants(self, outer: str, enums: list[str]) -> dict[str, list[str]]:
        """The constants of each enum. They belong to what the enum stands in, so one that occurs twice there, or is
        the name of something else, has the name of its enum before it."""
        others = {self.names[name] for name in self.inside.get(outer, [])}
        if outer:
            others |= {identifier(field["%name"]) for field in fields_of(self.types[outer])}
        plain = {name: [identifier(text) for text in _texts(self.types[name])] for name in enums}
        counted = Counter(constant for constants in plain.values() for constant in set(constants))
        found: dict[str, list[str]] = {}
        taken = set(others)
        for name in enums:
            given = [
                f"{self.names[name]}_{constant}" if counted[constant] > 1 or constant in others else constant
                for constant in plain[name]
            ]
            found[name] = distinct(given, taken)
            taken.update(found[name])
        return found

    def _message(self, full: str) -> str:
        name, type_ = self.names[full], self.types[full]
        lines = [*_comment(type_), f"message {name} {{", *_reserved(type_)]
        for part in self.declarations(full):
            lines += [f"  {line}".rstrip() for line in part.splitlines()]
        fields = [unaliased(field, self.all) for field in fields_of(type_)]
        choices = list(dict.fromkeys(choice for field in fields if (choice := text_of(field, "%oneof"))))
        shown = distinct([field["%name"] for field in fields], map(identifier, choices))
        numbered = list(zip(_numbers(name, type_, fields), shown, fields, strict=True))
        for choice in choices:
            lines.append(f"  oneof {identifier(choice)} {{")
            members = [item for item in numbered if text_of(item[2], "%oneof") == choice]
            lines += [f"    {self._member(full, field)} {called} = {number};" for number, called, field in members]
            lines.append("  }")
        for number, called, field in numbered:
            if not field.get("%oneof"):
                lines += [*_comment(field, "  "), f"  {self._labelled(full, field)} {called} = {number};"]
        return "\n".join([*lines, "}"])

    def _labelled(self, message: str, field: Mapping[str, Any]) -> str:
        if flag(field, "%array"):
            return f"repeated {self._type(message, {**field, '%map': None})}"
        type_ = self._type(message, field)
        is_enum = self.types.get(str(field.get("%type")), {}).get("%kind") == "enumeration"
        # That a message or a map is missing can be told in any case.
        can_be_told = type_ in _SCALARS or (is_enum and not flag(field, "%map"))
        may_be_missing = field.get("%required") is False or flag(field, "%nullable")
        return f"optional {type_}" if may_be_missing and can_be_told else type_

    def _member(self, message: str, field: Mapping[str, Any]) -> str:
        if flag(field, "%array") or flag(field, "%map"):
            raise WriteFailure(
                f"{message}.{field['%name']}: an array or a map cannot be one of the fields of a oneof",
                hint="Put it into a message of its own.",
            )
        return self._type(message, field)

    def _type(self, message: str, field: Mapping[str, Any]) -> str:
        if flag(field, "%map"):
            item = {**field, "%type": field.get("%itemType") or field.get("%type", "string"), "%map": None}
            key = self._type(message, {"%name": field["%name"], "%type": field.get("%keyType", "string")})
            value = unaliased(item, self.all)
            if flag(value, "%array") or flag(value, "%map"):  # which cannot stand there
                value = {**value, "%type": "array" if flag(value, "%array") else "object", "%map": None}
            return f"map<{key if key in _KEYS else 'string'}, {self._type(message, value)}>"
        name = str(field.get("%type", "string"))
        if name in self.types:
            outer = self._holder(name)
            inner = self.names[name]
            return f"{self._type(message, {**field, '%type': outer})}.{inner}" if outer else inner
        return self._imported(self._builtin(message, field, name))

    def _builtin(self, message: str, field: Mapping[str, Any], name: str) -> str:
        if well_known_file(name):
            return name.removeprefix(".")
        own = text_of(field, "%protoType")
        nearest = name if name in _FROM_UNIVERSAL else universal(name)
        if nearest == "integer":
            return own if own in INTEGERS else "int64" if wide(field) else "int32"
        if nearest in _FROM_UNIVERSAL:
            return _FROM_UNIVERSAL[nearest]
        if name in _SCALARS:
            return name
        raise WriteFailure(
            f"{message}.{field['%name']}: the type {name!r} is not declared",
            hint="Add it to %types; types of other files are not carried over.",
        )

    def _imported(self, written: str) -> str:
        for name in _GOOGLE.findall(written):
            file = well_known_file(name)
            if file:
                self.imports.add(file)
        return written


def _is_declared(type_: Mapping[str, Any]) -> bool:
    """Whether protobuf has a declaration for it; what else has a name is written where it is used."""
    return type_.get("%kind", "structure") in ("structure", "enumeration")


def _comment(part: Mapping[str, Any], indent: str = "") -> list[str]:
    note = text_of(part, "%documentation", "%description")
    return [f"{indent}// {line}" for line in note.splitlines()] if note else []


def _values(type_: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [item if isinstance(item, dict) else {"%value": item} for item in type_.get("%values") or []]


def _texts(type_: Mapping[str, Any]) -> list[str]:
    return [text_of(value, "%value") or "" for value in _values(type_)]


def _enum(name: str, type_: Mapping[str, Any], constants: list[str]) -> str:
    values = _values(type_)
    if not values:
        raise WriteFailure(f"the enum {name} has no values", hint="protobuf wants at least one, with the number 0.")
    lines = [*_comment(type_), f"enum {name} {{"]
    seen: set[int] = set()
    for position, (value, constant) in enumerate(zip(values, constants, strict=True)):
        ordinal = whole(value.get("%ordinal"))
        number = position if ordinal is None else ordinal
        if position == 0 and number != 0:
            raise WriteFailure(f"the first value of the enum {name} must be 0, not {number}")
        if number in seen:
            raise WriteFailure(f"two values of the enum {name} have the number {number}")
        seen.add(number)
        lines += [*_comment(value, "  "), f"  {constant} = {number};"]
    return "\n".join([*lines, "}"])


def _reserved(type_: Mapping[str, Any]) -> list[str]:
    numbers = []
    for item in type_.get("%reserved") or []:
        if isinstance(item, dict):
            numbers.append(f"{whole(_end(item, 'from'))} to {whole(_end(item, 'to'))}")
        else:
            numbers.append(str(whole(item)))
    names = [f'"{name}"' for name in type_.get("%reservedNames") or []]
    return [f"  reserved {', '.join(part)};" for part in (numbers, names) if part]


def _end(item: Mapping[str, Any], name: str) -> Any:
    return item.get(name, item.get("%" + name))


def _numbers(message: str, type_: Mapping[str, Any], fields: list[dict[str, Any]]) -> list[int]:
    numbers: list[int] = []
    for position, field in enumerate(fields, 1):
        given = whole(field.get("%fieldNumber"))
        number = position if given is None else given
        place = f"{message}.{field['%name']}"
        if not 1 <= number <= _LAST_NUMBER or 19_000 <= number <= 19_999:
            raise WriteFailure(
                f"{place}: {number} is no field number",
                hint=f"Allowed are 1 to {_LAST_NUMBER} without 19000 to 19999.",
            )
        if number in numbers:
            raise WriteFailure(f"{place}: the field number {number} is used twice")
        if _is_reserved(number, type_):
            raise WriteFailure(f"{place}: the field number {number} is reserved", hint="Give it another %fieldNumber.")
        numbers.append(number)
    return numbers


def _is_reserved(number: int, type_: Mapping[str, Any]) -> bool:
    for item in type_.get("%reserved") or []:
        if isinstance(item, dict):
            first, last = whole(_end(item, "from")), whole(_end(item, "to"))
            if first is not None and last is not None and first <= number <= last:
                return True
        elif whole(item) == number:
            return True
    return False
