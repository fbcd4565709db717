"""Code for input that a typed decoder has read: attributes instead of lookups, no tests of what is proved.

The program is emitted twice. The first time finds the places of the input and what they are used as
(`places`), and which subexpressions come again (`sharing`); the code is thrown away. The second time the
forms are known. A value of the decoder's own types must never get where the general code could look at
it: `escape` says that one does, which makes its place an ordinary value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from rolltop.transform.compile.blocks import Flow
from rolltop.transform.compile.code import Code, Field, Var, last_of, py
from rolltop.transform.compile.common_values import Regions, key_of
from rolltop.transform.compile.emitter import Emitted, Make
from rolltop.transform.compile.inlining import has_pure_functions, inlined_functions
from rolltop.transform.compile.operators import OperatorRules
from rolltop.transform.compile.places import Groups, Items, Kind, Place
from rolltop.transform.compile.python import finished
from rolltop.transform.compile.routine import Block, Let, Routine
from rolltop.transform.compile.scopes import CannotCompile, Names, Variable
from rolltop.transform.compile.typed_calls import CallRules
from rolltop.transform.run.access import TEXT
from rolltop.transform.syntax import tree

__all__ = ["TypedEmitter"]

_SIMPLE = frozenset({"num", "str", "bool"})


class TypedEmitter(OperatorRules, CallRules):
    """Emits one program of one input, whose root is a `Place`."""

    def __init__(self, program: tree.Program, root: Place, shared: set[int]) -> None:
        super().__init__(program, plain=True)
        self.root = root
        self.shared = shared
        self.regions = Regions()
        self.block = Block()
        self.inlined = inlined_functions(program)
        self.sharing = has_pure_functions(program)
        self.lenient = 0
        """Above zero where null is expected, as on the left of `??`."""
        self._aliasing = True
        self.counter = count(1)

    @property
    def settled(self) -> bool:
        return self.root.form is not None

    def routine(self) -> Routine:
        names = Names(counter=self.counter)
        ports = self.program.header.inputs
        variable = names.bind(ports[0].name, kind=self.root)
        names.variables["input"] = variable
        block = self.block = Block()
        code = self.answer(names)
        return finished(Routine([variable.code.name], block, code))

    def answer(self, names: Names) -> Code:
        """Code of the program's value."""
        return self.code(self.program.body, names)

    # ---- kinds ------------------------------------------------------------------------------

    def known(self, place: Place) -> Kind:
        """What an expression may rely on about a place: itself while it is being found out, then its form."""
        if place.form in ("num", "str"):
            return place.form if place.required else place
        return None if place.form == "any" else place

    def escape(self, kind: Kind) -> None:
        """The value gets where anything may be done with it."""
        if isinstance(kind, (Items, Groups)):
            self.escape(kind.element)
        elif isinstance(kind, Place):
            if not kind.is_plain():
                raise CannotCompile("a typed value where none was expected")
            kind.uses.add("any")

    def use(self, kind: Kind, word: str) -> Kind:
        """The value is used as a number (`num`), text (`str`), or one of these or null; what is proved of it."""
        if isinstance(kind, Place):
            if kind.form is None:
                kind.uses.add(word)
                return word.rstrip("?")
            if kind.form in ("record", "list"):
                raise CannotCompile("a typed value where none was expected")
            return kind.form if word == f"{kind.form}?" else None
        return kind if isinstance(kind, str) else None

    # ---- regions and sharing ----------------------------------------------------------------

    @contextmanager
    def region(self) -> Iterator[None]:
        """Code that may not run, or runs more than once."""
        block, self.block = self.block, None
        self.regions.enter()
        yield
        self.regions.leave()
        self.block = block

    @contextmanager
    def inside(self, flow: Flow) -> Iterator[None]:
        """Code that is added to the block of a flow."""
        block, self.block = self.block, flow.block
        left = self.regions.swap(flow.at_hand)
        yield
        self.regions.swap(left)
        self.block = block

    def emit(self, node: tree.Expr, names: Names) -> Emitted:
        key = key_of(node, names) if self.sharing else None
        if key is None:
            return super().emit(node, names)
        found = self.regions.find(key)
        if found is not None:
            self.shared.add(found[0])
            return found[1], found[2]
        code, kind = super().emit(node, names)
        if not self.settled or isinstance(code, Var):
            self.regions.add(key, (id(node), code, kind))
        elif id(node) in self.shared:
            held = names.temporary()
            self.regions.add(key, (id(node), held, kind))
            if self.block is None:
                return held.bind(code), kind
            # A statement: code that is added before this expression may ask for it.
            self.block.add(Let(held, code))
            return held, kind
        return code, kind

    def code(self, node: tree.Expr, names: Names) -> Code:
        code, kind = self.emit(node, names)
        self.escape(kind)
        return code

    def truth(self, node: tree.Expr, names: Names) -> Code:
        code, kind = self.emit(node, names)
        if kind == "bool":
            return code
        if isinstance(kind, Place) and kind.form in (None, "record", "list"):
            return py("({} is not None)", code)
        return py("({} != 0)" if kind == "num" else "({} != '')" if kind == "str" else "TRUE({})", code)

    # ---- constructs that the general rules would let a typed value out of --------------------

    def assign(self, variable: Variable, value: Code) -> list[Code]:
        if self.block is None:
            return super().assign(variable, value)
        variable.since = next(self.counter)
        if self._aliasing and isinstance(value, Var):
            variable.code = value
        else:
            self.block.add(Let(variable.code, value))
        return []

    def _bound(self, bindings: list[tree.Let | tree.FunctionDef], names: Names) -> list[Code]:
        for item in bindings:
            if isinstance(item, tree.FunctionDef) and id(item) in self.inlined:
                names.bind(item.name, len(item.params)).definition = item, names
        bindings = [item for item in bindings if id(item) not in self.inlined]
        functions = [item for item in bindings if isinstance(item, tree.FunctionDef)]
        # The code of functions, which comes first, has the names of the variables already.
        aliasing, self._aliasing = self._aliasing, not functions
        parts = super()._bound(bindings, names)
        self._aliasing = aliasing
        # Functions are emitted before the bindings they may name, and know nothing of their kinds.
        for named in {n.name for item in functions for n in tree.walk(item.body) if isinstance(n, tree.Name)}:
            variable = names.variables.get(named)
            if variable is not None:
                self.escape(variable.kind)
        return parts

    def _call(self, target: tree.Expr, arguments: list[tree.Expr], names: Names) -> Emitted:
        variable = names.find(target.name) if isinstance(target, tree.Name) else None
        if variable is None or variable.definition is None:
            return super()._call(target, arguments, names)
        function, scope = variable.definition
        inner = scope.inner()
        parts: list[Code] = []
        for param, argument in zip(function.params, arguments, strict=True):
            code, kind = self.emit(argument, names)
            parts += self.assign(inner.bind(param.name, kind=kind), code)
        body, kind = self.emit(function.body, inner)
        return last_of([*parts, body]), kind

    def _function_code(
        self, params: list[tree.Param], body: tree.Expr, names: Names, counter: Code | None = None
    ) -> Code:
        with self.region():
            return super()._function_code(params, body, names, counter)

    def _if(self, node: tree.If, names: Names) -> Emitted:
        condition = self.truth(node.condition, names)
        with self.region():
            then, kind = self.emit(node.then, names)
        otherwise, other_kind = Code("None"), None
        with self.region():
            if node.otherwise is not None:
                otherwise, other_kind = self.emit(node.otherwise, names)
        if kind is not other_kind and kind != other_kind:
            self.escape(kind)
            self.escape(other_kind)
            kind = None
        return py("({} if {} else {})", then, condition, otherwise), kind

    def _match(self, node: tree.Match, names: Names) -> Emitted:
        return self.matched(node, self._simple, names)

    def matched(self, node: tree.Match, make: Make, names: Names) -> Emitted:
        with self.region():
            return super().matched(node, make, names)

    def _case(self, case: tree.Case, subject: Var, make: Make, names: Names) -> tuple[Code, Emitted]:
        with self.region():  # only one of the bodies runs, and not every test
            return super()._case(case, subject, make, names)

    def _simple(self, node: tree.Expr, names: Names) -> Emitted:
        """Code of a number, text or truth with its kind, and of anything else without."""
        code, kind = self.emit(node, names)
        if kind in _SIMPLE:
            return code, kind
        self.escape(kind)
        return code, None

    def tried(self, node: tree.Try, make: Callable[[tree.Expr, Names], Code], names: Names) -> Code:
        with self.region():
            return super().tried(node, make, names)

    def _half(self, node: tree.Expr, make: Callable[[tree.Expr, Names], Code], names: Names) -> Code:
        with self.region():  # a function of its own, whose variables the other one does not see
            return super()._half(node, make, names)

    def _index(self, node: tree.Index, names: Names) -> Emitted:
        with self.region():
            return super()._index(node, names)

    # ---- access -----------------------------------------------------------------------------

    def _name(self, node: tree.Name, names: Names) -> Emitted:
        code, kind = super()._name(node, names)
        return code, self.known(kind) if isinstance(kind, Place) else kind

    def _member(self, node: tree.Member, names: Names) -> Emitted:
        self.lenient += node.safe
        target, kind = self.emit(node.target, names)
        self.lenient -= node.safe
        if not isinstance(kind, Place) or node.kind != "property" or node.name in TEXT or kind.form in ("num", "str"):
            self.escape(kind)
            return self.member_of((target, None if isinstance(kind, Place) else kind), node, names)
        if kind.form == "list":
            raise CannotCompile("a property of an array")
        if not self.lenient:
            kind.required = kind.required or kind.form is None
        inner = kind.field(node.name)
        return self._attribute(target, kind, inner, names), self.known(inner)

    def _attribute(self, target: Code, place: Place, inner: Place, names: Names) -> Code:
        if place.required or not place.attribute:  # the root and elements of arrays are never null
            return Field(target, inner.attribute)
        held = names.temporary()
        return py("({} if {} is not None else None)", Field(held, inner.attribute), held.bind(target))
