"""Tree to Python: every construct becomes one Python expression; a program becomes one function.

`emit` gives the code and the *kind* of its value when that is certain (`num`, `str`, `bool`, `list`,
`dict`), which lets the code around it leave checks out. Operands are evaluated once, left to right,
into temporaries.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cached_property
from typing import Any

from rolltop.transform.compile.calls import CallEmitter
from rolltop.transform.compile.code import Code, Record, Text, Var, compared, last_of, listed, logical, py
from rolltop.transform.compile.routine import Block, Let, Routine
from rolltop.transform.compile.scopes import DECIMALS, CannotCompile, Names, Variable
from rolltop.transform.run.recursion import COUNTER, recursive_functions
from rolltop.transform.syntax import tree

__all__ = ["Emitted", "Emitter", "Make", "default"]

Emitted = tuple[Code, Any]
"""An expression and the kind of its value."""
Make = Callable[[tree.Expr, Names], Emitted]
_ARITHMETIC = {"-": "SUB", "*": "MUL", "/": "DIV", "%": "MOD", "**": "POW"}
_COMPARE = {"<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}


class Emitter(CallEmitter):
    """Emits one program. `plain` promises that no value is an XML element."""

    def __init__(self, program: tree.Program, *, plain: bool) -> None:
        super().__init__(plain=plain)
        self.program = program

    @cached_property
    def recursive(self) -> frozenset[int]:
        """The ids of the functions that call themselves; few programs have any functions."""
        return recursive_functions(self.program)

    def routine(self) -> Routine:
        """The function `run(inputs)`."""
        names, block = Names(), Block()
        self.bind_inputs(names, block)
        return Routine(["inputs"], block, self._sequence(self.program.body, names)[0])

    def bind_inputs(self, names: Names, block: Block) -> None:
        """A variable for every input."""
        ports = [port.name for port in self.program.header.inputs]
        for name in dict.fromkeys([*ports, "input"]):
            block.add(Let(names.bind(name).code, Code(f"inputs[{name!r}]")))

    def emit(self, node: tree.Expr, names: Names) -> Emitted:
        rule = _RULES.get(type(node))
        if rule is None:
            raise CannotCompile(type(node).__name__)
        emitted: Emitted = getattr(self, rule)(node, names)
        return emitted

    def code(self, node: tree.Expr, names: Names) -> Code:
        return self.emit(node, names)[0]

    def truth(self, node: tree.Expr, names: Names) -> Code:
        """Code of a Python truth value."""
        code, kind = self.emit(node, names)
        return code if kind == "bool" else py("TRUE({})", code)

    # ---- names and bindings -----------------------------------------------------------------

    def _literal(self, node: tree.Literal, names: Names) -> Emitted:
        value = node.value
        if value is None or isinstance(value, bool):
            return Code(repr(value)), "bool" if value is not None else None
        if isinstance(value, str):
            return Text(value), "str"
        if isinstance(value, Decimal):
            raise CannotCompile(DECIMALS)
        text = repr(value).replace("inf", "INF")
        return Code(f"({text})" if text.startswith("-") else text), "num"

    def _name(self, node: tree.Name, names: Names) -> Emitted:
        variable = names.find(node.name)
        if variable is not None:
            return variable.code, variable.kind
        return self.library(node.name), None

    def _let(self, node: tree.Let, names: Names) -> Emitted:
        if node.body is None:
            raise CannotCompile("a let as an operand")
        value, kind = self.emit(node.value, names)
        inner = names.inner()
        variable = inner.bind(node.name, self.arity(node.value), kind)
        assigned = self.assign(variable, value)
        body, body_kind = self.emit(node.body, inner)
        return last_of([*assigned, body]), body_kind

    def assign(self, variable: Variable, value: Code) -> list[Code]:
        """Code that gives a variable its value; none when that was done elsewhere."""
        return [variable.code.bind(value)]

    def arity(self, node: tree.Expr) -> int | None:
        return len(node.params) if isinstance(node, (tree.Lambda, tree.FunctionDef)) else None

    def _bound(self, bindings: list[tree.Let | tree.FunctionDef], names: Names) -> list[Code]:
        """Walrus assignments for bindings: functions first, as the evaluator does."""
        functions = [item for item in bindings if isinstance(item, tree.FunctionDef)]
        lets = [item for item in bindings if isinstance(item, tree.Let)]
        for function in functions:
            names.bind(function.name, len(function.params))
        if len({item.name for item in bindings}) != len(bindings):
            raise CannotCompile("a name bound twice in one place")
        # Bodies of functions see names that are bound below them.
        later = {item.name: names.variables.get(item.name) for item in lets}
        for let in lets:
            names.bind(let.name)
        parts: list[Code] = []
        counter = names.find(COUNTER)
        if counter is None and any(id(function) in self.recursive for function in functions):
            counter = names.bind(COUNTER)
            parts += self.assign(counter, Code("[0]"))
        for function in functions:
            variable = names.find(function.name)
            assert variable is not None
            counted = counter.code if counter is not None and id(function) in self.recursive else None
            parts += self.assign(variable, self._function_code(function.params, function.body, names, counted))
        declared = {name: names.variables.pop(name) for name, before in later.items() if before is None}
        for let in lets:
            value, kind = self.emit(let.value, names)
            variable = declared.get(let.name) or names.bind(let.name)
            if let.name not in names.variables:
                names.variables[let.name] = variable
                variable.arity, variable.kind = self.arity(let.value), kind
            parts += self.assign(variable, value)
        return parts

    def _function_code(
        self, params: list[tree.Param], body: tree.Expr, names: Names, counter: Code | None = None
    ) -> Code:
        """A function; `counter` holds how often those that call themselves are inside each other."""
        inner = names.inner()
        variables = {param.name: inner.bind(param.name).code for param in params}
        if len(variables) != len(params):
            raise CannotCompile("two parameters of one name")
        code = self.code(body, inner)
        if counter is not None:
            code = py("LEAVE({}, ENTER({}), {})", counter, counter, code)
        return py("(lambda {}: {})", listed(variable.target for variable in variables.values()), code)

    def _lambda(self, node: tree.Lambda, names: Names) -> Emitted:
        return self._function_code(node.params, node.body, names), None

    def _sequence(self, node: tree.Sequence, names: Names) -> Emitted:
        parts = self._bound(node.bindings, names)
        items = [self.emit(item, names) for item in node.items or _last_bound(node)]
        if not items:
            return Code("None"), None
        return last_of([*parts, *(code for code, _ in items)]), items[-1][1]

    def _block(self, node: tree.Block, names: Names) -> Emitted:
        inner = names.inner()
        parts = self._bound(node.bindings, inner)
        value, kind = self.emit(node.value, inner)
        return last_of([*parts, value]), kind

    # ---- construction -----------------------------------------------------------------------

    def _array(self, node: tree.ArrayLiteral, names: Names) -> Emitted:
        items = [
            py("*SA({})", self.code(item.value, names)) if isinstance(item, tree.Spread) else self.code(item, names)
            for item in node.items
        ]
        return py("[{}]", listed(items)), "list"

    def _object(self, node: tree.ObjectLiteral, names: Names) -> Emitted:
        parts: list[Code] = []
        if node.bindings:
            names = names.inner()
            parts = self._bound(node.bindings, names)
        kinds = {entry.kind for entry in node.entries}
        if kinds & {"attribute", "computed"}:
            return last_of([*parts, self._built(node, names)]), None
        if "spread" not in kinds:
            made: Code = Record([(entry.key, self.code(entry.value, names)) for entry in node.entries])
        else:
            entries = [
                Code(*(("**SO(", value, ")") if entry.kind == "spread" else (f"{entry.key!r}: ", value)))
                for entry in node.entries
                for value in [self.code(entry.value, names)]
            ]
            made = Code("{", listed(entries), "}")
        return last_of([*parts, made]), "dict"

    def _built(self, node: tree.ObjectLiteral, names: Names) -> Code:
        rows = []
        for entry in node.entries:
            key = self.code(entry.key_expr, names) if entry.key_expr is not None else Code(repr(entry.key))
            rows.append(py("({}, {}, {})", repr(entry.kind), key, self.code(entry.value, names)))
        return py("BUILD([{}])", listed(rows))

    # ---- choice -----------------------------------------------------------------------------

    def _if(self, node: tree.If, names: Names) -> Emitted:
        condition = self.truth(node.condition, names)
        then, kind = self.emit(node.then, names)
        otherwise, other_kind = self.emit(node.otherwise or _NULL, names)
        return py("({} if {} else {})", then, condition, otherwise), kind if kind == other_kind else None

    def _match(self, node: tree.Match, names: Names) -> Emitted:
        return self.matched(node, lambda body, inner: (self.code(body, inner), None), names)

    def matched(self, node: tree.Match, make: Make, names: Names) -> Emitted:
        """The first case that fits; `make` gives what its body becomes."""
        subject = names.temporary()
        held = subject.bind(self.code(node.subject, names))
        # In the order in which they are tried: code of one case may only rely on what ran before it.
        cases = [self._case(case, subject, make, names.inner()) for case in node.cases]
        code = Code("NOCASE()")
        for test, (body, _) in reversed(cases):
            code = py("{} if {} else {}", body, test, code)
        kinds = {kind if isinstance(kind, str) else None for _, (_, kind) in cases}
        return py("({}, ({}))[1]", held, code), kinds.pop() if len(kinds) == 1 else None

    def _case(self, case: tree.Case, subject: Var, make: Make, names: Names) -> tuple[Code, Emitted]:
        return self._case_test(case, subject, names), make(case.body, names)

    def _case_test(self, case: tree.Case, subject: Var, names: Names) -> Code:
        if isinstance(case.pattern, tree.Literal):
            test = self._equality("==", (None, subject), (case.pattern, self.code(case.pattern, names)))
        elif isinstance(case.pattern, tree.Name):
            test = py("{} is {}", names.bind(case.pattern.name).code.bind(subject), subject)
        else:
            test = Code("True")
        return test if case.guard is None else py("{} and {}", test, self.truth(case.guard, names))

    def _try(self, node: tree.Try, names: Names) -> Emitted:
        return self.tried(node, self.code, names), None

    def tried(self, node: tree.Try, make: Callable[[tree.Expr, Names], Code], names: Names) -> Code:
        """The body, or the handler when it fails; `make` gives what they become."""
        body = self._half(node.body, make, names.inner())
        inner = names.inner()
        message = inner.bind(node.name or "_unnamed error", kind="str").code.target
        counter = names.find(COUNTER)
        handler = py("lambda {}: {}", message, self._half(node.handler, make, inner))
        halves = [py("lambda: {}", body), handler]
        return py("TRY({})", listed(halves if counter is None else [*halves, counter.code]))

    def _half(self, node: tree.Expr, make: Callable[[tree.Expr, Names], Code], names: Names) -> Code:
        return make(node, names)

    # ---- operators --------------------------------------------------------------------------

    def _unary(self, node: tree.Unary, names: Names) -> Emitted:
        if node.op == "!":
            return py("(not {})", self.truth(node.operand, names)), "bool"
        return py("NEG({})", self.code(node.operand, names)), "num"

    def _binary(self, node: tree.Binary, names: Names) -> Emitted:
        op = node.op
        if op in ("&&", "||"):
            return logical(op, self.truth(node.left, names), self.truth(node.right, names)), "bool"
        left, left_kind = self.emit(node.left, names)
        right, right_kind = self.emit(node.right, names)
        if op == "??":
            return default(left, right, names), None
        if op in ("==", "!="):
            return self._equality(op, (node.left, left), (node.right, right)), "bool"
        if op == "+":
            return self._plus((left, left_kind), (right, right_kind), names)
        if op in _ARITHMETIC:
            return self._arithmetic(op, (left, left_kind), (right, right_kind), names), "num"
        return self._order(op, (left, left_kind), (right, right_kind), names), "bool"

    def _equality(self, op: str, left: tuple[tree.Expr | None, Code], right: tuple[tree.Expr, Code]) -> Code:
        """Against a constant, Python's own comparison says the same (elements aside)."""
        constant = right[0].value if isinstance(right[0], tree.Literal) else _ABSENT
        if self.plain and not isinstance(left[0], tree.Literal):
            if constant is None:
                return py("({} {} None)", left[1], "is" if op == "==" else "is not")
            if isinstance(constant, str) or (type(constant) in (int, float) and constant not in (0, 1)):
                return compared(op, left[1], right[1])
        return py("{}({}, {})", "EQ" if op == "==" else "NE", left[1], right[1])

    def _plus(self, left: Emitted, right: Emitted, names: Names) -> Emitted:
        a, b = names.temporary(), names.temporary()
        if left[1] == right[1] == "str":
            return py("({} + {})", left[0], right[0]), "str"
        if left[1] == "str":
            if not isinstance(left[0], Text):
                return py("ADD({}, {})", left[0], right[0]), "str"
            test = py("type({}) is str", b.bind(right[0]))
            return py("({} + {} if {} else ADD({}, {}))", left[0], b, test, left[0], b), "str"
        if isinstance(right[0], Text):
            test = py("type({}) is str", a.bind(left[0]))
            return py("({} + {} if {} else ADD({}, {}))", a, right[0], test, a, right[0]), "str"
        same = py("(type({}) is type({})) and type({}) in STRFLOAT", a.bind(left[0]), b.bind(right[0]), a)
        fast = py("({} + {} if {} else ADD({}, {}))", a, b, same, a, b)
        return fast, "num" if left[1] == right[1] == "num" else None

    def _arithmetic(self, op: str, left: Emitted, right: Emitted, names: Names) -> Code:
        helper = _ARITHMETIC[op]
        if op not in ("-", "*"):
            return py("{}({}, {})", helper, left[0], right[0])
        a, b, r = names.temporary(), names.temporary(), names.temporary()
        numbers = _numbers((a, *left), (b, *right))
        fast = py("({} if type({}) is float else FIT({}))", r, r.bind(py("{} {} {}", a, op, b)), r)
        return py("({} if {} else {}({}, {}))", fast, numbers, helper, a, b)

    def _order(self, op: str, left: Emitted, right: Emitted, names: Names) -> Code:
        a, b = names.temporary(), names.temporary()
        numbers = _numbers((a, *left), (b, *right))
        return py("({} {} {} if {} else {}({}, {}))", a, op, b, numbers, _COMPARE[op], a, b)

    # ---- access -----------------------------------------------------------------------------

    def _member(self, node: tree.Member, names: Names) -> Emitted:
        return self.member_of(self.emit(node.target, names), node, names)

    def member_of(self, of: Emitted, node: tree.Member, names: Names) -> Emitted:
        target, kind = of
        if node.kind in ("values", "attributes") and not node.safe:
            return py("{}({})", "VALUES" if node.kind == "values" else "ATTRS", target), "list"
        name = repr(node.name)
        if node.kind != "property":
            rule = {"attribute": "ATTR", "metadata": "META"}.get(node.kind)
            if rule is None:
                raise CannotCompile("a guarded wildcard")
            return py(f"GUARDED({{}}, {rule}, {{}})" if node.safe else f"{rule}({{}}, {{}})", target, name), None
        helper = "SAFE" if node.safe else "PROP"
        if not self.plain:
            return py("{}({}, {})", helper, target, name), None
        if kind == "dict":
            return py("{}.get({})", target, name), None
        held = names.temporary()
        test = py("type({}) is dict", held.bind(target))
        return py("({}.get({}) if {} else {}({}, {}))", held, name, test, helper, held, name), None

    def _index(self, node: tree.Index, names: Names) -> Emitted:
        target = self.code(node.target, names)
        index = self.code(node.index, names)
        if not node.safe:
            return py("INDEX({}, {})", target, index), None
        held = names.temporary()
        return py("(None if {} is None else INDEX({}, {}))", held.bind(target), held, index), None


_NULL = tree.Literal(0, None)
_ABSENT: Any = object()


def _last_bound(node: tree.Sequence) -> list[tree.Expr]:
    """What a sequence that only binds names gives: the last of them."""
    if not node.bindings:
        return []
    last = node.bindings[-1]
    if isinstance(last, tree.FunctionDef):
        raise CannotCompile("a function as a value")
    return [tree.Name(last.at, last.name)]


def default(left: Code, right: Code, names: Names) -> Code:
    held = names.temporary()
    return py("({} if {} is None else {})", right, held.bind(left), held)


def _numbers(*operands: tuple[Var, Code, Any]) -> Code:
    """Code that holds both operands and tells whether they are numbers; a number is not asked."""
    tests = [
        py("({} is {})", held.bind(code), held) if kind == "num" else py("(type({}) in NUM)", held.bind(code))
        for held, code, kind in operands
    ]
    # Both are evaluated, whatever the first one is.
    return py("{} & {}", *tests)


# Names, not functions: subclasses have rules of their own.
_RULES: dict[type, str] = {
    tree.Literal: "_literal",
    tree.Name: "_name",
    tree.Let: "_let",
    tree.Lambda: "_lambda",
    tree.Sequence: "_sequence",
    tree.Block: "_block",
    tree.ArrayLiteral: "_array",
    tree.ObjectLiteral: "_object",
    tree.If: "_if",
    tree.Match: "_match",
    tree.Try: "_try",
    tree.Unary: "_unary",
    tree.Binary: "_binary",
    tree.Member: "_member",
    tree.Index: "_index",
    tree.Call: "call",
    tree.Pipe: "pipe",
}
