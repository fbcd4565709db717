"""Generated code for records made into code for rows of values: variables instead of fields."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rolltop.transform.columns.records import Selection
from rolltop.transform.compile.compiler import function_of
from rolltop.transform.compile.scopes import CannotCompile

__all__ = ["Each", "Over", "Sought", "Unpacked", "Variables", "each", "names_in", "unpack"]

Loop = ast.For | ast.comprehension
_COUNT = "count"


@dataclass(frozen=True, slots=True)
class Over:
    """A function `run(rows, count)`. Rows are tuples of the fields, or what the only field holds.

    `count` is the number of all records, of which the rows may be those that were chosen.
    """

    code: ast.Module
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sought:
    """A part of a condition: that a field is this text."""

    field: str
    text: str
    rest: Over | None
    """What else has to be true."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A program in two functions of rows."""

    test: Over | None
    """What tells of each row whether it is chosen; None when all are."""
    sought: Sought | None
    run: Over
    """What makes the result of the rows chosen."""
    function: ast.FunctionDef
    """The code of `run`."""
    variables: Variables


def unpack(source: str) -> Unpacked:
    """Take the function `run(records)` apart; `CannotCompile` when it does more with records than go over them once."""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    records = function.args.args[0].arg
    _Counted(records).visit(function)
    function.args.args.append(ast.arg(_COUNT))
    loop = _loop_over(function, records)
    assert isinstance(loop.target, ast.Name)
    variables = Variables(loop.target.id)
    variables.visit(function)
    if names_in(function).count(loop.target.id) != 1:
        raise CannotCompile("the records are used as a whole")
    test = _condition(function, loop, variables)
    fields = variables.read(function)
    loop.target = variables.row(fields)
    run = Over(_module(function), fields)
    return Unpacked(each(test, variables) if test else None, _sought(test, variables), run, function, variables)


def _loop_over(function: ast.FunctionDef, records: str) -> Loop:
    """The one place that goes over the records."""
    if names_in(function).count(records) != 1:
        raise CannotCompile("the program goes over the records more than once")
    for node in ast.walk(function):
        if isinstance(node, Loop) and isinstance(node.iter, ast.Name) and node.iter.id == records:
            return node
    raise CannotCompile("the records are not gone over one by one")


class _Counted(ast.NodeTransformer):
    """Puts a variable where the records are counted."""

    def __init__(self, records: str) -> None:
        self._records = records

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]) if name == self._records:
                return ast.Name(_COUNT, ast.Load())
        self.generic_visit(node)
        return node


class Variables(ast.NodeTransformer):
    """Puts a variable where a field of the record is read."""

    def __init__(self, record: str) -> None:
        self._record = record
        self.fields: dict[str, str] = {}
        """By their variables."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not isinstance(node.value, ast.Name) or node.value.id != self._record:
            self.generic_visit(node)
            return node
        name = f"{self._record}_{node.attr}"
        self.fields[name] = node.attr
        return ast.Name(name, ast.Load())

    def read(self, node: ast.AST) -> tuple[str, ...]:
        """The fields that code reads."""
        names = set(names_in(node))
        return tuple(field for name, field in self.fields.items() if name in names)

    def row(self, fields: tuple[str, ...]) -> ast.expr:
        """The variables of these fields, as a loop assigns them."""
        names: list[ast.expr] = [ast.Name(f"{self._record}_{field}", ast.Store()) for field in fields]
        return names[0] if len(names) == 1 else ast.Tuple(names, ast.Store())


def _condition(function: ast.FunctionDef, loop: Loop, variables: Variables) -> ast.expr | None:
    """Take the condition of a loop out of it, if it can be known before the loop runs."""
    tests = _tests_of(loop)
    inside = [name for test in tests for name in names_in(test)]
    everywhere, bound = names_in(function), set(_bound_in(function)).difference(variables.fields)
    # A name that is bound outside has no value yet; one that is bound inside may be asked for later.
    if not tests or any(name in bound and inside.count(name) != everywhere.count(name) for name in inside):
        return None
    if isinstance(loop, ast.For):
        only = loop.body[0]
        assert isinstance(only, ast.If)
        loop.body = only.body
    else:
        loop.ifs = []
    return _all(tests)


def _sought(test: ast.expr | None, variables: Variables) -> Sought | None:
    """A comparison with a text, if that is what a condition begins with: rows that fail there are not asked more."""
    if test is None:
        return None
    first, *others = _parts(test)
    match first:
        case ast.Compare(ast.Name(id=name), [ast.Eq()], [ast.Constant(value=str(text))]):
            field = variables.fields.get(name)
            rest = each(_all(others), variables) if others else None
            return None if field is None else Sought(field, text, rest)
    return None


def _parts(test: ast.expr) -> list[ast.expr]:
    """What has to be true, one after the other."""
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
        return [test]
    return [part for value in test.values for part in _parts(value)]


def _all(tests: list[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _tests_of(loop: Loop) -> list[ast.expr]:
    if isinstance(loop, ast.comprehension):
        return loop.ifs
    only = loop.body[0] if len(loop.body) == 1 else None
    return [only.test] if isinstance(only, ast.If) and not only.orelse else []


def names_in(node: ast.AST) -> list[str]:
    """The variables in code, each as often as it is there."""
    return [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]


def _bound_in(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            yield node.name


def each(made: ast.expr, variables: Variables) -> Over:
    """A function that gives what is made of each row, in a list."""
    fields = variables.read(made)
    loop = ast.comprehension(variables.row(fields), ast.Name("rows", ast.Load()), [], 0)
    function = ast.parse(f"def run(rows, {_COUNT}): return 0").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [ast.Return(ast.ListComp(made, [loop]))]
    return Over(_module(function), fields)


def _module(function: ast.FunctionDef) -> ast.Module:
    return ast.fix_missing_locations(ast.Module([function], []))


Change = Callable[[str], str]


class Each:
    """What code makes of the rows that it is given."""

    def __init__(self, over: Over, constants: Mapping[str, Any]) -> None:
        self._fields = over.fields
        self._run = function_of(over.code, constants)
        self._change = _change_of(over)

    def of(self, rows: Selection) -> Any:
        if self._change is not None:
            changed = _changed(rows.column(self._fields[0]), self._change)
            if changed is not None:
                return changed
        return self._run(rows.rows(self._fields), rows.total)


def _change_of(over: Over) -> Change | None:
    """What is done with the only field, if that is a change of case."""
    function = over.code.body[0]
    assert isinstance(function, ast.FunctionDef)
    match function.body:
        case [
            ast.Return(
                value=ast.ListComp(
                    elt=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="upper" | "lower" as how), args=[]),
                    generators=[ast.comprehension(target=ast.Name(id=field), ifs=[])],
                )
            )
        ] if name == field:
            return str.upper if how == "upper" else str.lower
    return None


def _changed(values: Sequence[Any], change: Change) -> list[str] | None:
    """All texts of a column changed at once; None when they are not all plain ones."""
    try:
        text = "\n".join(values)
    except TypeError:
        return None
    changed = change(text).split("\n") if text.isascii() else []
    return changed if len(changed) == len(values) else None
