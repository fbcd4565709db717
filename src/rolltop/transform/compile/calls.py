"""Code of calls: user functions directly, `map` and `filter` as comprehensions, the rest by declaration."""

from __future__ import annotations

from typing import Any

from rolltop.transform.compile.code import Code, last_of, listed, py
from rolltop.transform.compile.scopes import DECIMALS, CannotCompile, Names
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.types import FunctionType, UnionType

__all__ = ["RESULTS", "CallEmitter", "escapes", "is_loop"]


class CallEmitter:
    """The part of the emitter that deals with functions."""

    def __init__(self, *, plain: bool) -> None:
        self.plain = plain
        self.constants: dict[str, Any] = {}

    def emit(self, node: tree.Expr, names: Names) -> tuple[Code, Any]:
        raise NotImplementedError

    def code(self, node: tree.Expr, names: Names) -> Code:
        raise NotImplementedError

    def truth(self, node: tree.Expr, names: Names) -> Code:
        raise NotImplementedError

    def library(self, name: str) -> Code:
        """The constant that holds a library function."""
        declared = find(name)
        if declared is None:
            raise CannotCompile(f"unknown name {name}")
        if name == "decimal":
            raise CannotCompile(DECIMALS)
        self.constants[f"F_{name}"] = declared.call
        return Code(f"F_{name}")

    def call(self, node: tree.Call, names: Names) -> tuple[Code, Any]:
        return self._call(node.function, node.arguments, names)

    def pipe(self, node: tree.Pipe, names: Names) -> tuple[Code, Any]:
        if isinstance(node.target, tree.Call):
            return self._call(node.target.function, [node.value, *node.target.arguments], names)
        if isinstance(node.target, tree.Name):
            return self._call(node.target, [node.value], names)
        value, held = self.code(node.value, names), names.temporary()
        # The value first, then the function: the order of the evaluator.
        return py("({}, CALL({}, [{}]))[1]", held.bind(value), self.code(node.target, names), held), None

    def _call(self, target: tree.Expr, arguments: list[tree.Expr], names: Names) -> tuple[Code, Any]:
        if not isinstance(target, tree.Name):
            held = [names.temporary() for _ in arguments]
            bound = [name.bind(self.code(item, names)) for name, item in zip(held, arguments, strict=True)]
            return last_of([*bound, py("CALL({}, [{}])", self.code(target, names), listed(held))]), None
        variable = names.find(target.name)
        if variable is None:
            if target.name == "decimal":
                raise CannotCompile(DECIMALS)
            return self._library_call(target.name, arguments, names)
        codes = listed(self.code(argument, names) for argument in arguments)
        if variable.arity == len(arguments):
            return py("{}({})", variable.code, codes), None
        return py("CALL({}, [{}])", variable.code, codes), None

    def _library_call(self, name: str, arguments: list[tree.Expr], names: Names) -> tuple[Code, Any]:
        function = self.library(name)
        if name in ("map", "filter") and len(arguments) == 2 and is_loop(arguments[1], names):
            assert isinstance(arguments[1], tree.Lambda)
            return self._loop(name, arguments[0], arguments[1], names), "list"
        codes = listed(self.code(argument, names) for argument in arguments)
        return py("{}({})", function, codes), RESULTS.get(name)

    def _loop(self, name: str, array: tree.Expr, function: tree.Lambda, names: Names) -> Code:
        """A comprehension; what it goes over is held before, because it may assign and must not there."""
        held = names.temporary()
        code = self.code(array, names)
        inner = names.inner()
        item = inner.bind(function.params[0].name).code
        if name == "map":
            loop = py("[{} for {} in AR({})]", self.code(function.body, inner), item.target, held)
        else:
            loop = py("[{} for {} in OA({}) if {}]", item, item.target, held, self.truth(function.body, inner))
        return py("({}, {})[1]", held.bind(code), loop)


RESULTS = {
    "sum": "num", "count": "num", "upper": "str", "lower": "str", "trim": "str", "contains": "bool",
    "isEmpty": "bool",
}  # fmt: skip


def is_loop(node: tree.Expr, names: Names) -> bool:
    """A lambda of one parameter whose body makes no function that could outlive a round of the loop."""
    return isinstance(node, tree.Lambda) and len(node.params) == 1 and not escapes(node.body, names)


def escapes(node: tree.Expr, names: Names) -> bool:
    """Whether a function made inside could be kept: all but those that a library function calls at once."""
    if isinstance(node, (tree.Lambda, tree.FunctionDef)):
        return True
    called = node.target if isinstance(node, tree.Pipe) else node
    kept = {id(argument) for argument in _called_at_once(called, names, piped=called is not node)}
    parts = [*tree.children(node)]
    if called is not node and isinstance(called, tree.Call):
        parts = [part for part in parts if part is not called] + [called.function, *called.arguments]
    return any(_escapes_argument(part, kept, names) for part in parts)


def _escapes_argument(node: tree.Expr, kept: set[int], names: Names) -> bool:
    if isinstance(node, tree.Lambda) and id(node) in kept:
        return escapes(node.body, names)
    return escapes(node, names)


def _called_at_once(node: tree.Expr, names: Names, *, piped: bool) -> list[tree.Lambda]:
    """The lambdas among a call's arguments that stand where a library function wants a function."""
    if not isinstance(node, tree.Call) or not isinstance(node.function, tree.Name) or names.find(node.function.name):
        return []
    declared = find(node.function.name)
    if declared is None:
        return []
    parameters = declared.signature.parameters[1 if piped else 0 :]
    return [
        argument
        for argument, parameter in zip(node.arguments, parameters, strict=False)
        if isinstance(argument, tree.Lambda) and isinstance(parameter.type, (FunctionType, UnionType))
    ]
