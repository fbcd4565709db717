"""Results that are records of one shape: each of their values is made for all rows before the next."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from rolltop.transform.columns.unpacking import Over, Unpacked, Variables, each, names_in

__all__ = ["Leaf", "Shaped", "shaped"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that every record of the result has."""

    over: Over
    same: bool
    """Whether it is that of a field, if that is a text."""
    bare: Over | None
    """The number that it is, as it was calculated and not as JSON shows it."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """Objects with fixed keys, and what makes the values in them."""

    form: dict[str, Any]
    """A record, with the numbers of the leaves for values."""
    leaves: tuple[Leaf, ...]


def shaped(unpacked: Unpacked) -> Shaped | None:
    """The shape, if the result is an array of records made by one expression, no value of which needs another."""
    match unpacked.function.body:
        case [
            ast.Assign(targets=[ast.Name(id=name)], value=ast.ListComp(elt=ast.Dict() as record, generators=[loop])),
            ast.Return(value=ast.Name(id=returned)),
        ] if name == returned and not loop.ifs:
            expressions: list[ast.expr] = []
            form = _form(record, expressions)
            if form is None or not expressions or not _independent(record, expressions):
                return None
            return Shaped(form, tuple(_leaf(made, unpacked.variables) for made in expressions))
    return None


def _leaf(made: ast.expr, variables: Variables) -> Leaf:
    over, bare = each(made, variables), _bare(made)
    return Leaf(over, len(over.fields) == 1 and _is_same(made), None if bare is None else each(bare, variables))


def _bare(made: ast.expr) -> ast.expr | None:
    """What is calculated, if it is a number that is made whole for JSON where it has no fraction."""
    match made:
        case ast.IfExp(
            test, ast.Name(id=held), ast.Call(func=ast.Name(id="WHOLE"), args=[ast.Name(id=again)], keywords=[])
        ) if held == again:
            named = [node for node in ast.walk(test) if isinstance(node, ast.NamedExpr) and node.target.id == held]
            return named[0].value if len(named) == 1 else made.body if not named else None
    return None


def _form(record: ast.Dict, expressions: list[ast.expr]) -> dict[str, Any] | None:
    form: dict[str, Any] = {}
    for key, value in zip(record.keys, record.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str) or key.value in form:
            return None
        if isinstance(value, ast.Dict):
            inner = _form(value, expressions)
            if inner is None:
                return None
            form[key.value] = inner
        else:
            form[key.value] = len(expressions)
            expressions.append(value)
    return form


def _independent(record: ast.Dict, expressions: list[ast.expr]) -> bool:
    """Whether no expression names what another one binds."""
    everywhere = names_in(record)
    for made in expressions:
        inside = names_in(made)
        bound = {node.id for node in ast.walk(made) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        if any(inside.count(name) != everywhere.count(name) for name in bound):
            return False
    return True


def _is_same(made: ast.expr) -> bool:
    """Whether it is a variable, or the code for one that has to be made ready for JSON if it is no text."""
    if isinstance(made, ast.Name):
        return True
    names = [name for name in names_in(made) if name not in ("str", "READY")]
    if len(set(names)) != 2:
        return False
    held = max(names, key=names.count)
    variable = min(names, key=names.count)
    code = f"({held} if ({held} := {variable}).__class__ is str else READY({held}))"
    return ast.dump(made) == ast.dump(ast.parse(code, mode="eval").body)
