"""Type annotations as JSON Schema, from the syntax tree alone."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from rolltop.catalog.inference import Schema
from rolltop.catalog.prose import described
from rolltop.catalog.pylang.classes import Record, ancestry, enum_members, field_texts, is_enum, last_name, record_of
from rolltop.catalog.pylang.generics import type_parameters, type_variable
from rolltop.catalog.pylang.limits import limited
from rolltop.catalog.pylang.modules import Meaning, Module, Modules
from rolltop.catalog.rlang.markup import parse_markup
from rolltop.catalog.rlang.plain import to_text

__all__ = ["ABSENT", "Annotations", "any_of", "anything", "choices", "is_vague", "nullable", "without_null"]

ABSENT: Any = object()
"""No value is known; None is a value."""

_SIMPLE = {
    "str": "string", "bytes": "string", "bytearray": "string", "Path": "string", "PurePath": "string",
    "PathLike": "string", "date": "string", "datetime": "string", "time": "string", "UUID": "string",
    "timedelta": "number", "Decimal": "number", "int": "integer", "float": "number", "complex": "string",
    "bool": "boolean", "None": "null", "dict": "object", "Dict": "object", "Mapping": "object",
    "MutableMapping": "object", "TypedDict": "object",
}  # fmt: skip
_FORMATS = {"date": "date", "datetime": "date-time", "time": "time", "UUID": "uuid"}
_BYTES = ("bytes", "bytearray")
_ARRAYS = frozenset(
    {"list", "List", "tuple", "Tuple", "set", "Set", "frozenset", "FrozenSet", "Sequence", "MutableSequence"}
    | {"Iterable", "Collection", "Iterator", "Generator", "deque", "AbstractSet", "MutableSet"}
    | {"AsyncIterable", "AsyncIterator", "AsyncGenerator", "KeysView", "ValuesView"}
)
_TUPLES = ("tuple", "Tuple")
_MAPPINGS = ("dict", "Dict", "Mapping", "MutableMapping")
_ANYTHING = ("Any", "object")
_DEEPEST = 12
_MOST_PARTS = 2000
"""Of one annotation with all that its names stand for: aliases of aliases can multiply."""


def anything() -> Schema:
    """The schema of a value of which nothing is known."""
    return {"type": ["string", "number", "boolean", "object", "array", "null"]}


def is_vague(schema: Schema) -> bool:
    """Whether an annotation leaves open what a value or its items are."""
    return anything() in (schema, schema.get("items"))


def without_null(schema: Schema) -> Schema:
    """The schema of what a parameter takes beside null."""
    kinds = [kind for kind in _kinds(schema) if kind != "null"]
    if not kinds or kinds == _kinds(schema):
        return schema
    kept = schema | {"type": kinds[0] if len(kinds) == 1 else kinds}
    if "enum" in schema:
        kept["enum"] = [choice for choice in schema["enum"] if choice is not None]
    if "anyOf" in schema:
        kept["anyOf"] = [choice for choice in schema["anyOf"] if choice != {"type": "null"}]
    return kept


class Annotations:
    """Reads annotations of one tree. A type that is not known, such as a class from elsewhere, gives None."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self._open: list[ast.ClassDef] = []
        self._given: list[dict[str, tuple[ast.expr, Module]]] = []
        """What the type variables of a generic class or alias stand for, the innermost last."""
        self._parts = 0

    def schema(self, node: ast.expr | None, module: Module, depth: int = 0) -> Schema | None:
        self._parts = self._parts + 1 if depth else 0
        if node is None or depth > _DEEPEST or self._parts > _MOST_PARTS:
            return None
        match node:
            case ast.Constant(value=value):
                return self._forward_reference(value, module, depth) if isinstance(value, str) else {"type": "null"}
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self._union([left, right], module, depth)
            case ast.Subscript(value=base, slice=inner):
                return self._subscript(base, inner, module, depth)
            case ast.Call(func=func, args=[_, supertype]) if last_name(func) == "NewType":
                return self.schema(supertype, module, depth + 1)
            case ast.Name() | ast.Attribute():
                return self._named(node, module, depth)
        variable = type_variable(node)
        if variable is None:
            return None
        return self._union(variable, module, depth) if variable else anything()

    def _forward_reference(self, text: str, module: Module, depth: int) -> Schema | None:
        try:
            return self.schema(ast.parse(text, mode="eval").body, module, depth + 1)
        except (SyntaxError, ValueError):
            return None

    def _subscript(self, base: ast.expr, inner: ast.expr, module: Module, depth: int) -> Schema | None:
        name, parts = last_name(base), inner.elts if isinstance(inner, ast.Tuple) else [inner]
        handlers: dict[str, Callable[[], Schema | None]] = {
            "Optional": lambda: self._union([inner, ast.Constant(None)], module, depth),
            "Union": lambda: self._union(parts, module, depth),
            "Literal": lambda: choices([value for part in parts for value in self._literals(part, module, depth)]),
            "Annotated": lambda: self._annotated(parts, module, depth),
            "Final": lambda: self.schema(inner, module, depth + 1),
            "InitVar": lambda: self.schema(inner, module, depth + 1),
            "Required": lambda: self.schema(inner, module, depth + 1),
            "NotRequired": lambda: self.schema(inner, module, depth + 1),
        }
        if name in handlers:
            return handlers[name]()
        if meaning := self.modules.resolve(base, module):
            return self._meant(meaning, parts, module, depth)
        if name in _TUPLES and not (len(parts) == 2 and _is_ellipsis(parts[1])):
            return self._tuple(parts, module, depth)
        if name in _ARRAYS:
            return {"type": "array", "items": self.schema(parts[0], module, depth + 1) or {"type": "string"}}
        return self._mapping(parts[1], module, depth) if name in _MAPPINGS and len(parts) == 2 else _simple(name)

    def _annotated(self, parts: list[ast.expr], module: Module, depth: int) -> Schema | None:
        schema = self.schema(parts[0], module, depth + 1)
        return limited(schema, parts[1:]) if schema else None

    def _mapping(self, of: ast.expr, module: Module, depth: int) -> Schema:
        """An object that has whatever names; what they are is known of their values alone."""
        values = self.schema(of, module, depth + 1)
        return {"type": "object"} | ({"additionalProperties": values} if values and values != anything() else {})

    def _literals(self, part: ast.expr, module: Module, depth: int) -> list[Any]:
        """The values that a part of `Literal` stands for: itself, or those of another `Literal`."""
        value = self.value(part, module)
        if value is not ABSENT:
            return [value]
        return list((self.schema(part, module, depth + 1) or {}).get("enum", ()))

    def _tuple(self, parts: list[ast.expr], module: Module, depth: int) -> Schema:
        """Each item by its position is not said: not every client understands that; calls are checked for it."""
        schemas = [self.schema(part, module, depth + 1) or {"type": "string"} for part in parts]
        items = any_of(schemas) if schemas else anything()
        return {"type": "array", "items": items, "minItems": len(parts), "maxItems": len(parts)}

    def _union(self, parts: list[ast.expr], module: Module, depth: int) -> Schema | None:
        schemas = [self.schema(part, module, depth + 1) for part in parts]
        known = [schema for schema in schemas if schema]
        return any_of(known) if len(known) == len(schemas) else None

    def _named(self, node: ast.Name | ast.Attribute, module: Module, depth: int) -> Schema | None:
        if isinstance(node, ast.Name) and self._given and node.id in self._given[-1]:
            return self._argument(node.id, depth)
        if meaning := self.modules.resolve(node, module):
            return self._meant(meaning, [], module, depth)
        name = last_name(node)
        if name in _ANYTHING:
            return anything()
        if name in _ARRAYS:
            return {"type": "array", "items": anything()}
        return _simple(name)

    def _argument(self, name: str, depth: int) -> Schema | None:
        """What a type variable stands for, read as where it was given."""
        here = self._given.pop()
        try:
            given, home = here[name]
            return self.schema(given, home, depth + 1)
        finally:
            self._given.append(here)

    def _meant(self, meaning: Meaning, parts: list[ast.expr], module: Module, depth: int) -> Schema | None:
        """A class or alias of this tree, with the types that were given to it."""
        home, found = meaning
        names = type_parameters(found, home, self.modules) if parts else []
        self._given.append({name: (part, module) for name, part in zip(names, parts, strict=False)})
        try:
            if isinstance(found, ast.ClassDef):
                return self._class(found, home, depth)
            return self.schema(found, home, depth + 1)
        finally:
            self._given.pop()

    def _class(self, found: ast.ClassDef, module: Module, depth: int) -> Schema | None:
        line = ancestry(found, module, self.modules)
        if is_enum(line):
            return choices([value for _, value in enum_members(line)])
        record = record_of(line)
        if record is None:
            return None
        if any(found is outer for outer in self._open):  # a tree of its own kind: described once
            return {"type": "object"}
        self._open.append(found)
        try:
            return self._record(record, found, depth)
        finally:
            self._open.pop()

    def _record(self, record: Record, found: ast.ClassDef, depth: int) -> Schema:
        properties = {}
        for field in record.fields:
            # What a base class calls T need not be what this one calls so.
            self._given.append(self._given[-1] if field.owner is found and self._given else {})
            try:
                known = self.schema(field.annotation, field.module, depth + 1)
            finally:
                self._given.pop()
            said = limited(known or {"type": "string"}, field.said)
            text = field_texts(field.owner).get(field.name, "")
            properties[field.name] = (
                said
                if "description" in said or not text
                else said | {"description": described(to_text(parse_markup(text)))}
            )
        schema: Schema = {"type": "object", "properties": properties}
        if required := [field.name for field in record.fields if field.is_required]:
            schema["required"] = required
        return schema | ({"additionalProperties": False} if record.is_closed else {})

    def value(self, node: ast.expr | None, module: Module) -> Any:
        """The JSON value of a default, or ABSENT when only running the code would tell."""
        if node is None:
            return ABSENT
        if isinstance(node, ast.Attribute):
            match self.modules.resolve(node.value, module):
                case (home, ast.ClassDef() as found):
                    return dict(enum_members(ancestry(found, home, self.modules))).get(node.attr, ABSENT)
        try:
            return _json(ast.literal_eval(node))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return ABSENT


def _simple(name: str) -> Schema | None:
    if name not in _SIMPLE:
        return None
    if name in _BYTES:
        return {"type": "string", "contentEncoding": "base64"}
    return {"type": _SIMPLE[name]} | ({"format": _FORMATS[name]} if name in _FORMATS else {})


def any_of(schemas: list[Schema]) -> Schema:
    """What fits one of these: by its type alone where that is all they say. An array says what it holds."""
    members = [member for schema in schemas for member in _members(schema)]
    if {"type": "string"} in members:  # where text may be given it is text
        members = [member for member in members if "contentEncoding" not in member]
    different = [schema for at, schema in enumerate(members) if schema not in members[:at]]
    others = [schema for schema in different if schema != {"type": "null"}]
    if len(others) == 1 and len(different) > 1:
        return nullable(others[0])
    if len(different) == 1:
        return different[0]
    kinds = list(dict.fromkeys(kind for schema in different for kind in _kinds(schema)))
    union: Schema = {"type": kinds[0] if len(kinds) == 1 else kinds}
    if all(set(each) == {"type"} for each in different):
        return union
    if arrays := [each for each in different if "array" in _kinds(each)]:
        union["items"] = any_of([each.get("items") or anything() for each in arrays])
    return union | {"anyOf": different}


def _members(schema: Schema) -> list[Schema]:
    """The alternatives that a union is made of, so that a union of unions is a plain one."""
    if "anyOf" in schema:
        return list(schema["anyOf"])
    if set(schema) == {"type"} and schema != anything():
        return [{"type": kind} for kind in _kinds(schema)]
    return [schema]


def nullable(schema: Schema) -> Schema:
    """The schema of null, or what this one says."""
    if "null" in _kinds(schema):
        return schema
    changed = schema | {"type": [*_kinds(schema), "null"]}
    if "enum" in schema:
        changed["enum"] = [*schema["enum"], None]
    if "anyOf" in schema:
        changed["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    return changed


def choices(values: list[Any]) -> Schema | None:
    """One of these values; None where there is none but null."""
    kept = [value for value in values if value is not None]
    kinds = list(dict.fromkeys(_kind_of(value) for value in kept))
    if not kinds:
        return None
    schema = {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": _each_once(kept)}
    return schema if len(kept) == len(values) else nullable(schema)


def _each_once(values: list[Any]) -> list[Any]:
    """Python takes True for 1; JSON does not."""
    return list({(isinstance(value, bool), value): value for value in values}.values())


def _kind_of(value: Any) -> str:
    return {bool: "boolean", int: "integer", float: "number"}.get(type(value), "string")


def _kinds(schema: Schema) -> list[str]:
    kinds = schema["type"]
    return kinds if isinstance(kinds, list) else [kinds]


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _json(value: Any) -> Any:
    """A literal as JSON: tuples and sets are arrays; what JSON does not have is not a value."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            if not math.isfinite(value):
                raise ValueError("not a JSON number")
            return value
        case list() | tuple():
            return [_json(item) for item in value]
        case set() | frozenset():
            return sorted(_json(item) for item in value)
        case dict():
            return {str(key): _json(item) for key, item in value.items()}
    raise ValueError("not a JSON value")
