"""From a type of the language to JSON Schema, counting what is uncertain on the way."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from rolltop.transform.named_types import NamedObject
from rolltop.transform.types import NULL, ArrayType, ObjectType, RepeatedType, Scalar, Type, UnionType

__all__ = ["Described", "describe_type"]

_SCALARS: dict[str, dict[str, Any]] = {
    "String": {"type": "string"},
    "Number": {"type": "number"},
    "Integer": {"type": "integer"},
    "Boolean": {"type": "boolean"},
    "Null": {"type": "null"},
    "Date": {"type": "string", "format": "date"},
    "DateTime": {"type": "string", "format": "date-time"},
    "LocalDateTime": {"type": "string"},
    "Time": {"type": "string"},
    "Binary": {"type": "string", "contentEncoding": "base64"},
}
_MOST_LEAVES = 20_000
"""Leaves that are described; what shares its parts again and again has more than anybody reads."""
_SMALL = 30
"""Leaves of a definition that is written out wherever it occurs; a larger one is after that referred to."""


@dataclass(slots=True)
class Described:
    """A schema, how many leaves it has, and the paths of those that nobody can be sure about."""

    schema: dict[str, Any] = field(default_factory=dict)
    leaves: int = 0
    uncertain: list[str] = field(default_factory=list)

    @property
    def vague_root(self) -> bool:
        return "(result)" in self.uncertain


def describe_type(type_: Type, *, write_attributes: bool = False) -> Described:
    """The JSON Schema of the values that the type has when they are written as JSON."""
    describer = _Describer(write_attributes)
    schema = describer.schema(type_, "")
    described = describer.described
    described.schema = {**schema, "$defs": describer.definitions} if describer.definitions else schema
    return described


@dataclass(slots=True)
class _Definition:
    """A named object that was come by: its schema when that is known, and whether it holds itself."""

    name: str
    schema: dict[str, Any] | None = None
    leaves: int = 0
    recursive: bool = False


class _Describer:
    def __init__(self, write_attributes: bool) -> None:
        self.write_attributes = write_attributes
        self.described = Described()
        self.known: dict[NamedObject, _Definition] = {}
        self.definitions: dict[str, Any] = {}

    def schema(self, type_: Type, path: str) -> dict[str, Any]:
        if self.described.leaves > _MOST_LEAVES:
            self._doubt("(more)")
            return {}
        if isinstance(type_, NamedObject):
            return self._defined(type_, path)
        if isinstance(type_, ObjectType):
            return self._object(type_, path)
        if isinstance(type_, ArrayType):
            items = self.schema(type_.item, f"{path}[]")
            array = {"type": "array", "items": items} if items else {"type": "array"}
            return {"anyOf": [items, array]} if isinstance(type_, RepeatedType) else array
        if isinstance(type_, UnionType):
            return self._union(type_, path)
        self.described.leaves += 1
        known = _SCALARS.get(type_.name) if isinstance(type_, Scalar) else None
        if known is None:
            self._doubt(path)
            return {}
        return dict(known)

    def _doubt(self, path: str) -> None:
        if (path or "(result)") not in self.described.uncertain:
            self.described.uncertain.append(path or "(result)")

    def _defined(self, type_: NamedObject, path: str) -> dict[str, Any]:
        """Written out the first time; then referred to if it holds itself or is large."""
        known = self.known.get(type_)
        if known is None:
            known = self.known[type_] = _Definition(self._name(type_.name))
            before = self.described.leaves
            known.schema = self._object(type_, path)
            known.leaves = self.described.leaves - before
            if known.recursive:
                self.definitions[known.name] = known.schema
            return known.schema
        if known.schema is not None and not known.recursive and known.leaves <= _SMALL:
            return self._object(type_, path)
        if known.schema is None:
            known.recursive = True
        else:
            self.definitions[known.name] = known.schema
        self.described.leaves += 1
        return {"$ref": f"#/$defs/{known.name}"}

    def _name(self, wanted: str) -> str:
        """A name of its own, which needs no escapes where it is referred to."""
        plain = re.sub(r"[^\w.-]", "_", wanted, flags=re.ASCII)
        taken = {known.name for known in self.known.values()}
        names = [plain, *(f"{plain}_{number}" for number in range(2, len(taken) + 3))]
        return next(name for name in names if name not in taken)

    def _object(self, type_: ObjectType, path: str) -> dict[str, Any]:
        """An object as JSON shows it: one with nothing but text (and attributes) is that text."""
        if "_text" not in type_.index:
            return self._fields(type_, path)
        others = [name for name in type_.index if name != "_text" and not name.startswith("@")]
        if any(name in type_.required for name in others):
            return self._fields(type_, path)
        text = self.schema(type_.index["_text"], path)
        if not others and type_.rest is None and "_text" in type_.required and not self.write_attributes:
            return text
        element = self._fields(type_, path)
        return {"anyOf": [text, element]} if text else {}

    def _fields(self, type_: ObjectType, path: str) -> dict[str, Any]:
        shown: dict[str, Any] = {"type": "object"}
        if not type_.fields:
            self.described.leaves += 1
        inner = f"{path}." if path else ""
        keys = {name: "#text" if name == "_text" else name for name, _ in type_.fields}
        properties = {keys[name]: self.schema(part, inner + name) for name, part in type_.fields}
        if properties:
            shown["properties"] = properties
        required = [keys[name] for name, _ in type_.fields if name in type_.required]
        if required:
            shown["required"] = required
        if type_.rest is not None:
            others = self.schema(type_.rest, f"{path}.*" if path else "*")
            shown.update({"additionalProperties": others} if others else {})
        return shown

    def _union(self, type_: UnionType, path: str) -> dict[str, Any]:
        real = [member for member in type_.members if member != NULL]
        options: list[dict[str, Any]] = []
        for member in real:
            option = self.schema(member, path)
            if option not in options:
                options.append(option)
        if len(options) > 1:
            self._doubt(path)
        if {} in options:
            return {}
        if len(real) < len(type_.members):
            options.append({"type": "null"})
        if len(options) == 1:
            return options[0]
        if all(set(option) == {"type"} for option in options):
            return {"type": [option["type"] for option in options]}
        return {"anyOf": options}
