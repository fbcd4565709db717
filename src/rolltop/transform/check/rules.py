"""What every room of type rules shares: the findings, and the way from a node to its type."""

from __future__ import annotations

from rolltop.transform.check.findings import Findings
from rolltop.transform.check.scope import Names
from rolltop.transform.syntax import tree
from rolltop.transform.types import Type

__all__ = ["Rules"]


class Rules:
    """Base of the rooms that `Inference` is put together from."""

    program: tree.Program

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def infer(self, node: tree.Expr, names: Names) -> Type:
        """The type of a node's value."""
        raise NotImplementedError

    def optional(self, node: tree.Expr, default: str = "0") -> None:
        """A field that may be missing is used as if it were always there."""
        origin = _null_origin(node)
        if origin is None:
            return
        shown = _spelled(origin)
        self.findings.warning(
            "W502",
            f"Consider adding null check for optional field '{origin.name}'",
            origin.at,
            hint=f"Use {shown} ?? {default} to provide default value",
        )


def _null_origin(node: tree.Expr) -> tree.Member | None:
    """The member access that a null came from: the node itself, or the body of a mapping lambda."""
    if isinstance(node, tree.Member):
        return node
    if isinstance(node, tree.Pipe) and isinstance(node.target, tree.Call):
        return _null_origin(node.target)
    if isinstance(node, tree.Call):
        lambdas = [argument for argument in node.arguments if isinstance(argument, tree.Lambda)]
        return _null_origin(lambdas[0].body) if len(lambdas) == 1 else None
    return None


def _spelled(node: tree.Expr) -> str:
    if isinstance(node, tree.Member):
        mark = {"attribute": "@", "metadata": "^"}.get(node.kind, "")
        return f"{_spelled(node.target)}.{mark}{node.name}"
    return f"{node.sigil}{node.name}" if isinstance(node, tree.Name) else "(…)"
