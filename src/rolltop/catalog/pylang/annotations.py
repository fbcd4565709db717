"""Type annotations as JSON Schema, from the syntax tree alone."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from rolltop.catalog.inference import Schema
from rolltop.catalog.pylang.modules import Module, Modules

__all__ = ["ABSENT", "Annotations"]

ABSENT: Any = object()
"""No value is known; None is a value."""

_SIMPLE = {
    "str": "string", "bytes": "string", "Path": "string", "PathLike": "string", "date": "string", "datetime": "string",
    "time": "string", "UUID": "string", "Decimal": "number", "int": "integer", "float": "number", "complex": "string",
    "bool": "boolean", "dict": "object", "Dict": "object", "Mapping": "object", "MutableMapping": "object",
    "TypedDict": "object", "object": "object", "None": "null",
}  # fmt: skip
_ARRAYS = frozenset(
    {"list", "List", "tuple", "Tuple", "set", "Set", "frozenset", "FrozenSet", "Sequence", "MutableSequence"}
    | {"Iterable", "Collection", "Iterator", "deque"}
)
_ENUM_BASES = frozenset({"Enum", "StrEnum", "IntEnum", "Flag", "IntFlag"})
_RECORD_BASES = frozenset({"TypedDict", "BaseModel", "NamedTuple"})
_DEEPEST = 12


class Annotations:
    """Reads annotations of one tree. A type that says nothing (`Any`, an unknown class) gives None."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def schema(self, node: ast.expr | None, module: Module, depth: int = 0) -> Schema | None:
        if node is None or depth > _DEEPEST:
            return None
        match node:
            case ast.Constant(value=value):
                return self._forward_reference(value, module, depth) if isinstance(value, str) else {"type": "null"}
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self._union([left, right], module, depth)
            case ast.Subscript(value=base, slice=inner):
                return self._subscript(_last_name(base), inner, module, depth)
            case ast.Name() | ast.Attribute():
                return self._named(node, module, depth)
        return None

    def _forward_reference(self, text: str, module: Module, depth: int) -> Schema | None:
        try:
            return self.schema(ast.parse(text, mode="eval").body, module, depth + 1)
        except (SyntaxError, ValueError):
            return None

    def _subscript(self, name: str, inner: ast.expr, module: Module, depth: int) -> Schema | None:
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        handlers: dict[str, Callable[[], Schema | None]] = {
            "Optional": lambda: self.schema(inner, module, depth + 1),
            "Union": lambda: self._union(parts, module, depth),
            "Literal": lambda: _choices([part.value for part in parts if isinstance(part, ast.Constant)]),
            "Annotated": lambda: self.schema(parts[0], module, depth + 1),
            "Final": lambda: self.schema(inner, module, depth + 1),
            "Required": lambda: self.schema(inner, module, depth + 1),
            "NotRequired": lambda: self.schema(inner, module, depth + 1),
        }
        if name in handlers:
            return handlers[name]()
        if name in _ARRAYS:
            return {"type": "array", "items": self.schema(parts[0], module, depth + 1) or {"type": "string"}}
        return {"type": _SIMPLE[name]} if name in _SIMPLE else None

    def _union(self, parts: list[ast.expr], module: Module, depth: int) -> Schema | None:
        schemas = [self.schema(part, module, depth + 1) for part in parts if not _is_none(part)]
        known = [schema for schema in schemas if schema]
        if len(known) != len(schemas) or not known:
            return None
        if len(known) == 1:
            return known[0]
        if all(set(schema) == {"type"} for schema in known):
            kinds = [kind for schema in known for kind in _kinds(schema)]
            return {"type": list(dict.fromkeys(kinds))}
        return {"type": list(dict.fromkeys(kind for schema in known for kind in _kinds(schema))), "anyOf": known}

    def _named(self, node: ast.Name | ast.Attribute, module: Module, depth: int) -> Schema | None:
        match self.modules.resolve(node, module):
            case (home, ast.ClassDef() as found):
                return self._class(found, home, depth)
            case (home, ast.expr() as alias):
                return self.schema(alias, home, depth + 1)
        name = _last_name(node)
        if name in _ARRAYS:
            return {"type": "array", "items": {"type": "string"}}
        return {"type": _SIMPLE[name]} if name in _SIMPLE else None

    def _class(self, found: ast.ClassDef, module: Module, depth: int) -> Schema | None:
        bases = {_last_name(base) for base in found.bases}
        if bases & _ENUM_BASES:
            return _choices([value for _, value in enum_members(found)])
        decorators = {_last_name(item.func if isinstance(item, ast.Call) else item) for item in found.decorator_list}
        if bases & _RECORD_BASES or "dataclass" in decorators:
            return self._record(found, module, depth)
        return None

    def _record(self, found: ast.ClassDef, module: Module, depth: int) -> Schema:
        properties: dict[str, Schema] = {}
        for statement in found.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                schema = self.schema(statement.annotation, module, depth + 1)
                properties[statement.target.id] = schema or {"type": "string"}
        return {"type": "object", "properties": properties}

    def value(self, node: ast.expr | None, module: Module) -> Any:
        """The JSON value of a default, or ABSENT when only running the code would tell."""
        if node is None:
            return ABSENT
        if isinstance(node, ast.Attribute):
            match self.modules.resolve(node.value, module):
                case (_, ast.ClassDef() as found):
                    return dict(enum_members(found)).get(node.attr, ABSENT)
        try:
            return _json(ast.literal_eval(node))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return ABSENT


def enum_members(found: ast.ClassDef) -> list[tuple[str, Any]]:
    """Names and values of an Enum; `auto()` counts from 1, or is the lower-case name in a StrEnum."""
    is_text = any(_last_name(base) == "StrEnum" for base in found.bases)
    members: list[tuple[str, Any]] = []
    for statement in found.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value)):
                members.append((name, value))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)) if _last_name(func) == "auto":
                members.append((name, name.lower() if is_text else len(members) + 1))
    return members


def _choices(values: list[Any]) -> Schema | None:
    kept = [value for value in values if value is not None]
    kinds = list(dict.fromkeys(_kind_of(value) for value in kept))
    if not kinds:
        return None
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": list(dict.fromkeys(kept))}


def _kind_of(value: Any) -> str:
    return {bool: "boolean", int: "integer", float: "number"}.get(type(value), "string")


def _kinds(schema: Schema) -> list[str]:
    kinds = schema["type"]
    return kinds if isinstance(kinds, list) else [kinds]


def _is_none(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or (isinstance(node, ast.Name) and node.id == "None")


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=base):
            return _last_name(base)
    return ""


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
