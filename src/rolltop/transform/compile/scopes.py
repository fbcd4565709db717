"""Names while code is generated: which Python variable holds which name of the program."""

from __future__ import annotations

from itertools import count
from typing import Any

from rolltop.transform.compile.code import Code, Var
from rolltop.transform.syntax import tree

__all__ = ["DECIMALS", "CannotCompile", "Names", "Variable"]


DECIMALS = "decimals are calculated by the evaluator"


class CannotCompile(Exception):
    """A construct that the emitter leaves to the simple evaluator."""


class Variable:
    """A Python variable; `arity` is known when it always holds one lambda or function.

    `kind` is a word for what it holds (`num`, `str`, …), or one of the typed emitter's kinds. `since` counts on with
    every name: code that was emitted up to a smaller number must not use the variable. `definition` is a function that
    is emitted where it is called, and the scope that it sees.
    """

    __slots__ = ("arity", "code", "definition", "kind", "since")

    def __init__(self, code: Var, arity: int | None = None, kind: Any = None, since: int = 0) -> None:
        self.code = code
        self.arity = arity
        self.kind = kind
        self.since = since
        self.definition: tuple[tree.FunctionDef, Names] | None = None


class Names:
    """A scope of the program and the Python variables of its names."""

    def __init__(self, outer: Names | None = None, counter: count[int] | None = None) -> None:
        self.outer = outer
        self.counter: count[int] = counter or (outer.counter if outer else count(1))
        self.variables: dict[str, Variable] = {}

    def inner(self) -> Names:
        return Names(self)

    def bind(self, name: str, arity: int | None = None, kind: Any = None) -> Variable:
        """A variable for a name of this scope; a name bound again keeps its variable."""
        known = self.variables.get(name)
        if known is not None:
            # Bound twice: what it holds is no longer certain.
            known.arity = None
            known.kind = None
            return known
        readable = "".join(char for char in name if char.isascii() and char.isalnum())
        number = next(self.counter)
        variable = Variable(Var(f"v{number}_{readable}", number), arity, kind, number)
        self.variables[name] = variable
        return variable

    def put(self, name: str, code: Code, kind: Any) -> None:
        """A name for what a variable holds that is there already; its number tells since when."""
        assert isinstance(code, Var)
        self.variables[name] = Variable(code, None, kind, code.number)

    def temporary(self) -> Var:
        number = next(self.counter)
        return Var(f"t{number}", number)

    def find(self, name: str) -> Variable | None:
        scope: Names | None = self
        while scope is not None:
            found = scope.variables.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None
