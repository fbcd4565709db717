"""Types that take types: the parameters of generic classes and aliases, and what a type variable may stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from rolltop.catalog.pylang.modules import Module, Modules

__all__ = ["type_parameters", "type_variable"]

_DECLARING = ("Generic", "Protocol")
_MOST_PARTS = 200


def type_parameters(meaning: ast.ClassDef | ast.expr, module: Module, modules: Modules) -> list[str]:
    """The names that `Box[int]` gives a meaning to, in the order in which it does."""
    if not isinstance(meaning, ast.ClassDef):
        return _variables([meaning], module, modules)
    if declared := getattr(meaning, "type_params", None):  # `class Box[T]:`, which Python 3.11 does not have
        return [item.name for item in declared]
    declaring = [base for base in meaning.bases if isinstance(base, ast.Subscript) and _name(base.value) in _DECLARING]
    return _variables(declaring or meaning.bases, module, modules)


def type_variable(meaning: ast.expr) -> list[ast.expr] | None:
    """The types that a variable is limited to, none where it is not; None for what is no variable."""
    match meaning:
        case ast.Call(func=func, args=args, keywords=keywords) if _name(func) == "TypeVar":
            return [*args[1:], *(item.value for item in keywords if item.arg == "bound")]
    return None


def _variables(nodes: Sequence[ast.expr], module: Module, modules: Modules) -> list[str]:
    found: dict[str, None] = {}
    for name in (name for node in nodes for name in _names(node)):
        match modules.resolve(name, module):
            case (_, ast.expr() as meaning) if type_variable(meaning) is not None:
                found[name.id] = None
    return list(found)


def _names(node: ast.AST) -> Iterator[ast.Name]:
    """From left to right."""
    waiting = [node]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        current = waiting.pop()
        if isinstance(current, ast.Name):
            yield current
        waiting += reversed(list(ast.iter_child_nodes(current)))


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
