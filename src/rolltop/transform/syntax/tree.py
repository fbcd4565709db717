"""The tree of a program: what every back end, the checker and the formatter walk.

Nodes are plain slotted classes; `at` is the offset of the token that tells where the node is (for an
operator, the operator). Strings in `op`, `kind` and `style` come from small closed sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

__all__ = [
    "ArrayLiteral",
    "Binary",
    "Block",
    "Call",
    "Case",
    "Entry",
    "Expr",
    "FunctionDef",
    "Header",
    "If",
    "Index",
    "Lambda",
    "Let",
    "Literal",
    "Match",
    "Member",
    "Name",
    "ObjectLiteral",
    "Param",
    "Pipe",
    "Port",
    "Program",
    "Sequence",
    "Spread",
    "Try",
    "Unary",
    "children",
    "walk",
]


@dataclass(slots=True)
class Expr:
    at: int


@dataclass(slots=True)
class Literal(Expr):
    value: Any


@dataclass(slots=True)
class Name(Expr):
    name: str
    sigil: str = ""
    """`$` or `@` as written; both mean the plain name."""


@dataclass(slots=True)
class Spread(Expr):
    value: Expr


@dataclass(slots=True)
class ArrayLiteral(Expr):
    items: list[Expr]


@dataclass(slots=True)
class Entry(Expr):
    """One property: `kind` is `property`, `attribute`, `directive` (`%key`), `computed` or `spread`."""

    kind: str
    key: str
    key_expr: Expr | None
    value: Expr


@dataclass(slots=True)
class Param(Expr):
    name: str
    type: str | None = None


@dataclass(slots=True)
class Let(Expr):
    name: str
    type: str | None
    value: Expr
    body: Expr | None = None
    """After `in`; without it the name is bound in the scope around."""


@dataclass(slots=True)
class FunctionDef(Expr):
    name: str
    params: list[Param]
    result: str | None
    body: Expr


@dataclass(slots=True)
class ObjectLiteral(Expr):
    bindings: list[Let | FunctionDef]
    entries: list[Entry]


@dataclass(slots=True)
class Block(Expr):
    """`{ let …  value }`."""

    bindings: list[Let | FunctionDef]
    value: Expr


@dataclass(slots=True)
class Sequence(Expr):
    """The program's body or a function's: bindings first, then expressions; the last one is the value."""

    bindings: list[Let | FunctionDef]
    items: list[Expr]


@dataclass(slots=True)
class Lambda(Expr):
    params: list[Param]
    body: Expr


@dataclass(slots=True)
class If(Expr):
    """`style`: `if` (c) a else b, `?` c ? a : b, or `postfix` a if c else b."""

    condition: Expr
    then: Expr
    otherwise: Expr | None
    style: str = "if"


@dataclass(slots=True)
class Case(Expr):
    """`pattern` is a Literal, a Name that binds, or None for `_`."""

    pattern: Literal | Name | None
    guard: Expr | None
    body: Expr


@dataclass(slots=True)
class Match(Expr):
    subject: Expr
    cases: list[Case]


@dataclass(slots=True)
class Try(Expr):
    body: Expr
    name: str | None
    handler: Expr


@dataclass(slots=True)
class Unary(Expr):
    op: str
    operand: Expr


@dataclass(slots=True)
class Binary(Expr):
    op: str
    left: Expr
    right: Expr


@dataclass(slots=True)
class Pipe(Expr):
    value: Expr
    target: Expr


@dataclass(slots=True)
class Call(Expr):
    function: Expr
    arguments: list[Expr]


@dataclass(slots=True)
class Member(Expr):
    """`kind`: `property`, `attribute`, `metadata`, `values` (`.*`) or `attributes` (`.@*`)."""

    target: Expr
    name: str
    kind: str = "property"
    safe: bool = False


@dataclass(slots=True)
class Index(Expr):
    target: Expr
    index: Expr
    safe: bool = False


@dataclass(slots=True)
class Port:
    """One declared input or output."""

    name: str
    format: str
    options: dict[str, Any] = field(default_factory=dict)
    dialect: str | None = None
    at: int = 0


@dataclass(slots=True)
class Header:
    directive: str
    inputs: list[Port]
    outputs: list[Port]
    written: bool = True
    """False when the program had no header and the formats came from the caller."""


@dataclass(slots=True)
class Program:
    header: Header
    body: Sequence


def children(node: Expr) -> Iterator[Expr]:
    """The nodes directly inside one, in no particular order."""
    for name in _FIELDS[type(node)]:
        value = getattr(node, name)
        if isinstance(value, Expr):
            yield value
        elif isinstance(value, list):
            yield from value


def walk(node: Expr) -> Iterator[Expr]:
    """A node and everything inside it."""
    yield node
    for child in children(node):
        yield from walk(child)


def _fields_with_nodes() -> dict[type[Expr], tuple[str, ...]]:
    """Which fields of each node class can hold nodes."""
    plain = {"at", "name", "sigil", "kind", "key", "type", "result", "style", "op", "safe"}
    kinds = [kind for kind in Expr.__subclasses__() if kind is not Literal]
    table = {kind: tuple(item.name for item in fields(kind) if item.name not in plain) for kind in kinds}
    return {Literal: (), **table}


_FIELDS = _fields_with_nodes()
