"""Code of calls where kinds are known: loops without tests, sums and groups in place, bare library bodies."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

from rolltop.transform.compile.blocks import Block, Flow, Loop
from rolltop.transform.compile.calls import RESULTS, is_loop
from rolltop.transform.compile.emitter import Code, Emitter
from rolltop.transform.compile.operators import fitted
from rolltop.transform.compile.places import Groups, Items, Kind, Place
from rolltop.transform.compile.scopes import Names
from rolltop.transform.compile.sharing import Regions
from rolltop.transform.stdlib.coerce import coercer_of
from rolltop.transform.stdlib.declare import Function
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.types import NUMBER, STRING

__all__ = ["CallRules", "called"]

_PATH = re.compile(r"[\w.]+|(AR|OA)\([\w.]+\)")
"""Code that has the same value whenever it runs in one round."""
SUMS_RUN = sys.version_info < (3, 12)
"""Whether adding one by one gives what `sum` gives; newer Pythons make up there for what is lost in rounding."""
_METHODS = {"upper": "upper", "lower": "lower"}
Arguments = list[tree.Expr]
Make = Callable[[tree.Expr, Names], Code]
Stages = tuple[tree.Lambda | None, tree.Lambda | None]
"""The condition and the function of a loop."""


class CallRules(Emitter):
    """The part of the typed emitter that deals with calls."""

    regions: Regions
    block: Block | None

    def known(self, place: Place) -> Kind:
        raise NotImplementedError

    def escape(self, kind: Kind) -> None:
        raise NotImplementedError

    def use(self, kind: Kind, word: str) -> Kind:
        raise NotImplementedError

    def region(self) -> AbstractContextManager[None]:
        raise NotImplementedError

    def inside(self, flow: Flow) -> AbstractContextManager[None]:
        raise NotImplementedError

    def _library_call(self, name: str, arguments: Arguments, names: Names) -> Code:
        self.library(name)
        rule = _RULES.get((name, len(arguments)))
        return (rule(self, name, arguments, names) if rule else None) or self._direct(name, arguments, names)

    # ---- loops ------------------------------------------------------------------------------

    def _elements(self, kind: Kind) -> tuple[bool, Kind]:
        """Whether a kind is an array for sure, and what its elements are."""
        if isinstance(kind, Place) and kind.form in (None, "list"):
            return True, self.known(kind.items())
        if isinstance(kind, Items):
            element = kind.element
            return True, self.known(element) if isinstance(element, Place) else element
        self.escape(kind)
        return kind == "list", None

    def _walk(self, name: str, arguments: Arguments, names: Names) -> Code | None:
        function = arguments[1]
        if not is_loop(function, names):
            return None
        assert isinstance(function, tree.Lambda)
        return self.walk(name, arguments[0], function, self.emit, names)

    def walk(self, name: str, array: tree.Expr, function: tree.Lambda, make: Make, names: Names) -> Code:
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
    ) -> Code:
        code, kind = self.emit(array, names)
        certain, element = self._elements(kind)
        guard = "" if certain else "OA" if condition is not None else "AR"
        if self.block is not None:
            flow = self._flow_over(f"{guard}({code})" if guard else code, kind, (condition, function), names)
            return self._flow_on(flow, element, (condition, function), make, names)
        inner = names.inner()
        first = condition or function
        assert first is not None
        item = inner.bind(first.params[0].name, kind=element)
        with self.region():
            test = f" if {self.truth(condition.body, inner)}" if condition is not None else ""
            if function is not None:
                body = inner.inner()
                body.variables[function.params[0].name] = item
                made, made_kind = make(function.body, body)
            else:
                made, made_kind = item.code, element
        return self._comprehension(f"{made} for {item.code}", code, guard, test, names), Items(made_kind)

    def _flow_over(self, code: str, kind: Kind, functions: tuple[tree.Lambda | None, ...], names: Names) -> Flow:
        """Where the elements of an array are at hand: in a loop over it that is there already, or in a new one."""
        assert self.block is not None
        flow = kind.flow if isinstance(kind, Items) and kind.flow is not None else self.block.flows.get(code)
        if flow is not None and flow.home is self.block and not _looks_ahead(functions, flow, names):
            flow.named(names.temporary)
            return flow
        loop = Loop(code, names.temporary())
        self.block.add(loop)
        flow = Flow(loop, self.block, serial=next(names.counter), at_hand=self.regions.snapshot())
        if _PATH.fullmatch(code):
            self.block.flows[code] = flow
        return flow

    def _flow_on(self, flow: Flow, element: Kind, stages: Stages, make: Make, names: Names) -> Code:
        """A list of what comes of a flow's elements."""
        condition, function = stages
        if condition is not None:
            with self.inside(flow):
                test = self.truth(condition.body, _with(condition, flow, element, names))
                flow = flow.when(test, self.regions.snapshot())
        made, made_kind = flow.element, element
        if function is not None:
            with self.inside(flow):
                made, made_kind = make(function.body, _with(function, flow, element, names))
        name = names.temporary()
        return name, Items(made_kind, flow.collect(name, made))

    def _comprehension(self, head: str, array: str, guard: str, test: str, names: Names) -> str:
        """An assignment may not stand in what a comprehension goes over: that is held before."""
        if ":=" not in array:
            return f"[{head} in {guard}({array}){test}]" if guard else f"[{head} in {array}{test}]"
        held = names.temporary()
        source = f"{guard}({held})" if guard else held
        return f"(({held} := {array}), [{head} in {source}{test}])[1]"

    # ---- totals and groups ------------------------------------------------------------------

    def _sum(self, name: str, arguments: Arguments, names: Names) -> Code | None:
        code, kind = self.emit(arguments[0], names)
        certain, element = self._elements(kind) if not isinstance(kind, str) else (False, None)
        if certain and self.use(element, "num") == "num":
            return fitted(self._running_sum(kind, names) or f"sum({code})", names), "num"
        self.escape(kind)
        return f"F_{name}({code})", "num"

    def _running_sum(self, kind: Kind, names: Names) -> str | None:
        """A variable that has the sum of a flow's elements when its loop is over: no list has to be made for it."""
        flow = kind.flow if isinstance(kind, Items) else None
        if not SUMS_RUN or flow is None or flow.home is not self.block:
            return None
        total = names.temporary()
        flow.loop.before.append(f"{total} = 0")
        flow.block.add(f"{total} += {flow.named(names.temporary)}")
        return total

    def _count(self, name: str, arguments: Arguments, names: Names) -> Code | None:
        code, kind = self.emit(arguments[0], names)
        if isinstance(kind, Items) or (isinstance(kind, Place) and kind.form in (None, "list")):
            self._elements(kind)
            return f"len({code})", "num"
        self.escape(kind)
        return f"F_{name}({code})", "num"

    def _group(self, name: str, arguments: Arguments, names: Names) -> Code | None:
        key = arguments[1]
        if not is_loop(key, names):
            return None
        assert isinstance(key, tree.Lambda)
        code, kind = self.emit(arguments[0], names)
        certain, element = self._elements(kind)
        if self.block is not None:
            flow = self._flow_over(code if certain else f"AR({code})", kind, (key,), names)
            with self.inside(flow):
                keys = self._key(key, _with(key, flow, element, names))
            return self._group_in(flow, keys, flow.element, names), Groups(element)
        held = names.temporary()
        array = f"({held} := {code})" if certain else f"({held} := AR({code}))"
        inner = names.inner()
        item = inner.bind(key.params[0].name, kind=element)
        with self.region():
            keys = self._key(key, inner)
        return f"GROUP({array}, [{keys} for {item.code} in {held}])", Groups(element)

    def _key(self, key: tree.Lambda, names: Names) -> str:
        code, kind = self.emit(key.body, names)
        if self.use(kind, "str") == "str":
            return code
        self.escape(kind)
        return f"KEY({code})"

    def _group_in(self, flow: Flow, keys: str, made: str, names: Names) -> str:
        """What there is of each element of a flow, in lists by their keys."""
        groups, held = names.temporary(), names.temporary()
        flow.loop.before.append(f"{groups} = {{}}")
        flow.block.add(f"if ({held} := {keys}) in {groups}: {groups}[{held}].append({made})")
        flow.block.add(f"else: {groups}[{held}] = [{made}]")
        return groups

    def _sums_in(self, flow: Flow, keys: str, made: str, names: Names) -> str:
        """The same with sums instead of the lists."""
        groups, held = names.temporary(), names.temporary()
        flow.loop.before.append(f"{groups} = {{}}")
        flow.block.add(f"if ({held} := {keys}) in {groups}: {groups}[{held}] += {made}")
        flow.block.add(f"else: {groups}[{held}] = 0 + {made}")
        return groups

    def _map_values(self, name: str, arguments: Arguments, names: Names) -> Code | None:
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
            return f"F_{name}({code}, {self.code(function, names)})", None
        inner = names.inner()
        group = inner.bind(function.params[0].name, kind=Items(kind.element))
        with self.region():
            body = self.code(function.body, inner)
        key, held = names.temporary(), names.temporary()
        made = f"{{{key}: {body} for {key}, {group.code} in {held}.items()}}"
        return f"(({held} := {code}), {made})[1]", "dict"

    def grouped_sums(self, grouped: tree.Expr, function: tree.Lambda, names: Names) -> tuple[str, str, str] | None:
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
        certain, element = self._elements(kind)
        if not certain:
            return None
        flow = self._flow_over(code, kind, (key, value), names)
        with self.inside(flow):
            keys = self._key(key, _with(key, flow, element, names))
            made, made_kind = self.emit(value.body, _with(value, flow, element, names))
        if self.use(made_kind, "num") != "num":
            return None
        values = names.temporary()
        if not SUMS_RUN:
            return self._group_in(flow, keys, made, names), values, fitted(f"sum({values})", names)
        return self._sums_in(flow, keys, made, names), values, fitted(values, names)

    def _summed(self, function: tree.Lambda, names: Names) -> tree.Lambda | None:
        """The `f` of a function that is `g => sum(map(g, f))`."""
        parameter = function.params[0].name
        summed = called(function.body, "sum", 1)
        mapped = called(summed[0], "map") if summed else None
        if mapped is None or _is_bound(names) or not is_loop(mapped[1], names):
            return None
        value = mapped[1]
        assert isinstance(value, tree.Lambda)
        return value if _is_name(mapped[0], parameter) and not _mentions(value, parameter) else None

    def replace_groups(self, groups: str, values: str, code: str, names: Names) -> None:
        """Put something in the place of each group."""
        assert self.block is not None
        name = names.temporary()
        self.block.add(f"for {name}, {values} in {groups}.items(): {groups}[{name}] = {code}")

    # ---- all others -------------------------------------------------------------------------

    def _direct(self, name: str, arguments: Arguments, names: Names) -> Code:
        """The library's function; its bare body when every argument has the declared type already."""
        declared = find(name)
        assert declared is not None
        emitted = [self.emit(argument, names) for argument in arguments]
        ready = [self._ready(declared, at, kind) for at, (_, kind) in enumerate(emitted)]
        codes = [code for code, _ in emitted]
        result = RESULTS.get(name)
        if name in _METHODS and ready == [True]:
            return f"{codes[0]}.{_METHODS[name]}()", result
        signature = declared.signature
        if all(ready) and signature.most is not None and signature.least <= len(codes) <= signature.most:
            self.constants[f"B_{name}"] = declared.body
            return f"B_{name}({', '.join(codes)})", result
        return f"F_{name}({', '.join(codes)})", result

    def _ready(self, declared: Function, at: int, kind: Kind) -> bool:
        parameters = declared.signature.parameters
        wanted = parameters[at].type if at < len(parameters) else None
        if wanted in (STRING, NUMBER):
            word = "str" if wanted == STRING else "num"
            found = self.use(kind, word) if isinstance(kind, Place) else kind
            self.escape(None if isinstance(kind, Place) else kind)
            return found == word
        self.escape(kind)
        return wanted is not None and coercer_of(wanted) is None


def _with(function: tree.Lambda, flow: Flow, element: Kind, names: Names) -> Names:
    """The names that a function sees whose parameter is an element of the flow."""
    inner = names.inner()
    inner.put(function.params[0].name, flow.element, element)
    return inner


def _looks_ahead(functions: tuple[tree.Lambda | None, ...], flow: Flow, names: Names) -> bool:
    """Whether functions name something that has no value yet where the flow is."""
    named = {node.name for function in functions if function for node in tree.walk(function.body)
             if isinstance(node, tree.Name)}  # fmt: skip
    found = [names.find(name) for name in named]
    return any(variable is not None and variable.since > flow.serial for variable in found)


def called(node: tree.Expr, name: str, count: int = 2) -> Arguments | None:
    """The arguments of a call of this function, piped or not."""
    call = node.target if isinstance(node, tree.Pipe) else node
    if not isinstance(call, tree.Call) or not _is_name(call.function, name):
        return None
    arguments = [node.value, *call.arguments] if isinstance(node, tree.Pipe) else call.arguments
    return arguments if len(arguments) == count else None


def _is_name(node: tree.Expr, name: str) -> bool:
    return isinstance(node, tree.Name) and node.name == name


def _mentions(node: tree.Expr, name: str) -> bool:
    return any(_is_name(inner, name) for inner in tree.walk(node))


def _is_bound(names: Names) -> bool:
    """Whether the program gives one of the fused functions' names a meaning of its own."""
    return any(names.find(name) is not None for name in ("sum", "map", "groupBy"))


_RULES: dict[tuple[str, int], Callable[[CallRules, str, Arguments, Names], Code | None]] = {
    ("map", 2): CallRules._walk,
    ("filter", 2): CallRules._walk,
    ("sum", 1): CallRules._sum,
    ("count", 1): CallRules._count,
    ("size", 1): CallRules._count,
    ("groupBy", 2): CallRules._group,
    ("mapValues", 2): CallRules._map_values,
}
