"""Which functions of a program are emitted where they are called: there the kinds of their arguments are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rolltop.transform.compile.calls import escapes
from rolltop.transform.compile.scopes import Names, Variable
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree

__all__ = ["has_pure_functions", "inlined_functions", "mentioned"]

_LARGEST = 1000
"""Nodes of a function, with all that it calls in their places."""


def inlined_functions(program: tree.Program) -> set[int]:
    """The ids of definitions that are only ever called, by a name that nothing else has, and not by themselves."""
    nodes = list(tree.walk(program.body))
    functions = [node for node in nodes if isinstance(node, tree.FunctionDef)]
    if not functions:
        return set()
    bound = Counter(_bound_names(nodes))
    called = {id(name): count for name, count in _calls(nodes)}
    sizes = _Sizes({function.name: function for function in functions})
    return {
        id(function)
        for function in functions
        if bound[function.name] == 1
        and len({param.name for param in function.params}) == len(function.params)
        and all(
            called.get(id(node)) == len(function.params)
            for node in nodes
            if isinstance(node, tree.Name) and node.name == function.name
        )
        and not escapes(function.body, Names())
        and sizes.of(function.name, ()) <= _LARGEST
    }


def _bound_names(nodes: list[tree.Expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, (tree.FunctionDef, tree.Let, tree.Param)):
            yield node.name
        elif isinstance(node, tree.Case) and isinstance(node.pattern, tree.Name):
            yield node.pattern.name
        elif isinstance(node, tree.Try) and node.name:
            yield node.name


def _calls(nodes: list[tree.Expr]) -> Iterator[tuple[tree.Name, int]]:
    """The names that are called, and with how many arguments."""
    piped = {id(node.target) for node in nodes if isinstance(node, tree.Pipe)}
    for node in nodes:
        if isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
            yield node.function, len(node.arguments) + (id(node) in piped)
        elif isinstance(node, tree.Pipe) and isinstance(node.target, tree.Name):
            yield node.target, 1


class _Sizes:
    """How large functions are when all that they call stands in them."""

    def __init__(self, functions: dict[str, tree.FunctionDef]) -> None:
        self._functions = functions
        self._known: dict[str, int] = {}

    def of(self, name: str, outer: tuple[str, ...]) -> int:
        if name in outer:
            return _LARGEST + 1  # calls itself
        if name not in self._known:
            inside = [node.name for node in tree.walk(self._functions[name].body) if isinstance(node, tree.Name)]
            calls = [inner for inner in inside if inner in self._functions]
            own = sum(1 for _ in tree.walk(self._functions[name].body))
            self._known[name] = own + sum(self.of(inner, (*outer, name)) for inner in calls)
        return self._known[name]


def has_pure_functions(program: tree.Program) -> bool:
    """Whether no function of the program asks the host: then equal calls have equal values."""
    functions = [node for node in tree.walk(program.body) if isinstance(node, (tree.FunctionDef, tree.Lambda))]
    names = {node.name for made in functions for node in tree.walk(made.body) if isinstance(node, tree.Name)}
    return all(declared is None or declared.pure for declared in map(find, names))


def mentioned(node: tree.Expr, names: Names) -> Iterator[Variable]:
    """The variables that code names, those of the functions that stand in it included."""
    for inner in tree.walk(node):
        variable = names.find(inner.name) if isinstance(inner, tree.Name) else None
        if variable is None:
            continue
        yield variable
        if variable.definition is not None:
            function, scope = variable.definition
            yield from mentioned(function.body, scope)
