"""Parameters of callbacks that no function fills: `map(xs, (x, i) => …)` calls with the element alone, `i` is null.

The checker warns of them. At run time they are known too, because a hint to give a default for the null would lead to a
program that runs and is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from rolltop.transform.stdlib.declare import Function
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.types import ArrayType, FunctionType, Type, UnionType

__all__ = ["filled", "spare_hint", "spare_operands"]

_BOTH = {"mapValues": "mapEntries", "mapKeys": "mapEntries"}
"""Functions for the same purpose that give key and value."""


def filled(declared: Function, at: int, value: Type | None = None) -> int | None:
    """With how many values at most a function calls the one given as this argument, on a value of this type.

    None when it is to be no function.
    """
    parameters = declared.signature.parameters
    if at >= len(parameters):
        return None
    wanted = parameters[at].type
    if declared.name == "filter" and isinstance(value, ArrayType):
        return 1  # key and value are those of objects
    options = wanted.members if isinstance(wanted, UnionType) else (wanted,)
    return max((len(option.params) for option in options if isinstance(option, FunctionType)), default=None)


def spare_hint(declared: Function, at: int, which: str) -> str:
    """What to do instead of waiting for a value of the parameter that is called so."""
    parameters = declared.signature.parameters
    always = f"{which} is always null"
    if declared.name in _BOTH:
        return f"{always}: {_BOTH[declared.name]} gives key and value, (k, v) => …"
    if parameters[at].name == "key":
        return f"{always}: the function gives what one element goes by, as in x => x.price."
    if isinstance(parameters[0].type, ArrayType) or declared.name == "filter":
        return f"{always}: positions come from zipWithIndex(array), whose elements are [position, element]."
    return f"{always}: leave it out."


def spare_operands(program: tree.Program) -> dict[int, str]:
    """Hints for the operations, by the identity of their nodes, of which an operand is such a parameter."""
    bound = set(_bound(program.body))
    found: dict[int, str] = {}
    for node in tree.walk(program.body):
        piped = isinstance(node, tree.Pipe)
        call = node.target if isinstance(node, tree.Pipe) else node
        if not isinstance(call, tree.Call) or not isinstance(call.function, tree.Name):
            continue
        declared = None if call.function.name in bound else find(call.function.name)
        for at, argument in enumerate(call.arguments, piped):
            if declared is not None and isinstance(argument, tree.Lambda):
                found.update(_of_lambda(declared, at, argument))
    return found


def _of_lambda(declared: Function, at: int, function: tree.Lambda) -> Iterator[tuple[int, str]]:
    most = filled(declared, at)
    names = {param.name for param in function.params[most:]} if most is not None else set()
    names -= set(_bound(function.body))
    if not names:
        return
    for node in tree.walk(function.body):
        if isinstance(node, (tree.Binary, tree.Unary)):
            operands = (node.left, node.right) if isinstance(node, tree.Binary) else (node.operand,)
            for operand in operands:
                if isinstance(operand, tree.Name) and operand.name in names:
                    yield id(node), spare_hint(declared, at, f"'{operand.name}'")


def _bound(body: tree.Expr) -> Iterator[str]:
    """All names that are bound anywhere inside."""
    for node in tree.walk(body):
        binder = node.pattern if isinstance(node, tree.Case) else node
        if isinstance(binder, (tree.Let, tree.FunctionDef, tree.Param, tree.Try)) or binder is not node:
            yield getattr(binder, "name", None) or ""
