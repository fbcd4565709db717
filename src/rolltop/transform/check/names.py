"""Whether a program's names and calls are right: the one question of the checker that every run asks.

The answer takes a fraction of the time that the inference takes, because it asks nothing about types.
Where it doubts, the inference has the last word.
"""

from __future__ import annotations

from collections.abc import Callable

from rolltop.transform.check.checker import check_parsed
from rolltop.transform.diagnostics import Diagnostic
from rolltop.transform.stack import deep_stack
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.parser import Parsed

__all__ = ["resolves", "unresolved"]

_UNKNOWN, _NO_FUNCTION = -1, -2
Known = dict[str, int]
"""Names in sight, and how many arguments they take."""


class _Doubt(Exception):
    """Something is, or may be, wrong."""


def unresolved(parsed: Parsed) -> list[Diagnostic]:
    """Names that nothing has and calls that cannot be: wrong in every run, also where it does not come by."""
    if resolves(parsed.program):
        return []
    return [found for found in check_parsed(parsed).errors if found.code.startswith("E4")]


def resolves(program: tree.Program) -> bool:
    """True when every name is bound or of the library and no call has a wrong number of arguments."""
    known = dict.fromkeys((port.name for port in program.header.inputs), _UNKNOWN)
    known["input"] = _UNKNOWN
    try:
        with deep_stack():
            _visit(program.body, known)
    except _Doubt:
        return False
    return True


def _visit(node: tree.Expr, known: Known) -> None:
    rule = _RULES.get(type(node))
    if rule is not None:
        rule(node, known)
        return
    for child in tree.children(node):
        _visit(child, known)


def _literal(node: tree.Literal, known: Known) -> None:
    return None


def _name(node: tree.Name, known: Known) -> None:
    if node.name not in known and find(node.name) is None:
        raise _Doubt


def _member(node: tree.Member, known: Known) -> None:
    _visit(node.target, known)


def _binary(node: tree.Binary, known: Known) -> None:
    _visit(node.left, known)
    _visit(node.right, known)


def _call(node: tree.Call, known: Known, piped: int = 0) -> None:
    for argument in node.arguments:
        _visit(argument, known)
    target = node.function
    if isinstance(target, tree.Name):
        _arity(target.name, len(node.arguments) + piped, known)
    elif type(target) in _NO_FUNCTIONS:
        raise _Doubt
    else:
        _visit(target, known)


def _arity(name: str, count: int, known: Known) -> None:
    arity = known.get(name)
    if arity is None:
        declared = find(name)
        if declared is None:
            raise _Doubt
        least, most = declared.signature.least, declared.signature.most
        if count < least or (most is not None and count > most):
            raise _Doubt
    elif arity not in (_UNKNOWN, count):
        raise _Doubt


def _pipe(node: tree.Pipe, known: Known) -> None:
    _visit(node.value, known)
    if isinstance(node.target, tree.Call):
        _call(node.target, known, 1)
    elif isinstance(node.target, tree.Name):
        _arity(node.target.name, 1, known)
    elif type(node.target) in _NO_FUNCTIONS:
        raise _Doubt
    else:
        _visit(node.target, known)


def _closure(node: tree.Lambda | tree.FunctionDef, known: Known) -> None:
    inner = known.copy()
    for param in node.params:
        inner[param.name] = _UNKNOWN
    _visit(node.body, inner)


def _let(node: tree.Let, known: Known) -> None:
    _visit(node.value, known)
    if node.body is not None:
        known = known.copy()
    known[node.name] = _arity_of(node.value)
    if node.body is not None:
        _visit(node.body, known)


def _arity_of(value: tree.Expr) -> int:
    if isinstance(value, tree.Lambda):
        return len(value.params)
    return _NO_FUNCTION if type(value) in _NO_FUNCTIONS else _UNKNOWN


def _bind(bindings: list[tree.Let | tree.FunctionDef], known: Known) -> None:
    """Functions see each other and the variables around them, wherever those are written."""
    functions = [binding for binding in bindings if isinstance(binding, tree.FunctionDef)]
    for function in functions:
        known[function.name] = len(function.params)
    for binding in bindings:
        if isinstance(binding, tree.Let):
            _let(binding, known)
    for function in functions:
        _closure(function, known)


def _sequence(node: tree.Sequence, known: Known) -> None:
    _bind(node.bindings, known)
    for item in node.items:
        _visit(item, known)


def _block(node: tree.Block, known: Known) -> None:
    inner = known.copy()
    _bind(node.bindings, inner)
    _visit(node.value, inner)


def _object(node: tree.ObjectLiteral, known: Known) -> None:
    if node.bindings:
        known = known.copy()
        _bind(node.bindings, known)
    for entry in node.entries:
        if entry.key_expr is not None:
            _visit(entry.key_expr, known)
        _visit(entry.value, known)


def _case(node: tree.Case, known: Known) -> None:
    inner = known.copy()
    if isinstance(node.pattern, tree.Name):
        inner[node.pattern.name] = _UNKNOWN
    if node.guard is not None:
        _visit(node.guard, inner)
    _visit(node.body, inner)


def _try(node: tree.Try, known: Known) -> None:
    _visit(node.body, known.copy())
    inner = known.copy()
    if node.name is not None:
        inner[node.name] = _UNKNOWN
    _visit(node.handler, inner)


_NO_FUNCTIONS = frozenset({tree.Literal, tree.ArrayLiteral, tree.ObjectLiteral, tree.Unary})
"""What is never a function. Operators are missing: `f ?? g` may be one."""
_RULES: dict[type, Callable[..., None]] = {
    tree.Literal: _literal,
    tree.Name: _name,
    tree.Member: _member,
    tree.Binary: _binary,
    tree.Call: _call,
    tree.Pipe: _pipe,
    tree.Lambda: _closure,
    tree.Let: _let,
    tree.FunctionDef: _closure,
    tree.Sequence: _sequence,
    tree.Block: _block,
    tree.ObjectLiteral: _object,
    tree.Case: _case,
    tree.Try: _try,
}
