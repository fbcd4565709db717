"""Code of calls where kinds are known: loops without tests, sums and groups in place, bare library bodies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from rolltop.transform.compile.calls import RESULTS, is_loop
from rolltop.transform.compile.emitter import Code, Emitter
from rolltop.transform.compile.places import Groups, Items, Kind, Place
from rolltop.transform.compile.scopes import Names
from rolltop.transform.stdlib.coerce import coercer_of
from rolltop.transform.stdlib.declare import Function
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.types import NUMBER, STRING

__all__ = ["CallRules"]

_METHODS = {"upper": "upper", "lower": "lower"}
Arguments = list[tree.Expr]


class CallRules(Emitter):
    """The part of the typed emitter that deals with calls."""

    rewritten: dict[int, tree.Expr]

    def known(self, place: Place) -> Kind:
        raise NotImplementedError

    def escape(self, kind: Kind) -> None:
        raise NotImplementedError

    def use(self, kind: Kind, word: str) -> Kind:
        raise NotImplementedError

    def region(self) -> AbstractContextManager[None]:
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
        """`map` and `filter` as comprehensions; a filter inside a map is its condition."""
        function = arguments[1]
        if not is_loop(function, names):
            return None
        assert isinstance(function, tree.Lambda)
        inside = _called(arguments[0], "filter") if name == "map" and not names.find("filter") else None
        if inside is not None and is_loop(inside[1], names):
            assert isinstance(inside[1], tree.Lambda)
            return self._loop_over(inside[0], inside[1], function, names)
        if name == "map":
            return self._loop_over(arguments[0], None, function, names)
        return self._loop_over(arguments[0], function, None, names)

    def _loop_over(
        self, array: tree.Expr, condition: tree.Lambda | None, function: tree.Lambda | None, names: Names
    ) -> Code:
        code, kind = self.emit(array, names)
        certain, element = self._elements(kind)
        inner = names.inner()
        first = condition or function
        assert first is not None
        item = inner.bind(first.params[0].name, kind=element)
        with self.region():
            test = f" if {self.truth(condition.body, inner)}" if condition is not None else ""
            if function is not None:
                body = inner.inner()
                body.variables[function.params[0].name] = item
                made, made_kind = self.emit(function.body, body)
            else:
                made, made_kind = item.code, element
        guard = "" if certain else "OA" if condition is not None else "AR"
        return self._comprehension(f"{made} for {item.code}", code, guard, test, names), Items(made_kind)

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
            held = names.temporary()
            return f"({held} if type({held} := sum({code})) is float else FIT({held}))", "num"
        self.escape(kind)
        return f"F_{name}({code})", "num"

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
        held = names.temporary()
        array = f"({held} := {code})" if certain else f"({held} := AR({code}))"
        return f"GROUP({array}, {self._keys(held, element, key, names)})", Groups(element)

    def _keys(self, array: str, element: Kind, key: tree.Lambda, names: Names) -> str:
        inner = names.inner()
        item = inner.bind(key.params[0].name, kind=element)
        with self.region():
            code, kind = self.emit(key.body, inner)
        if self.use(kind, "str") != "str":
            self.escape(kind)
            code = f"KEY({code})"
        return f"[{code} for {item.code} in {array}]"

    def _map_values(self, name: str, arguments: Arguments, names: Names) -> Code | None:
        function = arguments[1]
        if not is_loop(function, names) or _called(arguments[0], "groupBy") is None or names.find("groupBy"):
            return None
        assert isinstance(function, tree.Lambda)
        with self.region():
            fused = self._grouped_sums(arguments[0], function, names)
        if fused is not None:
            return fused
        code, kind = self.emit(arguments[0], names)
        if not isinstance(kind, Groups):
            self.escape(kind)
            return f"F_{name}({code}, {self.code(function, names)})", None
        inner = names.inner()
        group = inner.bind(function.params[0].name, kind=Items(kind.element))
        with self.region():
            body = self.code(function.body, inner)
        key = names.temporary()
        return self._dict_of(f"{key}: {body}", f"{key}, {group.code}", code, names), "dict"

    def _dict_of(self, made: str, targets: str, groups: str, names: Names) -> str:
        held = names.temporary()
        return f"(({held} := {groups}), {{{made} for {targets} in {held}.items()}})[1]"

    def _grouped_sums(self, grouped: tree.Expr, function: tree.Lambda, names: Names) -> Code | None:
        """`groupBy(xs, k) |> mapValues(g => sum(map(g, f)))`: the values are grouped, not the elements."""
        array, key = _called(grouped, "groupBy") or (grouped, function)
        summed = _called(function.body, "sum", 1)
        mapped = _called(summed[0], "map") if summed else None
        if mapped is None or not is_loop(key, names) or not is_loop(mapped[1], names) or _is_bound(names):
            return None
        if not _is_name(mapped[0], function.params[0].name) or _mentions(mapped[1], function.params[0].name):
            return None
        assert isinstance(key, tree.Lambda)
        values = self.rewritten.setdefault(
            id(function), tree.Call(grouped.at, tree.Name(grouped.at, "map"), [array, mapped[1]])
        )
        array_code, kind = self.emit(array, names)
        certain, element = self._elements(kind)
        if not certain:
            return None
        held = names.temporary()
        keys = self._keys(held, element, key, names)
        value_code, value_kind = self.emit(values, names)
        if not isinstance(value_kind, Items) or self.use(value_kind.element, "num") != "num":
            return None
        name, total, value = names.temporary(), names.temporary(), names.temporary()
        entry = f"{name}: {total} if type({total} := sum({value})) is float else FIT({total})"
        groups = f"(({held} := {array_code}), GROUP({value_code}, {keys}))[1]"
        return self._dict_of(entry, f"{name}, {value}", groups, names), "dict"

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


def _called(node: tree.Expr, name: str, count: int = 2) -> Arguments | None:
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
