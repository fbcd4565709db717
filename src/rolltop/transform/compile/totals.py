"""Sums, counts and groups of the typed emitter, made while their arrays are gone over."""

from __future__ import annotations

import sys

from rolltop.transform.compile.blocks import guarded
from rolltop.transform.compile.calls import is_loop
from rolltop.transform.compile.code import Code, Length, Var, py
from rolltop.transform.compile.emitter import Emitted
from rolltop.transform.compile.loops import Arguments, LoopRules, called, is_name_of, with_element
from rolltop.transform.compile.operators import Fitted
from rolltop.transform.compile.places import Groups, Items, Kind, Place
from rolltop.transform.compile.routine import Group, GroupTotal, Replace, Total
from rolltop.transform.compile.scopes import Names
from rolltop.transform.syntax import tree

__all__ = ["TotalRules", "each_group"]

SUMS_RUN = sys.version_info < (3, 12)
"""Whether adding one by one gives what `sum` gives; newer Pythons make up there for what is lost in rounding."""


class TotalRules(LoopRules):
    """The part of the typed emitter that makes one value of many."""

    def summed(self, name: str, arguments: Arguments, names: Names) -> Emitted | None:
        return self._sum_of(name, self.emit(arguments[0], names), names)

    def _sum_of(self, name: str, array: Emitted, names: Names) -> Emitted:
        code, kind = array
        certain, element = self.elements(kind) if not isinstance(kind, str) else (False, None)
        if certain and self.use(element, "num") == "num":
            return Fitted(names.temporary(), self._running_sum(kind, names) or py("sum({})", code)), "num"
        self.escape(kind)
        return py("{}({})", self.library(name), code), "num"

    def summed_by(self, name: str, arguments: Arguments, names: Names) -> Emitted | None:
        """`sumBy(xs, f)` is the sum of what `map(xs, f)` gives, when that is numbers."""
        function = arguments[1]
        if not is_loop(function, names):
            return None
        assert isinstance(function, tree.Lambda)
        array = self.emit(arguments[0], names)
        certain, element = self.elements(array[1])
        if not certain:
            return py("F_{}({}, {})", name, array[0], self.given(function, element, names)), "num"
        return self._sum_of("sum", self.loop_on(array, (None, function), self.emit, names), names)

    def _running_sum(self, kind: Kind, names: Names) -> Var | None:
        """A variable that has the sum of a flow's elements when its loop is over: no list has to be made for it."""
        flow = kind.flow if isinstance(kind, Items) else None
        if not SUMS_RUN or flow is None or flow.home is not self.block:
            return None
        total = names.temporary()
        flow.gather(Total(total, flow.named(names.temporary)))
        return total

    def counted(self, name: str, arguments: Arguments, names: Names) -> Emitted | None:
        code, kind = self.emit(arguments[0], names)
        if isinstance(kind, Items) or (isinstance(kind, Place) and kind.form in (None, "list")):
            self.elements(kind)
            return Length(code), "num"
        self.escape(kind)
        return py("F_{}({})", name, code), "num"

    def grouped(self, name: str, arguments: Arguments, names: Names) -> Emitted | None:
        key = arguments[1]
        if not is_loop(key, names):
            return None
        assert isinstance(key, tree.Lambda)
        code, kind = self.emit(arguments[0], names)
        certain, element = self.elements(kind)
        if self.block is not None:
            flow = self.flow_over(guarded("" if certain else "AR", code), kind, (key,), names)
            with self.inside(flow):
                keys = self._key(key, with_element(key, flow, element, names))
            groups = names.temporary()
            flow.gather(Group(groups, keys, flow.element, names.temporary()))
            return groups, Groups(element)
        held = names.temporary()
        array = held.bind(guarded("" if certain else "AR", code))
        inner = names.inner()
        item = inner.bind(key.params[0].name, kind=element)
        with self.region():
            keys = self._key(key, inner)
        return py("GROUP({}, [{} for {} in {}])", array, keys, item.code.target, held), Groups(element)

    def _key(self, key: tree.Lambda, names: Names) -> Code:
        code, kind = self.emit(key.body, names)
        if self.use(kind, "str") == "str":
            return code
        self.escape(kind)
        return py("KEY({})", code)

    def mapped_values(self, name: str, arguments: Arguments, names: Names) -> Emitted | None:
        function = arguments[1]
        if not is_loop(function, names) or called(arguments[0], "groupBy") is None or names.find("groupBy"):
            return None
        assert isinstance(function, tree.Lambda)
        fused = self.grouped_sums(arguments[0], function, names)
        if fused is not None:
            self.replace_groups(*fused, names)
            return fused[0], "dict"
        code, kind = self.emit(arguments[0], names)
        if not isinstance(kind, Groups):
            self.escape(kind)
            return py("F_{}({}, {})", name, code, self.code(function, names)), None
        inner = names.inner()
        group = inner.bind(function.params[0].name, kind=Items(kind.element))
        with self.region():
            body = self.code(function.body, inner)
        return each_group(code, group.code, body, names), "dict"

    def grouped_sums(self, grouped: tree.Expr, function: tree.Lambda, names: Names) -> tuple[Var, Var, Code] | None:
        """`groupBy(xs, k) |> mapValues(g => sum(map(g, f)))`: the values are grouped, not the elements.

        The groups of numbers, a variable for the numbers of one, and code of their sum.
        """
        value = self._summed(function, names)
        arguments = called(grouped, "groupBy")
        if self.block is None or value is None or arguments is None or not is_loop(arguments[1], names):
            return None
        array, key = arguments
        assert isinstance(key, tree.Lambda)
        code, kind = self.emit(array, names)
        certain, element = self.elements(kind)
        if not certain:
            return None
        flow = self.flow_over(code, kind, (key, value), names)
        with self.inside(flow):
            keys = self._key(key, with_element(key, flow, element, names))
            made, made_kind = self.emit(value.body, with_element(value, flow, element, names))
        if self.use(made_kind, "num") != "num":
            return None
        groups, values, held = names.temporary(), names.temporary(), names.temporary()
        flow.gather((GroupTotal if SUMS_RUN else Group)(groups, keys, made, held))
        return groups, values, Fitted(names.temporary(), values if SUMS_RUN else py("sum({})", values))

    def _summed(self, function: tree.Lambda, names: Names) -> tree.Lambda | None:
        """The `f` of a function that is `g => sum(map(g, f))`."""
        parameter = function.params[0].name
        summed = called(function.body, "sum", 1)
        mapped = called(summed[0], "map") if summed else None
        if mapped is None or _is_bound(names) or not is_loop(mapped[1], names):
            return None
        value = mapped[1]
        assert isinstance(value, tree.Lambda)
        return value if is_name_of(mapped[0], parameter) and not _mentions(value, parameter) else None

    def replace_groups(self, groups: Var, values: Var, code: Code, names: Names, *, where: Code | None = None) -> None:
        """Put something in the place of each group, or of those that pass a test."""
        assert self.block is not None
        self.block.add(Replace(groups, names.temporary(), values, code, where))


def each_group(groups: Code, group: Var, made: Code, names: Names) -> Code:
    """An object of what is made of each group."""
    key, held = names.temporary(), names.temporary()
    parts = ("{", key, ": ", made, " for ", key.target, ", ", group.target, " in ", held, ".items()}")
    return py("({}, {})[1]", held.bind(groups), Code(*parts))


def _mentions(node: tree.Expr, name: str) -> bool:
    return any(is_name_of(inner, name) for inner in tree.walk(node))


def _is_bound(names: Names) -> bool:
    """Whether the program gives one of the fused functions' names a meaning of its own."""
    return any(names.find(name) is not None for name in ("sum", "map", "groupBy"))
