"""Equal subexpressions computed once: which nodes mean the same, and where a value is already at hand."""

from __future__ import annotations

from typing import Any

from rolltop.transform.compile.scopes import Names
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree

__all__ = ["AtHand", "Regions", "key_of"]

AtHand = list[dict[tuple[Any, ...], Any]]

_SHARED = (tree.Call, tree.Pipe)
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "**"})


def key_of(node: tree.Expr, names: Names) -> tuple[Any, ...] | None:
    """Equal for two nodes that have the same value in the same round; None: not worth it, or not pure."""
    worth = isinstance(node, _SHARED) or (isinstance(node, tree.Binary) and node.op in _ARITHMETIC)
    if not worth:
        return None
    try:
        return _key(node, names, ())
    except _NotShared:
        return None


class _NotShared(Exception):
    """The node has something that is never shared."""


def _key(node: tree.Expr, names: Names, bound: tuple[str, ...]) -> tuple[Any, ...]:
    """The node's structure; parameters of its own lambdas count by position, so that their names do not matter."""
    if isinstance(node, tree.Literal):
        return ("literal", type(node.value), node.value)
    if isinstance(node, tree.Name):
        return _name_key(node.name, names, bound)
    if isinstance(node, tree.Lambda):
        inner = (*bound, *(param.name for param in node.params))
        return ("lambda", len(node.params), _key(node.body, names, inner))
    if isinstance(node, tree.Pipe) and isinstance(node.target, tree.Call):
        node = tree.Call(node.at, node.target.function, [node.value, *node.target.arguments])
    if isinstance(node, tree.Member):
        return ("member", node.name, node.kind, node.safe, _key(node.target, names, bound))
    if isinstance(node, tree.Binary):
        return ("binary", node.op, _key(node.left, names, bound), _key(node.right, names, bound))
    if isinstance(node, tree.Call):
        return ("call", _key(node.function, names, bound), *(_key(item, names, bound) for item in node.arguments))
    raise _NotShared


def _name_key(name: str, names: Names, bound: tuple[str, ...]) -> tuple[Any, ...]:
    for at in range(len(bound) - 1, -1, -1):
        if bound[at] == name:
            return ("bound", at)
    variable = names.find(name)
    if variable is not None:
        return ("variable", variable.code.name)
    declared = find(name)
    if declared is None or not declared.pure:
        raise _NotShared
    return ("library", name)


class Regions:
    """Values at hand. A region is code that runs only sometimes: what is computed in it is unknown outside."""

    def __init__(self) -> None:
        self._stack: AtHand = [{}]

    def enter(self) -> None:
        self._stack.append({})

    def leave(self) -> None:
        self._stack.pop()

    def find(self, key: tuple[Any, ...]) -> Any:
        for region in reversed(self._stack):
            if key in region:
                return region[key]
        return None

    def add(self, key: tuple[Any, ...], value: Any) -> None:
        self._stack[-1][key] = value

    def snapshot(self) -> AtHand:
        """What is at hand now, and room for more: for code that is added to later."""
        known: dict[tuple[Any, ...], Any] = {}
        for region in self._stack:
            known.update(region)
        return [known, {}]

    def swap(self, stack: AtHand) -> AtHand:
        """Go to another place; the one left is given back."""
        self._stack, left = stack, self._stack
        return left
