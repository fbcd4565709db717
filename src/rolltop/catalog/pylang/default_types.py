"""The type of a default that is no constant but says it all the same: `float("inf")`, `60 * 60`, `math.pi`."""

from __future__ import annotations

import ast

from rolltop.catalog.inference import Schema

__all__ = ["type_of_default"]

_CALLS = {"float": "number", "int": "integer", "len": "integer", "str": "string", "bool": "boolean"}
_OF_MATH = ("inf", "nan", "pi", "e", "tau")
_DEEPEST = 20


def type_of_default(node: ast.expr | None) -> Schema | None:
    """What the form alone says; None where only running the code would tell."""
    kind = _kind(node, 0) if node is not None else None
    return {"type": kind} if kind else None


def _kind(node: ast.expr, depth: int) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return _CALLS.get(name)
        case ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"), attr=name) if name in _OF_MATH:
            return "number"
        case ast.JoinedStr():
            return "string"
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int()):
            return "integer"
        case ast.Constant(value=float()):
            return "number"
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand) if depth < _DEEPEST:
            return _number(_kind(operand, depth + 1))
        case ast.BinOp(left=left, op=op, right=right) if depth < _DEEPEST:
            kinds = {_number(_kind(left, depth + 1)), _number(_kind(right, depth + 1))}
            if None in kinds or isinstance(op, ast.MatMult):
                return None
            return "integer" if kinds == {"integer"} and not isinstance(op, ast.Div | ast.Pow) else "number"
    return None


def _number(kind: str | None) -> str | None:
    return kind if kind in ("integer", "number") else None
