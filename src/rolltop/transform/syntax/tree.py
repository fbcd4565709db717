"""The tree of a program: what every back end, the checker and the formatter walk.

Nodes are plain slotted classes, written out because generating them costs a start ten milliseconds.
`at` is the offset of the token that tells where the node is (for an operator, the operator). Strings
in `op`, `kind` and `style` come from small closed sets.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    "parts",
    "walk",
]


class Expr:
    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in parts(self))
        return f"{type(self).__name__}({shown})"


class Literal(Expr):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Any) -> None:
        self.at = at
        self.value = value


class Name(Expr):
    __slots__ = ("name", "sigil")

    def __init__(self, at: int, name: str, sigil: str = "") -> None:
        self.at = at
        self.name = name
        self.sigil = sigil
        """`$` or `@` as written; both mean the plain name."""


class Spread(Expr):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        self.at = at
        self.value = value


class ArrayLiteral(Expr):
    __slots__ = ("items",)

    def __init__(self, at: int, items: list[Expr]) -> None:
        self.at = at
        self.items = items


class Entry(Expr):
    """One property: `kind` is `property`, `attribute`, `directive` (`%key`), `computed` or `spread`."""

    __slots__ = ("key", "key_expr", "kind", "value")

    def __init__(self, at: int, kind: str, key: str, key_expr: Expr | None, value: Expr) -> None:
        self.at = at
        self.kind = kind
        self.key = key
        self.key_expr = key_expr
        self.value = value


class Param(Expr):
    __slots__ = ("name", "type")

    def __init__(self, at: int, name: str, type_: str | None = None) -> None:
        self.at = at
        self.name = name
        self.type = type_


class Let(Expr):
    __slots__ = ("body", "name", "type", "value")

    def __init__(self, at: int, name: str, type_: str | None, value: Expr, body: Expr | None = None) -> None:
        self.at = at
        self.name = name
        self.type = type_
        self.value = value
        self.body = body
        """After `in`; without it the name is bound in the scope around."""


class FunctionDef(Expr):
    __slots__ = ("body", "name", "params", "result")

    def __init__(self, at: int, name: str, params: list[Param], result: str | None, body: Expr) -> None:
        self.at = at
        self.name = name
        self.params = params
        self.result = result
        self.body = body


class ObjectLiteral(Expr):
    __slots__ = ("bindings", "entries")

    def __init__(self, at: int, bindings: list[Let | FunctionDef], entries: list[Entry]) -> None:
        self.at = at
        self.bindings = bindings
        self.entries = entries


class Block(Expr):
    """`{ let …  value }`."""

    __slots__ = ("bindings", "value")

    def __init__(self, at: int, bindings: list[Let | FunctionDef], value: Expr) -> None:
        self.at = at
        self.bindings = bindings
        self.value = value


class Sequence(Expr):
    """The program's body or a function's: bindings first, then expressions; the last one is the value."""

    __slots__ = ("bindings", "items")

    def __init__(self, at: int, bindings: list[Let | FunctionDef], items: list[Expr]) -> None:
        self.at = at
        self.bindings = bindings
        self.items = items


class Lambda(Expr):
    __slots__ = ("body", "params")

    def __init__(self, at: int, params: list[Param], body: Expr) -> None:
        self.at = at
        self.params = params
        self.body = body


class If(Expr):
    """`style`: `if` (c) a else b, `?` c ? a : b, or `postfix` a if c else b."""

    __slots__ = ("condition", "otherwise", "style", "then")

    def __init__(self, at: int, condition: Expr, then: Expr, otherwise: Expr | None, style: str = "if") -> None:
        self.at = at
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self.style = style


class Case(Expr):
    """`pattern` is a Literal, a Name that binds, or None for `_`."""

    __slots__ = ("body", "guard", "pattern")

    def __init__(self, at: int, pattern: Literal | Name | None, guard: Expr | None, body: Expr) -> None:
        self.at = at
        self.pattern = pattern
        self.guard = guard
        self.body = body


class Match(Expr):
    __slots__ = ("cases", "subject")

    def __init__(self, at: int, subject: Expr, cases: list[Case]) -> None:
        self.at = at
        self.subject = subject
        self.cases = cases


class Try(Expr):
    __slots__ = ("body", "handler", "name")

    def __init__(self, at: int, body: Expr, name: str | None, handler: Expr) -> None:
        self.at = at
        self.body = body
        self.name = name
        self.handler = handler


class Unary(Expr):
    __slots__ = ("op", "operand")

    def __init__(self, at: int, op: str, operand: Expr) -> None:
        self.at = at
        self.op = op
        self.operand = operand


class Binary(Expr):
    __slots__ = ("left", "op", "right")

    def __init__(self, at: int, op: str, left: Expr, right: Expr) -> None:
        self.at = at
        self.op = op
        self.left = left
        self.right = right


class Pipe(Expr):
    __slots__ = ("target", "value")

    def __init__(self, at: int, value: Expr, target: Expr) -> None:
        self.at = at
        self.value = value
        self.target = target


class Call(Expr):
    __slots__ = ("arguments", "function")

    def __init__(self, at: int, function: Expr, arguments: list[Expr]) -> None:
        self.at = at
        self.function = function
        self.arguments = arguments


class Member(Expr):
    """`kind`: `property`, `attribute`, `metadata`, `values` (`.*`) or `attributes` (`.@*`)."""

    __slots__ = ("kind", "name", "safe", "target")

    def __init__(self, at: int, target: Expr, name: str, kind: str = "property", safe: bool = False) -> None:
        self.at = at
        self.target = target
        self.name = name
        self.kind = kind
        self.safe = safe


class Index(Expr):
    __slots__ = ("index", "safe", "target")

    def __init__(self, at: int, target: Expr, index: Expr, safe: bool = False) -> None:
        self.at = at
        self.target = target
        self.index = index
        self.safe = safe


class Port:
    """One declared input or output."""

    __slots__ = ("at", "dialect", "format", "name", "options", "places")

    def __init__(
        self, name: str, format_: str, options: dict[str, Any] | None = None, dialect: str | None = None, at: int = 0
    ) -> None:
        self.name = name
        self.format = format_
        self.options = {} if options is None else options
        self.dialect = dialect
        self.at = at
        self.places: dict[str, int] = {}
        """Where the options are written."""


class Header:
    __slots__ = ("directive", "inputs", "outputs", "written")

    def __init__(self, directive: str, inputs: list[Port], outputs: list[Port], written: bool = True) -> None:
        self.directive = directive
        self.inputs = inputs
        self.outputs = outputs
        self.written = written
        """False when the program had no header and the formats came from the caller."""


class Program:
    __slots__ = ("body", "header")

    def __init__(self, header: Header, body: Sequence) -> None:
        self.header = header
        self.body = body


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
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed([*children(node)]))


def parts(node: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a node (or a port, header, program) in their order, `at` first."""
    for kind in reversed(type(node).__mro__):
        for name in getattr(kind, "__slots__", ()):
            yield name, getattr(node, name)


_PLAIN = frozenset({"at", "name", "sigil", "kind", "key", "type", "result", "style", "op", "safe"})
_FIELDS: dict[type[Expr], tuple[str, ...]] = {
    kind: tuple(name for name in kind.__slots__ if name not in _PLAIN) for kind in Expr.__subclasses__()
}
"""Which fields of each node class can hold nodes."""
_FIELDS[Literal] = ()
