"""Classes as syntax trees: the members of an Enum, the fields of a dataclass and its like."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rolltop.catalog.pylang.docstrings import read_docstring
from rolltop.catalog.pylang.modules import Module, Modules

__all__ = ["Field", "Record", "ancestry", "enum_members", "field_texts", "is_enum", "last_name", "record_of"]

_ENUM_BASES = frozenset({"Enum", "StrEnum", "IntEnum", "Flag", "IntFlag"})
_FLAG_BASES = frozenset({"Flag", "IntFlag"})
_RECORD_BASES = frozenset({"TypedDict", "BaseModel", "NamedTuple"})
_MOST_ANCESTORS = 50

Ancestry = list[tuple[ast.ClassDef, Module]]
"""A class, then those it inherits from, with the files they are in."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a record is made with; `owner` is the class that declares it."""

    name: str
    annotation: ast.expr
    module: Module
    owner: ast.ClassDef
    is_required: bool
    value: ast.expr | None = None

    @property
    def said(self) -> list[ast.expr]:
        """What says more than the annotation: `Field(ge=0)` of pydantic."""
        return [self.value] if isinstance(self.value, ast.Call) else []


@dataclass(frozen=True, slots=True)
class Record:
    """The fields, base classes first; `is_closed` when making one with another field fails."""

    fields: tuple[Field, ...]
    is_closed: bool


def last_name(node: ast.expr) -> str:
    """`C` of `a.b.C`, `C[x]` and `C`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=base):
            return last_name(base)
    return ""


def ancestry(found: ast.ClassDef, module: Module, modules: Modules) -> Ancestry:
    """The class and its ancestors within the tree, nearest first."""
    line: Ancestry = []
    queue = [(found, module)]
    while queue and len(line) < _MOST_ANCESTORS:
        current, home = queue.pop(0)
        if any(current is known for known, _ in line):
            continue
        line.append((current, home))
        for base in current.bases:
            match modules.resolve(base.value if isinstance(base, ast.Subscript) else base, home):
                case (place, ast.ClassDef() as parent):
                    queue.append((parent, place))
    return line


def _bases(line: Ancestry) -> set[str]:
    return {last_name(base) for found, _ in line for base in found.bases}


def is_enum(line: Ancestry) -> bool:
    return bool(_bases(line) & _ENUM_BASES)


def enum_members(line: Ancestry) -> list[tuple[str, Any]]:
    """Names of an Enum with what stands for each in JSON: its value, or its name where that is not known.

    `auto()` goes on from the value before, or is the lower-case name in a StrEnum.
    """
    found, bases = line[0][0], _bases(line)
    makes_its_own = {item.name for item in found.body if isinstance(item, ast.FunctionDef)}
    members: list[tuple[str, Any]] = []
    last: Any = 0
    for name, node in _assignments(found):
        value: Any = None
        if not makes_its_own & {"__new__", "__init__", "_generate_next_value_"}:
            value = last = _next(name, last, bases) if _is_auto(node) else _constant(node)
        members.append((name, name if value is None else value))
    return members


def _assignments(found: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for statement in found.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not name.startswith("_"):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if not name.startswith("_"):
                yield name, value


def _is_auto(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "auto"


def _next(name: str, last: Any, bases: set[str]) -> Any:
    if "StrEnum" in bases:
        return name.lower()
    if type(last) is not int or "str" in bases:
        return None
    return 1 << last.bit_length() if bases & _FLAG_BASES else last + 1


def _constant(node: ast.expr) -> Any:
    """The value of a constant that JSON has a single value for, else None."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, bool | int | float | str) else None


def record_of(line: Ancestry) -> Record | None:
    """The fields of a dataclass, NamedTuple, TypedDict or pydantic model; None for any other class."""
    bases = _bases(line)
    decorated = [found for found, _ in line if _is_dataclass(found)]
    if not decorated and not bases & _RECORD_BASES:
        return None
    fields: dict[str, Field] = {}
    for found, module in reversed(line):
        for field in _own_fields(found, module, is_total=_is_total(found)):
            fields[field.name] = field
    is_closed = bool(decorated) or "NamedTuple" in bases
    return Record(tuple(fields.values()), is_closed)


def field_texts(found: ast.ClassDef) -> dict[str, str]:
    """What a class says of its fields: in its docstring, and in the text below each."""
    documented = read_docstring(ast.get_docstring(found, clean=False)).parameters
    texts = {name: value.text for name, value in documented.items()}
    for statement, following in itertools.pairwise(found.body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                texts[name] = inspect.cleandoc(text)
    return texts


def _is_dataclass(found: ast.ClassDef) -> bool:
    return "dataclass" in {
        last_name(item.func if isinstance(item, ast.Call) else item) for item in found.decorator_list
    }


def _is_total(found: ast.ClassDef) -> bool:
    """Whether the fields of a TypedDict are required unless they say otherwise."""
    return not any(
        item.arg == "total" and isinstance(item.value, ast.Constant) and item.value.value is False
        for item in found.keywords
    )


def _own_fields(found: ast.ClassDef, module: Module, *, is_total: bool) -> Iterator[Field]:
    for statement in found.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        kind = last_name(statement.annotation)
        if kind in ("ClassVar", "KW_ONLY") or _option(statement.value, "init") is False:
            continue
        is_required = kind == "Required" or (is_total and kind != "NotRequired")
        yield Field(
            statement.target.id,
            statement.annotation,
            module,
            found,
            is_required and not _has_default(statement.value),
            statement.value,
        )


def _has_default(value: ast.expr | None) -> bool:
    """Whether a field has one: a value, or what `field()` of dataclasses or `Field()` of pydantic gives it."""
    if not isinstance(value, ast.Call) or last_name(value.func) not in ("field", "Field"):
        return value is not None
    if value.args:
        return not (isinstance(value.args[0], ast.Constant) and value.args[0].value is ...)
    return any(item.arg in ("default", "default_factory") for item in value.keywords)


def _option(value: ast.expr | None, name: str) -> Any:
    if isinstance(value, ast.Call):
        for item in value.keywords:
            if item.arg == name and isinstance(item.value, ast.Constant):
                return item.value.value
    return None
