"""Typed code whose result is written as JSON at once: numbers come out of it as JSON shows them.

Whole doubles lose their fraction in JSON. Finding them in the text afterwards costs more than making the text; here
every number that enters the result is tested when it does. A result that has more to it than what the code can see
(a part of the input that may be an array or an object) is `Unready`, and goes the other way.
"""

from __future__ import annotations

from typing import Any

from rolltop.transform.compile.calls import is_loop
from rolltop.transform.compile.code import Code, Record, Var, last_of, listed, py
from rolltop.transform.compile.loops import called
from rolltop.transform.compile.operators import Fitted
from rolltop.transform.compile.places import Groups, Items, Kind
from rolltop.transform.compile.runtime import Surprise
from rolltop.transform.compile.scopes import CannotCompile, Names
from rolltop.transform.compile.totals import each_group
from rolltop.transform.compile.typed import TypedEmitter
from rolltop.transform.formats.plain import plain
from rolltop.transform.formats.plain import whole as double
from rolltop.transform.syntax import tree
from rolltop.transform.values import INT_MAX, INT_MIN, fit

__all__ = ["Ready", "Unready", "Whole", "WrittenEmitter"]

_TEXT = "_text"
_SURE = frozenset({"str", "bool"})
_CONTAINERS = frozenset({"list", "dict", "record"})


class Unready(Surprise):
    """A value inside of which there may be numbers."""


def whole(number: int | float) -> int | float | None:
    """A calculated number as JSON shows it."""
    number = fit(number)
    return number if type(number) is int else double(number)


def ready(value: Any) -> Any:
    """A scalar as JSON has it."""
    if isinstance(value, (list, dict)):
        raise Unready
    return plain(value)


class WrittenEmitter(TypedEmitter):
    """The typed emitter with its own ways where the result is made."""

    def answer(self, names: Names) -> Code:
        self.constants.update(READY=ready, WHOLE=whole)
        return self.written(self.program.body, names)

    def written(self, node: tree.Expr, names: Names) -> Code:
        """Code of a part of the result."""
        if isinstance(node, (tree.Sequence, tree.Block)):
            return self._after_bindings(node, names)
        if isinstance(node, tree.ObjectLiteral) and all(_is_plain(entry) for entry in node.entries):
            return self._written_object(node, names)
        if isinstance(node, tree.ArrayLiteral) and not any(isinstance(item, tree.Spread) for item in node.items):
            return py("[{}]", listed(self.written(item, names) for item in node.items))
        if isinstance(node, tree.If):
            return self._written_if(node, names)
        if isinstance(node, tree.Match):
            return self.matched(node, lambda body, inner: (self.written(body, inner), None), names)[0]
        if isinstance(node, tree.Try):
            return self.tried(node, self.written, names)
        return self._made_here(node, names) or self._leaf(node, names)

    def _after_bindings(self, node: tree.Sequence | tree.Block, names: Names) -> Code:
        inner = names.inner() if isinstance(node, tree.Block) else names
        items = [node.value] if isinstance(node, tree.Block) else node.items
        if not items:
            raise CannotCompile("a result without an expression")
        parts = self._bound(node.bindings, inner)
        parts += [self.code(item, inner) for item in items[:-1]]
        return last_of([*parts, self.written(items[-1], inner)])

    def _written_object(self, node: tree.ObjectLiteral, names: Names) -> Code:
        inner = names.inner()
        parts = self._bound(node.bindings, inner)
        made = Record([(entry.key, self.written(entry.value, inner)) for entry in node.entries])
        return last_of([*parts, made])

    def _written_if(self, node: tree.If, names: Names) -> Code:
        condition = self.truth(node.condition, names)
        with self.region():
            then = self.written(node.then, names)
        with self.region():
            otherwise = self.written(node.otherwise, names) if node.otherwise is not None else Code("None")
        return py("({} if {} else {})", then, condition, otherwise)

    # ---- arrays and groups that are made for the result ---------------------------------------

    def _made_here(self, node: tree.Expr, names: Names) -> Code | None:
        """Code of an array or of sums by group, if the node is one of these."""
        makers = {"map": self._written_array, "flatMap": self._written_parts, "mapValues": self._written_groups}
        for name, make in makers.items():
            arguments = called(node, name)
            if arguments is not None and names.find(name) is None and is_loop(arguments[1], names):
                function = arguments[1]
                assert isinstance(function, tree.Lambda)
                return make(arguments[0], function, names)
        return None

    def _written_array(self, array: tree.Expr, function: tree.Lambda, names: Names) -> Code:
        return self.walk("map", array, function, lambda body, inner: (self.written(body, inner), None), names)[0]

    def _written_parts(self, array: tree.Expr, function: tree.Lambda, names: Names) -> Code | None:
        if self.block is None:
            return None
        return self.flatten(array, function, lambda body, inner: (self.written(body, inner), None), names)[0]

    def _written_groups(self, grouped: tree.Expr, function: tree.Lambda, names: Names) -> Code | None:
        """`groupBy(xs, k) |> mapValues(f)`."""
        if names.find("groupBy") is not None or called(grouped, "groupBy") is None:
            return None
        self.constants["UNTEXT"] = plain
        fused = self.grouped_sums(grouped, function, names)
        if fused is not None:
            groups, values, total = fused
            # Sums that are doubles with a fraction, as most are, stay where they are.
            other = py("{}.__class__ is not float or {}.is_integer()", values, values)
            self.replace_groups(groups, values, _number(total, names), names, where=other)
            return py("({} if {} not in {} else UNTEXT({}))", groups, repr(_TEXT), groups, groups)
        made = self._each_group(grouped, function, names)
        if made is None:
            return None
        held = names.temporary()
        return py("({} if {} not in {} else UNTEXT({}))", held, repr(_TEXT), held.bind(made), held)

    def _each_group(self, grouped: tree.Expr, function: tree.Lambda, names: Names) -> Code | None:
        code, kind = self.emit(grouped, names)
        if not isinstance(kind, Groups):
            self.escape(kind)
            return None
        inner = names.inner()
        group = inner.bind(function.params[0].name, kind=Items(kind.element))
        with self.region():
            body = self.written(function.body, inner)
        return each_group(code, group.code, body, names)

    # ---- single values ------------------------------------------------------------------------

    def _leaf(self, node: tree.Expr, names: Names) -> Code:
        code, kind = self.emit(node, names)
        self.escape(kind)
        if kind in _SURE or _is_sure_array(kind):
            return code
        if kind == "num":
            return _number(code, names)
        if isinstance(kind, (Items, Groups)) or kind in _CONTAINERS or getattr(kind, "form", None) in _CONTAINERS:
            raise CannotCompile("the result has arrays or objects that are made elsewhere")
        return Ready(names.temporary(), code)


class Ready(Code):
    """A scalar as JSON has it; a text is not asked."""

    __slots__ = ("value",)

    def __init__(self, held: Var, value: Code) -> None:
        super().__init__("(", held, " if ", held.bind(value), ".__class__ is str else READY(", held, "))")
        self.value = value


class Whole(Code):
    """A number as JSON shows it: the first test finds the doubles that are not whole."""

    __slots__ = ("bare",)

    def __init__(self, held: Var, bare: Code) -> None:
        """`bare` is the number as it was calculated; `held` itself when that is where it is."""
        first = bare if bare is held else held.bind(bare)
        # A remainder by 1 would do for both kinds, but the division behind it takes as long as all the rest.
        broken = py("{}.__class__ is float and not {}.is_integer()", first, held)
        integer = py(f"{{}}.__class__ is int and {INT_MIN} <= {{}} <= {INT_MAX}", held, held)
        super().__init__("(", held, " if ", broken, " or ", integer, " else WHOLE(", held, "))")
        self.bare = bare


def _number(code: Code, names: Names) -> Code:
    if isinstance(code, Var):
        return Whole(code, code)
    if isinstance(code, Fitted):
        return Whole(code.held, code.bound.value)
    return Whole(names.temporary(), code)


def _is_sure_array(kind: Kind) -> bool:
    return isinstance(kind, Items) and kind.element in _SURE


def _is_plain(entry: tree.Entry) -> bool:
    return entry.kind == "property" and entry.key != _TEXT
