"""Expressions of the intermediate representation: text with operands in it.

Those that a pass has to recognise have classes of their own (`Field`, `Same`, `Record`, …). Passes and back ends look
at the classes; the text is only written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

__all__ = [
    "Bind", "Both", "Code", "Field", "Length", "Method", "Record", "Same", "Target", "Text", "Var", "bound_in",
    "compared", "is_bound_in", "last_of", "listed", "logical", "py", "text_of", "used_in", "walk",
]  # fmt: skip

Spelling = Callable[["Code"], str | None]
"""A back end's own text for an expression, or None for the usual one."""


class Code:
    """An expression: text and operands in the order in which they are written."""

    __slots__ = ("parts",)

    def __init__(self, *parts: str | Code) -> None:
        self.parts = parts

    def __str__(self) -> str:
        return text_of(self)


@lru_cache(maxsize=512)
def _pieces(template: str) -> list[str]:
    return template.split("{}")


def py(template: str, *operands: str | Code) -> Code:
    """An expression by a template in which `{}` stands for the next operand; a plain text is written as it is."""
    pieces = _pieces(template)
    parts: list[str | Code] = [pieces[0]]
    for operand, text in zip(operands, pieces[1:], strict=True):
        parts += (operand, text)
    return Code(*parts)


def listed(codes: Iterable[str | Code]) -> Code:
    """Expressions with commas between them."""
    parts: list[str | Code] = []
    for code in codes:
        parts += (", ", code)
    return Code(*parts[1:])


def last_of(codes: list[Code]) -> Code:
    """All of the expressions, for the value of the last one."""
    return codes[0] if len(codes) == 1 else py("({})[-1]", listed(codes))


class Var(Code):
    """A variable that is read. Its number tells what was named before it."""

    __slots__ = ("name", "number")

    def __init__(self, name: str, number: int = 0) -> None:
        super().__init__(name)
        self.name = name
        self.number = number

    def bind(self, value: Code) -> Bind:
        """An assignment inside an expression."""
        return Bind(self, value)

    @property
    def target(self) -> Target:
        """The variable where a loop or a function gives it its value."""
        return Target(self)


class Bind(Code):
    """`(variable := value)`."""

    __slots__ = ("variable",)

    def __init__(self, variable: Var, value: Code) -> None:
        super().__init__("(", variable.name, " := ", value, ")")
        self.variable = variable

    @property
    def value(self) -> Code:
        return _operand(self, 3)


class Target(Code):
    """A variable that a comprehension or a function binds."""

    __slots__ = ("variable",)

    def __init__(self, variable: Var) -> None:
        super().__init__(variable.name)
        self.variable = variable


class Field(Code):
    """A field of a record."""

    __slots__ = ()

    def __init__(self, target: Code, name: str) -> None:
        super().__init__(target, ".", name)

    @property
    def target(self) -> Code:
        return _operand(self, 0)

    @property
    def name(self) -> str:
        return str(self.parts[2])


class Text(Code):
    """A constant text."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        super().__init__(repr(value))
        self.value = value


class Same(Code):
    """`left == right` where Python's comparison means the same."""

    __slots__ = ()

    def __init__(self, left: Code, right: Code) -> None:
        super().__init__("(", left, " == ", right, ")")

    @property
    def sides(self) -> tuple[Code, Code]:
        return _operand(self, 1), _operand(self, 3)


class Both(Code):
    """`left and right`, of truth values."""

    __slots__ = ()

    def __init__(self, left: Code, right: Code) -> None:
        super().__init__("(", left, " and ", right, ")")

    @property
    def sides(self) -> tuple[Code, Code]:
        return _operand(self, 1), _operand(self, 3)


class Method(Code):
    """A method of a text that takes nothing."""

    __slots__ = ()

    def __init__(self, target: Code, name: str) -> None:
        super().__init__(target, ".", name, "()")

    @property
    def target(self) -> Code:
        return _operand(self, 0)

    @property
    def name(self) -> str:
        return str(self.parts[2])


class Length(Code):
    """The length of an array."""

    __slots__ = ()

    def __init__(self, array: Code) -> None:
        super().__init__("len(", array, ")")

    @property
    def array(self) -> Code:
        return _operand(self, 1)


class Record(Code):
    """An object with fixed keys."""

    __slots__ = ("keys",)

    def __init__(self, entries: list[tuple[str, Code]]) -> None:
        parts: list[str | Code] = ["{"]
        for at, (key, value) in enumerate(entries):
            parts += (f"{', ' if at else ''}{key!r}: ", value)
        super().__init__(*parts, "}")
        self.keys = [key for key, _ in entries]

    @property
    def entries(self) -> list[tuple[str, Code]]:
        values = [part for part in self.parts if isinstance(part, Code)]
        return list(zip(self.keys, values, strict=True))


def _operand(code: Code, at: int) -> Code:
    part = code.parts[at]
    assert isinstance(part, Code)
    return part


def logical(op: str, left: Code, right: Code) -> Code:
    """`&&` and `||` of truth values."""
    return Both(left, right) if op == "&&" else py("({} or {})", left, right)


def compared(op: str, left: Code, right: Code) -> Code:
    """`==` and `!=` by Python's own comparison."""
    return Same(left, right) if op == "==" else py("({} != {})", left, right)


def text_of(code: Code, spelling: Spelling | None = None) -> str:
    """The Python of an expression."""
    texts: list[str] = []
    waiting: list[str | Code] = [code]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Code):
            other = spelling(part) if spelling is not None else None
            if other is None:
                waiting.extend(reversed(part.parts))
                continue
            part = other
        texts.append(part)
    return "".join(texts)


def walk(code: Code) -> Iterator[Code]:
    """An expression and all inside it, in the order in which they are written."""
    waiting: list[Code] = [code]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(part for part in reversed(node.parts) if not isinstance(part, str))


def used_in(code: Code) -> list[str]:
    """The variables that an expression reads, each as often as it does."""
    return [node.name for node in walk(code) if isinstance(node, Var)]


def bound_in(code: Code) -> list[str]:
    """The variables that an expression gives values to."""
    return [node.variable.name for node in walk(code) if isinstance(node, (Bind, Target))]


def is_bound_in(code: Code) -> bool:
    """Whether an expression gives a value to a variable of the function around it."""
    return any(isinstance(node, Bind) for node in walk(code))
