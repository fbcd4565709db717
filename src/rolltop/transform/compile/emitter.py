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
from rolltop.transform.compile.scopes import DECIMALS, CannotCompile, Names, Variable
from rolltop.transform.run.recursion import COUNTER, recursive_functions
from rolltop.transform.syntax import tree

__all__ = ["Emitter"]

Code = tuple[str, Any]
Make = Callable[[tree.Expr, Names], Code]
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

    def source(self) -> str:
        """The text of the function `run(inputs)`."""
        names = Names()
        lines = ["def run(inputs):"]
        ports = self.program.header.inputs
        lines.extend(f"    {names.bind(port.name).code} = inputs[{port.name!r}]" for port in ports)
        if "input" not in names.variables:
            lines.append(f"    {names.bind('input').code} = inputs['input']")
        body = self.program.body
        code = self._sequence(body, names)[0]
        return "\n".join([*lines, f"    return {code}"])

    def emit(self, node: tree.Expr, names: Names) -> Code:
        rule = _RULES.get(type(node))
        if rule is None:
            raise CannotCompile(type(node).__name__)
        emitted: Code = getattr(self, rule)(node, names)
        return emitted

    def code(self, node: tree.Expr, names: Names) -> str:
        return self.emit(node, names)[0]

    def truth(self, node: tree.Expr, names: Names) -> str:
        """Code of a Python truth value."""
        code, kind = self.emit(node, names)
        return code if kind == "bool" else f"TRUE({code})"

    # ---- names and bindings -----------------------------------------------------------------

    def _literal(self, node: tree.Literal, names: Names) -> Code:
        value = node.value
        if value is None or isinstance(value, bool):
            return repr(value), "bool" if value is not None else None
        if isinstance(value, str):
            return repr(value), "str"
        if isinstance(value, Decimal):
            raise CannotCompile(DECIMALS)
        text = repr(value).replace("inf", "INF")
        return (f"({text})" if text.startswith("-") else text), "num"

    def _name(self, node: tree.Name, names: Names) -> Code:
        variable = names.find(node.name)
        if variable is not None:
            return variable.code, variable.kind
        return self.library(node.name), None

    def _let(self, node: tree.Let, names: Names) -> Code:
        if node.body is None:
            raise CannotCompile("a let as an operand")
        value, kind = self.emit(node.value, names)
        inner = names.inner()
        variable = inner.bind(node.name, self.arity(node.value), kind)
        assigned = self.assign(variable, value)
        body, body_kind = self.emit(node.body, inner)
        return (f"({assigned}, {body})[1]" if assigned else body), body_kind

    def assign(self, variable: Variable, value: str) -> str:
        """Code that gives a variable its value; empty when that was done elsewhere."""
        return f"({variable.code} := {value})"

    def arity(self, node: tree.Expr) -> int | None:
        return len(node.params) if isinstance(node, (tree.Lambda, tree.FunctionDef)) else None

    def _bound(self, bindings: list[tree.Let | tree.FunctionDef], names: Names) -> list[str]:
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
        parts = []
        counter = names.find(COUNTER)
        if counter is None and any(id(function) in self.recursive for function in functions):
            counter = names.bind(COUNTER)
            parts.append(self.assign(counter, "[0]"))
        for function in functions:
            variable = names.find(function.name)
            assert variable is not None
            counted = counter.code if counter is not None and id(function) in self.recursive else ""
            parts.append(self.assign(variable, self._function_code(function.params, function.body, names, counted)))
        declared = {name: names.variables.pop(name) for name, before in later.items() if before is None}
        for let in lets:
            value, kind = self.emit(let.value, names)
            variable = declared.get(let.name) or names.bind(let.name)
            if let.name not in names.variables:
                names.variables[let.name] = variable
                variable.arity, variable.kind = self.arity(let.value), kind
            parts.append(self.assign(variable, value))
        return [part for part in parts if part]

    def _function_code(self, params: list[tree.Param], body: tree.Expr, names: Names, counter: str = "") -> str:
        """A function; `counter` holds how often those that call themselves are inside each other."""
        inner = names.inner()
        codes = [inner.bind(param.name).code for param in params]
        if len(set(codes)) != len(codes):
            raise CannotCompile("two parameters of one name")
        code = self.code(body, inner)
        if counter:
            code = f"LEAVE({counter}, ENTER({counter}), {code})"
        return f"(lambda {', '.join(codes)}: {code})"

    def _lambda(self, node: tree.Lambda, names: Names) -> Code:
        return self._function_code(node.params, node.body, names), None

    def _sequence(self, node: tree.Sequence, names: Names) -> Code:
        parts = self._bound(node.bindings, names)
        items = [self.emit(item, names) for item in node.items or _last_bound(node)]
        if not items:
            return "None", None
        codes = [*parts, *(code for code, _ in items)]
        return (codes[0] if len(codes) == 1 else f"({', '.join(codes)})[-1]"), items[-1][1]

    def _block(self, node: tree.Block, names: Names) -> Code:
        inner = names.inner()
        parts = self._bound(node.bindings, inner)
        value, kind = self.emit(node.value, inner)
        return (f"({', '.join([*parts, value])})[-1]" if parts else value), kind

    # ---- construction -----------------------------------------------------------------------

    def _array(self, node: tree.ArrayLiteral, names: Names) -> Code:
        items = [
            f"*SA({self.code(item.value, names)})" if isinstance(item, tree.Spread) else self.code(item, names)
            for item in node.items
        ]
        return f"[{', '.join(items)}]", "list"

    def _object(self, node: tree.ObjectLiteral, names: Names) -> Code:
        parts: list[str] = []
        if node.bindings:
            names = names.inner()
            parts = self._bound(node.bindings, names)
        if any(entry.kind in ("attribute", "computed") for entry in node.entries):
            built = self._built(node, names)
            kind = None
        else:
            entries = [
                f"**SO({self.code(entry.value, names)})"
                if entry.kind == "spread"
                else f"{entry.key!r}: {self.code(entry.value, names)}"
                for entry in node.entries
            ]
            built, kind = "{" + ", ".join(entries) + "}", "dict"
        return (f"({', '.join([*parts, built])})[-1]" if parts else built), kind

    def _built(self, node: tree.ObjectLiteral, names: Names) -> str:
        rows = []
        for entry in node.entries:
            key = self.code(entry.key_expr, names) if entry.key_expr is not None else repr(entry.key)
            rows.append(f"({entry.kind!r}, {key}, {self.code(entry.value, names)})")
        return f"BUILD([{', '.join(rows)}])"

    # ---- choice -----------------------------------------------------------------------------

    def _if(self, node: tree.If, names: Names) -> Code:
        condition = self.truth(node.condition, names)
        then, kind = self.emit(node.then, names)
        otherwise, other_kind = self.emit(node.otherwise, names) if node.otherwise is not None else ("None", None)
        return f"({then} if {condition} else {otherwise})", kind if kind == other_kind else None

    def _match(self, node: tree.Match, names: Names) -> Code:
        return self.matched(node, lambda body, inner: (self.code(body, inner), None), names)

    def matched(self, node: tree.Match, make: Make, names: Names) -> Code:
        """The first case that fits; `make` gives what its body becomes."""
        subject = names.temporary()
        held = f"({subject} := {self.code(node.subject, names)})"
        # In the order in which they are tried: code of one case may only rely on what ran before it.
        cases = [self._case(case, subject, make, names.inner()) for case in node.cases]
        code = "NOCASE()"
        for test, (body, _) in reversed(cases):
            code = f"{body} if {test} else {code}"
        kinds = {kind if isinstance(kind, str) else None for _, (_, kind) in cases}
        return f"({held}, ({code}))[1]", kinds.pop() if len(kinds) == 1 else None

    def _case(self, case: tree.Case, subject: str, make: Make, names: Names) -> tuple[str, Code]:
        return self._case_test(case, subject, names), make(case.body, names)

    def _case_test(self, case: tree.Case, subject: str, names: Names) -> str:
        if isinstance(case.pattern, tree.Literal):
            test = self._equality("==", (None, subject), (case.pattern, self.code(case.pattern, names)))
        elif isinstance(case.pattern, tree.Name):
            test = f"({names.bind(case.pattern.name).code} := {subject}) is {subject}"
        else:
            test = "True"
        return test if case.guard is None else f"{test} and {self.truth(case.guard, names)}"

    def _try(self, node: tree.Try, names: Names) -> Code:
        return self.tried(node, self.code, names), None

    def tried(self, node: tree.Try, make: Callable[[tree.Expr, Names], str], names: Names) -> str:
        """The body, or the handler when it fails; `make` gives what they become."""
        body = self._half(node.body, make, names.inner())
        inner = names.inner()
        variable = inner.bind(node.name or "_unnamed error", kind="str")
        counter = names.find(COUNTER)
        more = "" if counter is None else f", {counter.code}"
        return f"TRY(lambda: {body}, lambda {variable.code}: {self._half(node.handler, make, inner)}{more})"

    def _half(self, node: tree.Expr, make: Callable[[tree.Expr, Names], str], names: Names) -> str:
        return make(node, names)

    # ---- operators --------------------------------------------------------------------------

    def _unary(self, node: tree.Unary, names: Names) -> Code:
        if node.op == "!":
            return f"(not {self.truth(node.operand, names)})", "bool"
        return f"NEG({self.code(node.operand, names)})", "num"

    def _binary(self, node: tree.Binary, names: Names) -> Code:
        op = node.op
        if op in ("&&", "||"):
            word = "and" if op == "&&" else "or"
            return f"({self.truth(node.left, names)} {word} {self.truth(node.right, names)})", "bool"
        left, left_kind = self.emit(node.left, names)
        right, right_kind = self.emit(node.right, names)
        if op == "??":
            held = names.temporary()
            return f"({right} if ({held} := {left}) is None else {held})", None
        if op in ("==", "!="):
            return self._equality(op, (node.left, left), (node.right, right)), "bool"
        if op == "+":
            return self._plus((left, left_kind), (right, right_kind), names)
        if op in _ARITHMETIC:
            return self._arithmetic(op, (left, left_kind), (right, right_kind), names), "num"
        return self._order(op, (left, left_kind), (right, right_kind), names), "bool"

    def _equality(self, op: str, left: tuple[tree.Expr | None, str], right: tuple[tree.Expr, str]) -> str:
        """Against a constant, Python's own comparison says the same (elements aside)."""
        constant = right[0].value if isinstance(right[0], tree.Literal) else _ABSENT
        if not self.plain or isinstance(left[0], tree.Literal):
            return f"{'EQ' if op == '==' else 'NE'}({left[1]}, {right[1]})"
        if constant is None:
            return f"({left[1]} {'is' if op == '==' else 'is not'} None)"
        if isinstance(constant, str) or (type(constant) in (int, float) and constant not in (0, 1)):
            return f"({left[1]} {op} {right[1]})"
        return f"{'EQ' if op == '==' else 'NE'}({left[1]}, {right[1]})"

    def _plus(self, left: Code, right: Code, names: Names) -> Code:
        a, b = names.temporary(), names.temporary()
        if left[1] == right[1] == "str":
            return f"({left[0]} + {right[0]})", "str"
        if left[1] == "str":
            return f"({left[0]} + {b} if type({b} := {right[0]}) is str else ADD({left[0]}, {b}))" if _is_constant(
                left[0]
            ) else f"ADD({left[0]}, {right[0]})", "str"
        if right[1] == "str" and _is_constant(right[0]):
            return f"({a} + {right[0]} if type({a} := {left[0]}) is str else ADD({a}, {right[0]}))", "str"
        same = f"type({a} := {left[0]}) is type({b} := {right[0]})"
        fast = f"({a} + {b} if ({same}) and type({a}) in STRFLOAT else ADD({a}, {b}))"
        return fast, "num" if left[1] == right[1] == "num" else None

    def _arithmetic(self, op: str, left: Code, right: Code, names: Names) -> str:
        helper = _ARITHMETIC[op]
        if op not in ("-", "*"):
            return f"{helper}({left[0]}, {right[0]})"
        a, b, r = names.temporary(), names.temporary(), names.temporary()
        numbers = _numbers((a, *left), (b, *right))
        fast = f"({r} if type({r} := {a} {op} {b}) is float else FIT({r}))"
        return f"({fast} if {numbers} else {helper}({a}, {b}))"

    def _order(self, op: str, left: Code, right: Code, names: Names) -> str:
        a, b = names.temporary(), names.temporary()
        numbers = _numbers((a, *left), (b, *right))
        return f"({a} {op} {b} if {numbers} else {_COMPARE[op]}({a}, {b}))"

    # ---- access -----------------------------------------------------------------------------

    def _member(self, node: tree.Member, names: Names) -> Code:
        return self.member_of(self.emit(node.target, names), node, names)

    def member_of(self, of: Code, node: tree.Member, names: Names) -> Code:
        target, kind = of
        if node.kind == "values" and not node.safe:
            return f"VALUES({target})", "list"
        if node.kind == "attributes" and not node.safe:
            return f"ATTRS({target})", "list"
        if node.kind != "property":
            rule = {"attribute": "ATTR", "metadata": "META"}.get(node.kind)
            if rule is None:
                raise CannotCompile("a guarded wildcard")
            return (
                f"GUARDED({target}, {rule}, {node.name!r})" if node.safe else f"{rule}({target}, {node.name!r})"
            ), None
        helper = "SAFE" if node.safe else "PROP"
        if not self.plain:
            return f"{helper}({target}, {node.name!r})", None
        if kind == "dict":
            return f"{target}.get({node.name!r})", None
        held = names.temporary()
        return (
            f"({held}.get({node.name!r}) if type({held} := {target}) is dict else {helper}({held}, {node.name!r}))",
            None,
        )

    def _index(self, node: tree.Index, names: Names) -> Code:
        target = self.code(node.target, names)
        index = self.code(node.index, names)
        if not node.safe:
            return f"INDEX({target}, {index})", None
        held = names.temporary()
        return f"(None if ({held} := {target}) is None else INDEX({held}, {index}))", None


_ABSENT: Any = object()


def _last_bound(node: tree.Sequence) -> list[tree.Expr]:
    """What a sequence that only binds names gives: the last of them."""
    if not node.bindings:
        return []
    last = node.bindings[-1]
    if isinstance(last, tree.FunctionDef):
        raise CannotCompile("a function as a value")
    return [tree.Name(last.at, last.name)]


def _numbers(*operands: tuple[str, str, Any]) -> str:
    """Code that holds both operands and tells whether they are numbers; a number is not asked."""
    tests = [
        f"(({held} := {code}) is {held})" if kind == "num" else f"(type({held} := {code}) in NUM)"
        for held, code, kind in operands
    ]
    # Both are evaluated, whatever the first one is.
    return " & ".join(tests)


def _is_constant(code: str) -> bool:
    return code[0] in "'\""


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
