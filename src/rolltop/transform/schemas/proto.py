"""Protocol Buffers, proto3: parsing in `proto_parse`, reading in `proto_read`, writing here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.schemas.directives import fields_of, flag, text_of, types_of, whole, wide
from rolltop.transform.schemas.proto_parse import parse
from rolltop.transform.schemas.proto_read import INTEGERS, describe, read

__all__ = ["describe", "generate", "parse", "read", "write"]

_FROM_UNIVERSAL = {
    "number": "double", "double": "double", "float": "float", "long": "int64", "decimal": "string",
    "boolean": "bool", "binary": "bytes", "bytes": "bytes", "string": "string", "date": "string",
    "datetime": "string", "time": "string", "any": "string",
}  # fmt: skip
_LAST_NUMBER = 536_870_911


def write(value: Any, options: Mapping[str, Any]) -> str:
    if not isinstance(value, dict):
        raise WriteFailure("output proto needs %types")
    return generate(value, options)


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """A proto3 file: enums first, then messages; `Outer.Inner` stands inside `Outer`."""
    types = types_of(value, "proto")
    parts = ['syntax = "proto3";']
    package = _package(text_of(value, "%namespace") or "")
    if package:
        parts.append(f"package {package};")
    return "\n\n".join([*parts, *_declarations(types, "")])


def _package(namespace: str) -> str:
    """A namespace as a package; one that is an address becomes words with dots between them."""
    words = [word for word in re.split(r"[^A-Za-z0-9_]+", namespace) if word]
    return ".".join(f"_{word}" if word[0].isdigit() else word for word in words)


def _declarations(types: Mapping[str, dict[str, Any]], outer: str) -> list[str]:
    """The enums and messages right inside a message, or inside nothing."""
    own = {name: type_ for name, type_ in types.items() if _holder(name, types) == outer}
    kinds = {name: type_.get("%kind", "structure") for name, type_ in own.items()}
    shown = {name: _name(name.removeprefix(f"{outer}.") if outer else name) for name in own}
    enums = [_enum(shown[name], own[name]) for name, kind in kinds.items() if kind == "enumeration"]
    inner = {name: _declarations(types, name) for name, kind in kinds.items() if kind == "structure"}
    return enums + [_message(shown[name], own[name], inner[name], types) for name in inner]


def _holder(name: str, types: Mapping[str, dict[str, Any]]) -> str:
    """The message that a type is declared in."""
    outer = name.rpartition(".")[0]
    while outer and outer not in types:
        outer = outer.rpartition(".")[0]
    return outer


def _name(name: str) -> str:
    """A name that protobuf allows: other formats have dots and hyphens in theirs."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _comment(part: Mapping[str, Any], indent: str = "") -> list[str]:
    note = text_of(part, "%documentation", "%description")
    return [f"{indent}// {line}" for line in note.splitlines()] if note else []


def _enum(name: str, type_: Mapping[str, Any]) -> str:
    lines = [*_comment(type_), f"enum {name} {{"]
    for position, item in enumerate(type_.get("%values") or []):
        value = item if isinstance(item, dict) else {"%value": item}
        ordinal = whole(value.get("%ordinal"))
        number = position if ordinal is None else ordinal
        if position == 0 and number != 0:
            raise WriteFailure(f"the first value of the enum {name} must be 0, not {number}")
        lines += [*_comment(value, "  "), f"  {value.get('%value')} = {number};"]
    return "\n".join([*lines, "}"])


def _message(name: str, type_: Mapping[str, Any], inner: list[str], types: Mapping[str, dict[str, Any]]) -> str:
    lines = [*_comment(type_), f"message {name} {{", *_reserved(type_)]
    for part in inner:
        lines += [f"  {line}".rstrip() for line in part.splitlines()]
    numbered = _numbered(name, fields_of(type_))
    choices: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, field in numbered:
        choice = text_of(field, "%oneof")
        if choice:
            choices.setdefault(choice, []).append((number, field))
    for choice, members in choices.items():
        lines.append(f"  oneof {choice} {{")
        lines += [f"    {_type(field, types)} {_name(field['%name'])} = {number};" for number, field in members]
        lines.append("  }")
    for number, field in numbered:
        if not field.get("%oneof"):
            lines += [*_comment(field, "  "), f"  {_labelled(field, types)} {_name(field['%name'])} = {number};"]
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


def _numbered(message: str, fields: list[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    numbered: list[tuple[int, dict[str, Any]]] = []
    seen: set[int] = set()
    for position, field in enumerate(fields, 1):
        given = whole(field.get("%fieldNumber"))
        number = position if given is None else given
        if not 1 <= number <= _LAST_NUMBER or 19_000 <= number <= 19_999:
            raise WriteFailure(
                f"{message}.{field['%name']}: {number} is no field number",
                hint=f"Allowed are 1 to {_LAST_NUMBER} without 19000 to 19999.",
            )
        if number in seen:
            raise WriteFailure(f"{message}.{field['%name']}: the field number {number} is used twice")
        seen.add(number)
        numbered.append((number, field))
    return numbered


def _labelled(field: Mapping[str, Any], types: Mapping[str, dict[str, Any]]) -> str:
    return f"repeated {_type(field, types)}" if flag(field, "%array") else _type(field, types)


def _type(field: Mapping[str, Any], types: Mapping[str, dict[str, Any]]) -> str:
    if flag(field, "%map"):
        item = {"%type": field.get("%itemType") or field.get("%type", "string"), "%size": field.get("%size")}
        return f"map<{_type({'%type': field.get('%keyType', 'string')}, types)}, {_type(item, types)}>"
    name = str(field.get("%type", "string"))
    if name in types:
        outer = _holder(name, types)
        return f"{_type({'%type': outer}, types)}.{_name(name[len(outer) + 1 :])}" if outer else _name(name)
    if name == "integer":
        own = text_of(field, "%protoType")
        return own if own in INTEGERS else "int64" if wide(field) else "int32"
    return _FROM_UNIVERSAL.get(name, name)
