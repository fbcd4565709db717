"""Loops of the typed emitter: `map`, `filter`, `flatMap`, and functions that hand elements on."""

from __future__ import annotations

from itertools import chain

from rolltop.transform.compile.blocks import Flow, guarded, path_of
from rolltop.transform.compile.calls import is_loop
from rolltop.transform.compile.code import Code, is_bound_in, listed, py
from rolltop.transform.compile.emitter import Emitted, Make
from rolltop.transform.compile.inlining import mentioned
from rolltop.transform.compile.places import Items, Kind, Place
from rolltop.transform.compile.routine import Extend, Flatten, Source
from rolltop.transform.compile.rules import Rules
from rolltop.transform.compile.scopes import Names
from rolltop.transform.syntax import tree

__all__ = ["Arguments", "LoopRules", "called", "is_name_of", "with_element"]

_HANDED = {
    "sortBy": "same", "reverse": "same", "take": "same", "drop": "same",
    "every": "bool", "some": "bool", "countBy": "num", "findIndex": "num",
}  # fmt: skip
"""Functions that do nothing with elements but hand them to a function, or on: what comes out of them."""
_COUNTING = frozenset({"reverse", "take", "drop"})
"""Those that take no function."""
Arguments = list[tree.Expr]
Stages = tuple[tree.Lambda | None, tree.Lambda | None]
"""The condition and the function of a loop."""


class LoopRules(Rules):
    """The part of the typed emitter that goes over arrays."""

    def elements(self, kind: Kind) -> tuple[bool, Kind]:
        """Whether a kind is an array for sure, and what its elements are."""
        if isinstance(kind, Place) and kind.form in (None, "list"):
            return True, self.known(kind.items())
        if isinstance(kind, Items):
            element = kind.element
            return True, self.known(element) if isinstance(element, Place) else element
        self.escape(kind)
        return kind == "list", None

    def walked(self, name: str, arguments: Arguments, names: Names) -> Emitted | None:
        function = arguments[1]
        if not is_loop(function, names):
            return None
        assert isinstance(function, tree.Lambda)
        return self.walk(name, arguments[0], function, self.emit, names)

    def walk(self, name: str, array: tree.Expr, function: tree.Lambda, make: Make, names: Names) -> Emitted:
        """`map` and `filter` as loops; a filter inside a map is its condition."""
        inside = called(array, "filter") if name == "map" and not names.find("filter") else None
        if inside is not None and is_loop(inside[1], names):
            assert isinstance(inside[1], tree.Lambda)
            return self._loop_over(inside[0], inside[1], function, make, names)
        if name == "map":
            return self._loop_over(array, None, function, make, names)
        return self._loop_over(array, function, None, make, names)

    def _loop_over(
        self, array: tree.Expr, condition: tree.Lambda | None, function: tree.Lambda | None, make: Make, names: Names
    ) -> Emitted:
        return self.loop_on(self.emit(array, names), (condition, function), make, names)

    def loop_on(self, array: Emitted, stages: Stages, make: Make, names: Names) -> Emitted:
        """A loop over an array whose code is at hand."""
        (code, kind), (condition, function) = array, stages
        certain, element = self.elements(kind)
        guard = "" if certain else "OA" if condition is not None else "AR"
        if self.block is not None:
            flow = self.flow_over(guarded(guard, code), kind, (condition, function), names)
            return self._flow_on(flow, element, (condition, function), make, names)
        inner = names.inner()
        first = condition or function
        assert first is not None
        variable = inner.bind(first.params[0].name, kind=element)
        item = variable.code
        made: Code
        with self.region():
            test = self.truth(condition.body, inner) if condition is not None else None
            if function is not None:
                body = inner.inner()
                body.variables[function.params[0].name] = variable
                made, made_kind = make(function.body, body)
            else:
                made, made_kind = item, element
        where = Code() if test is None else py(" if {}", test)
        return self._comprehension(py("{} for {}", made, item.target), (code, guard), where, names), Items(made_kind)

    def flow_over(self, array: Code, kind: Kind, functions: tuple[tree.Lambda | None, ...], names: Names) -> Flow:
        """Where the elements of an array are at hand: in a loop over it that is there already, or in a new one."""
        assert self.block is not None
        path = path_of(array)
        flow = kind.flow if isinstance(kind, Items) else None
        if flow is None and path is not None:
            flow = self.block.flows.get(path)
        if flow is not None and flow.home is self.block and not _looks_ahead(functions, flow, names):
            flow.named(names.temporary)
            return flow
        loop = Source(array, names.temporary())
        self.block.add(loop)
        flow = Flow(loop, self.block, serial=next(names.counter), at_hand=self.regions.snapshot())
        if path is not None:
            self.block.flows[path] = flow
        return flow

    def _flow_on(self, flow: Flow, element: Kind, stages: Stages, make: Make, names: Names) -> Emitted:
        """A list of what comes of a flow's elements."""
        condition, function = stages
        if condition is not None:
            with self.inside(flow):
                test = self.truth(condition.body, with_element(condition, flow, element, names))
                flow = flow.when(test, self.regions.snapshot())
        made, made_kind = flow.element, element
        if function is not None:
            with self.inside(flow):
                made, made_kind = make(function.body, with_element(function, flow, element, names))
        name = names.temporary()
        return name, Items(made_kind, flow.collect(name, made))

    def _comprehension(self, head: Code, array: tuple[Code, str], where: Code, names: Names) -> Code:
        """An assignment may not stand in what a comprehension goes over: that is held before."""
        code, guard = array
        if not is_bound_in(code):
            return py("[{} in {}{}]", head, guarded(guard, code), where)
        held = names.temporary()
        return py("({}, [{} in {}{}])[1]", held.bind(code), head, guarded(guard, held), where)

    def flattened(self, name: str, arguments: Arguments, names: Names) -> Emitted | None:
        function = arguments[1]
        if self.block is None or not is_loop(function, names):
            return None
        assert isinstance(function, tree.Lambda)
        return self.flatten(arguments[0], function, self.emit, names)

    def flatten(self, array: tree.Expr, function: tree.Lambda, make: Make, names: Names) -> Emitted:
        """`flatMap` as a loop: arrays are added to the result, other values are appended."""
        code, kind = self.emit(array, names)
        certain, element = self.elements(kind)
        flow = self.flow_over(guarded("" if certain else "AR", code), kind, (function,), names)
        with self.inside(flow):
            made, made_kind = make(function.body, with_element(function, flow, element, names))
        name = names.temporary()
        if isinstance(made_kind, Items):
            flow.gather(Extend(name, made))
            return name, Items(made_kind.element)
        self.escape(made_kind)
        flow.gather(Flatten(name, made, names.temporary()))
        return name, "list"

    def handed(self, name: str, arguments: Arguments, names: Names) -> Emitted | None:
        """Functions that do nothing with elements but hand them to a function, or on."""
        if any(isinstance(argument, tree.Lambda) != is_loop(argument, names) for argument in arguments[1:]):
            return None
        if name not in _COUNTING and not all(isinstance(argument, tree.Lambda) for argument in arguments[1:]):
            return None
        code, kind = self.emit(arguments[0], names)
        certain, element = self.elements(kind)
        codes = [code, *(self.given(argument, element, names) for argument in arguments[1:])]
        result: Kind = _HANDED[name]
        if result == "same":
            result = Items(element) if certain else None
        return py("F_{}({})", name, listed(codes)), result

    def given(self, argument: tree.Expr, element: Kind, names: Names) -> Code:
        """An argument; when it is a function, its parameter is an element."""
        if not isinstance(argument, tree.Lambda):
            return self.code(argument, names)
        inner = names.inner()
        item = inner.bind(argument.params[0].name, kind=element)
        with self.region():
            return py("(lambda {}: {})", item.code.target, self.code(argument.body, inner))


def with_element(function: tree.Lambda, flow: Flow, element: Kind, names: Names) -> Names:
    """The names that a function sees whose parameter is an element of the flow."""
    inner = names.inner()
    inner.put(function.params[0].name, flow.element, element)
    return inner


def _looks_ahead(functions: tuple[tree.Lambda | None, ...], flow: Flow, names: Names) -> bool:
    """Whether functions name something that has no value yet where the flow is."""
    named = chain.from_iterable(mentioned(function.body, names) for function in functions if function is not None)
    return any(variable.since > flow.serial for variable in named)


def called(node: tree.Expr, name: str, count: int = 2) -> Arguments | None:
    """The arguments of a call of this function, piped or not."""
    call = node.target if isinstance(node, tree.Pipe) else node
    if not isinstance(call, tree.Call) or not is_name_of(call.function, name):
        return None
    arguments = [node.value, *call.arguments] if isinstance(node, tree.Pipe) else call.arguments
    return arguments if len(arguments) == count else None


def is_name_of(node: tree.Expr, name: str) -> bool:
    """Whether a node is this very name."""
    return isinstance(node, tree.Name) and node.name == name
