"""How deep the functions of a program may call themselves: the same number for the evaluator and for generated code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolltop.errors import SizeLimit
from rolltop.transform.run.scope import Scope
from rolltop.transform.syntax import tree

__all__ = ["COUNTER", "DEEPEST", "OutOfStack", "counted", "may_recur", "recursive_functions", "too_deep"]

DEEPEST = 1500
"""Calls of functions that call themselves, one inside the other. Generated code has Python frames for so many."""
COUNTER = "\0"
"""The name, which no program can write, under which a scope keeps how many there are: a list of one number."""


class OutOfStack(SizeLimit):
    """There was no room for more Python frames. Generated code, which needs fewer, may still have it."""


def too_deep(kind: type[SizeLimit] = SizeLimit) -> SizeLimit:
    return kind(
        "the program calls itself too deeply",
        hint=f"Functions may call themselves {DEEPEST} deep. Check that the recursion ends; `reduce` needs none to go "
        "over an array.",
    )


def counted(function: Callable[..., Any], scope: Scope) -> Callable[..., Any]:
    """The same function of a program, which refuses to be called too deeply inside itself."""
    counter: list[int] = (scope.holder(COUNTER) or scope.names).setdefault(COUNTER, [0])

    def guarded(*arguments: Any) -> Any:
        if counter[0] == DEEPEST:
            raise too_deep()
        counter[0] += 1
        try:
            return function(*arguments)
        finally:
            counter[0] -= 1

    guarded.arity = function.arity  # type: ignore[attr-defined]
    return guarded


def may_recur(function: tree.FunctionDef) -> bool:
    """A quick look: whether a function has a name in it that is not written small, as those of functions are not."""
    return any(isinstance(node, tree.Name) and not node.name[:1].islower() for node in tree.walk(function.body))


def recursive_functions(program: tree.Program) -> frozenset[int]:
    """The ids of the functions that call themselves, also by way of others."""
    functions = [node for node in tree.walk(program.body) if isinstance(node, tree.FunctionDef)]
    names = {function.name for function in functions}
    calls: dict[str, set[str]] = {name: set() for name in names}
    for function in functions:
        inside = (node.name for node in tree.walk(function.body) if isinstance(node, tree.Name))
        calls[function.name].update(name for name in inside if name in names)
    return frozenset(id(function) for function in functions if function.name in _reached(function.name, calls))


def _reached(name: str, calls: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        new = calls[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached
