"""Generated code for records, made into code for rows of values: variables instead of fields, the condition apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from rolltop.transform.compile.scopes import CannotCompile

__all__ = ["Unpacked", "unpack"]

_Loop = ast.For | ast.comprehension


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A program in two functions of rows, which are tuples of fields."""

    test: ast.Module | None
    """What tells of each row whether it is chosen; None when all are."""
    tested: tuple[str, ...]
    """The fields that it goes over."""
    run: ast.Module
    """What makes the result of the rows chosen."""
    fields: tuple[str, ...]


def unpack(source: str) -> Unpacked:
    """Take the function `run(records)` apart; `CannotCompile` when it does more with records than go over them once."""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    loop = _loop_over(function, function.args.args[0].arg)
    assert isinstance(loop.target, ast.Name)
    variables = _Variables(loop.target.id)
    variables.visit(function)
    if _names(function).count(loop.target.id) != 1:
        raise CannotCompile("the records are used as a whole")
    test = _condition(function, loop, variables.known)
    fields = _read(function, variables.known)
    loop.target = _tuple(variables, fields)
    run = _module(function)
    if test is None:
        return Unpacked(None, (), run, fields)
    tested = _read(test, variables.known)
    return Unpacked(_module(_tests(test, _tuple(variables, tested))), tested, run, fields)


def _loop_over(function: ast.FunctionDef, records: str) -> _Loop:
    """The one place that goes over the records."""
    if _names(function).count(records) != 1:
        raise CannotCompile("the program goes over the records more than once")
    for node in ast.walk(function):
        over = node.iter if isinstance(node, _Loop) and isinstance(node.target, ast.Name) else None
        if isinstance(over, ast.Name) and over.id == records:
            assert isinstance(node, _Loop)
            return node
    raise CannotCompile("the records are not gone over one by one")


class _Variables(ast.NodeTransformer):
    """Puts a variable where a field of the record is read."""

    def __init__(self, record: str) -> None:
        self._record = record
        self.known: dict[str, str] = {}
        """The fields, by their variables."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not isinstance(node.value, ast.Name) or node.value.id != self._record:
            self.generic_visit(node)
            return node
        name = f"{self._record}_{node.attr}"
        self.known[name] = node.attr
        return ast.Name(name, ast.Load())

    def variable(self, field: str) -> str:
        return f"{self._record}_{field}"


def _condition(function: ast.FunctionDef, loop: _Loop, variables: dict[str, str]) -> ast.expr | None:
    """Take the condition of a loop out of it, if it can be known before the loop runs."""
    tests = _tests_of(loop)
    if not tests:
        return None
    inside = [name for test in tests for name in _names(test)]
    everywhere = _names(function)
    bound = {name for name in _bound(function) if name not in variables}
    # A name that is bound outside has no value yet; one that is bound inside may be asked for later.
    if any(name in bound and inside.count(name) != everywhere.count(name) for name in inside):
        return None
    if isinstance(loop, ast.For):
        only = loop.body[0]
        assert isinstance(only, ast.If)
        loop.body = only.body
    else:
        loop.ifs = []
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _tests_of(loop: _Loop) -> list[ast.expr]:
    if isinstance(loop, ast.comprehension):
        return loop.ifs
    only = loop.body[0] if len(loop.body) == 1 else None
    return [only.test] if isinstance(only, ast.If) and not only.orelse else []


def _names(node: ast.AST) -> list[str]:
    """The variables in code, each as often as it is there."""
    return [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]


def _bound(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            yield node.name


def _read(node: ast.AST, variables: dict[str, str]) -> tuple[str, ...]:
    names = set(_names(node))
    return tuple(field for name, field in variables.items() if name in names)


def _tuple(variables: _Variables, fields: tuple[str, ...]) -> ast.expr:
    names: list[ast.expr] = [ast.Name(variables.variable(field), ast.Store()) for field in fields]
    return ast.Tuple(names, ast.Store())


def _tests(test: ast.expr, row: ast.expr) -> ast.FunctionDef:
    """A function that gives the value of a condition for each row."""
    function = ast.parse("def run(rows): return [0 for row in rows]").body[0]
    assert isinstance(function, ast.FunctionDef)
    returned = function.body[0]
    assert isinstance(returned, ast.Return)
    assert isinstance(returned.value, ast.ListComp)
    returned.value.elt, returned.value.generators[0].target = test, row
    return function


def _module(function: ast.FunctionDef) -> ast.Module:
    return ast.fix_missing_locations(ast.Module([function], []))
