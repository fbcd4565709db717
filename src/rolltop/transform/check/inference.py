"""Abstract interpretation: the same tree, evaluated over types. Gives types, and findings on the way.

A finding is reported as an error only when the program is sure to fail at that place if it gets
there; what may fail (an optional field used as a number) is a warning. Anything that depends on
values nobody declared is Any, and Any is never complained about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rolltop.transform.check.calls import CallRules
from rolltop.transform.check.findings import Findings
from rolltop.transform.check.scope import Binding, Names
from rolltop.transform.check.shapes import Closure, attribute_of, element_of, members, not_null, property_of
from rolltop.transform.run.scope import closest, name_hint
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.types import (
    ANY,
    BOOLEAN,
    INTEGER,
    NEVER,
    NULL,
    NUMBER,
    STRING,
    ArrayType,
    FunctionType,
    ObjectType,
    Type,
    UnionType,
    parse_type,
    union,
)
from rolltop.transform.values import parse_number

__all__ = ["Inference"]

_MAX_APPLICATIONS = 12
"""How deep calls of user functions are followed before the answer is Any: recursion ends here."""


class Inference(CallRules):
    """Infers one program. `run` gives the type of its result."""

    def __init__(self, program: tree.Program, findings: Findings, inputs: Mapping[str, Type]) -> None:
        super().__init__(findings)
        self.program = program
        self.bindings: list[Binding] = []
        self.depth = 0
        self.unapplied: dict[int, Callable[[], Type]] = {}
        self.top = Names(None, self.bindings)
        for port in program.header.inputs:
            self.top.add(port.name, inputs.get(port.name, ANY), port.at, "input")
        if "input" not in self.top.names:
            first = self.top.names[program.header.inputs[0].name]
            self.top.names["input"] = first

    def run(self) -> Type:
        result = self.infer(self.program.body, self.top)
        # Bodies that nobody called still have names and types to check.
        while self.unapplied:
            _, check = self.unapplied.popitem()
            check()
        return result

    def infer(self, node: tree.Expr, names: Names) -> Type:
        return _RULES[type(node)](self, node, names)

    # ---- names and bindings -----------------------------------------------------------------

    def _literal(self, node: tree.Literal, names: Names) -> Type:
        value = node.value
        if value is None:
            return NULL
        if isinstance(value, bool):
            return BOOLEAN
        return STRING if isinstance(value, str) else INTEGER if isinstance(value, int) else NUMBER

    def _name(self, node: tree.Name, names: Names) -> Type:
        binding = names.find(node.name)
        if binding is not None:
            binding.used = True
            return binding.type
        declared = find(node.name)
        if declared is not None:
            return FunctionType(tuple(p.type for p in declared.signature.parameters), declared.signature.result)
        hint = name_hint(node.name, names.visible())
        self.findings.error("E401", f"Undefined variable: {node.name}", node.at, hint=hint)
        return ANY

    def _let(self, node: tree.Let, names: Names) -> Type:
        value = self.infer(node.value, names)
        declared = self._annotated(node.type, value, node.at, f"let {node.name}")
        if node.body is not None:
            inner = names.inner()
            inner.add(node.name, declared, node.at, "let")
            return self.infer(node.body, inner)
        names.add(node.name, declared, node.at, "let")
        return value

    def _annotated(self, annotation: str | None, value: Type, at: int, what: str) -> Type:
        if annotation is None:
            return value
        wanted = parse_type(annotation)
        if not _could_be(value, wanted):
            self.findings.error("E501", f"Type mismatch in {what}: expected {wanted}, got {value}", at)
        return wanted

    def _function(self, node: tree.FunctionDef, names: Names) -> Type:
        closure = self._closure(node.params, node.body, names, node.name, node.at)
        if node.result is not None:
            wanted, infer = parse_type(node.result), closure.apply
            closure = Closure(closure.arity, lambda given: self._returned(infer(given), wanted, node), node.name)
        return closure

    def _returned(self, value: Type, wanted: Type, node: tree.FunctionDef) -> Type:
        if not _could_be(value, wanted):
            self.findings.error("E501", f"{node.name} returns {value}, but says {wanted}", node.at)
        return wanted

    def _lambda(self, node: tree.Lambda, names: Names) -> Type:
        return self._closure(node.params, node.body, names, "a function", node.at)

    def _closure(self, params: list[tree.Param], body: tree.Expr, names: Names, name: str, at: int) -> Closure:
        known: dict[tuple[Type, ...], Type] = {}

        def apply(given: list[Type]) -> Type:
            self.unapplied.pop(at, None)
            types = tuple(
                parse_type(param.type) if param.type else type_ for param, type_ in zip(params, given, strict=False)
            )
            if types in known:
                return known[types]
            if self.depth >= _MAX_APPLICATIONS:
                return ANY
            known[types] = ANY  # a recursive call with these types: anything
            inner = names.inner()
            for param, type_ in zip(params, types, strict=False):
                inner.add(param.name, type_, param.at, "parameter")
            self.depth += 1
            known[types] = self.infer(body, inner)
            self.depth -= 1
            return known[types]

        self.unapplied[at] = lambda: apply([ANY] * len(params))
        return Closure(len(params), apply, name)

    def _bind(self, bindings: list[tree.Let | tree.FunctionDef], names: Names) -> None:
        for binding in bindings:
            if isinstance(binding, tree.FunctionDef):
                names.add(binding.name, ANY, binding.at, "function").type = self._function(binding, names)
        for binding in bindings:
            if isinstance(binding, tree.Let):
                self._let(binding, names)

    def _sequence(self, node: tree.Sequence, names: Names) -> Type:
        self._bind(node.bindings, names)
        result: Type = NULL
        if node.bindings:
            bound = names.find(node.bindings[-1].name)
            result = bound.type if bound else ANY
        for item in node.items:
            result = self.infer(item, names)
        return result

    def _block(self, node: tree.Block, names: Names) -> Type:
        inner = names.inner()
        self._bind(node.bindings, inner)
        return self.infer(node.value, inner)

    # ---- construction -----------------------------------------------------------------------

    def _array(self, node: tree.ArrayLiteral, names: Names) -> Type:
        items: list[Type] = []
        for item in node.items:
            if isinstance(item, tree.Spread):
                spread = self.infer(item.value, names)
                items.extend(m.item for m in members(spread) if isinstance(m, ArrayType))
                items.extend(ANY for m in members(spread) if m == ANY)
            else:
                items.append(self.infer(item, names))
        return ArrayType(union(items))

    def _object(self, node: tree.ObjectLiteral, names: Names) -> Type:
        if node.bindings:
            names = names.inner()
            self._bind(node.bindings, names)
        fields: dict[str, Type] = {}
        required: set[str] = set()
        rest: Type | None = None
        for entry in node.entries:
            value = self.infer(entry.value, names)
            if entry.kind == "spread":
                rest = self._spread(value, fields, required, rest)
            elif entry.kind == "computed":
                assert entry.key_expr is not None
                self.infer(entry.key_expr, names)
                rest = value if rest is None else union((rest, value))
                # A computed key may be any of the known ones.
                fields = {name: union((type_, value)) for name, type_ in fields.items()}
            else:
                key = "@" + entry.key if entry.kind == "attribute" else entry.key
                fields[key] = STRING if entry.kind == "attribute" else value
                required.add(key)
        return ObjectType(tuple(fields.items()), frozenset(required), rest)

    def _spread(self, value: Type, fields: dict[str, Type], required: set[str], rest: Type | None) -> Type | None:
        parts = members(value)
        only = len(parts) == 1
        for part in parts:
            if isinstance(part, ObjectType):
                for name, type_ in part.fields:
                    if name.startswith("@"):
                        continue
                    sure = only and name in part.required
                    known = fields.get(name)
                    fields[name] = type_ if sure or known is None else union((known, type_))
                    if sure:
                        required.add(name)
                if part.rest is not None:
                    rest = part.rest if rest is None else union((rest, part.rest))
                    for name, known_type in fields.items():
                        if name not in part.index:
                            fields[name] = union((known_type, part.rest))
            elif part == ANY:
                rest = ANY
                for name in fields:
                    fields[name] = ANY
        return rest

    # ---- choice -----------------------------------------------------------------------------

    def _if(self, node: tree.If, names: Names) -> Type:
        self.infer(node.condition, names)
        yes, no = self._narrowed(node.condition, names)
        then = self.infer(node.then, yes)
        otherwise = NULL if node.otherwise is None else self.infer(node.otherwise, no)
        return union((then, otherwise))

    def _narrowed(self, condition: tree.Expr, names: Names) -> tuple[Names, Names]:
        """Scopes for both branches of a test of a plain name against null."""
        if not isinstance(condition, tree.Binary) or condition.op not in ("==", "!="):
            return names, names
        left, right = condition.left, condition.right
        if not (isinstance(left, tree.Name) and isinstance(right, tree.Literal) and right.value is None):
            return names, names
        binding = names.find(left.name)
        if binding is None or NULL not in members(binding.type):
            return names, names
        narrow = names.inner()
        narrowed = Binding(binding.name, not_null(binding.type), binding.at, "narrowed")
        narrow.names[left.name] = narrowed
        return (narrow, names) if condition.op == "!=" else (names, narrow)

    def _match(self, node: tree.Match, names: Names) -> Type:
        subject = self.infer(node.subject, names)
        results: list[Type] = []
        for case in node.cases:
            inner = names.inner()
            if isinstance(case.pattern, tree.Name):
                inner.add(case.pattern.name, subject, case.pattern.at, "pattern")
            if case.guard is not None:
                self.infer(case.guard, inner)
            results.append(self.infer(case.body, inner))
        return union(results)

    def _try(self, node: tree.Try, names: Names) -> Type:
        with self.findings.forgiving():
            body = self.infer(node.body, names.inner())
        inner = names.inner()
        if node.name:
            inner.add(node.name, STRING, node.at, "error")
        return union((body, self.infer(node.handler, inner)))

    # ---- operators and access ---------------------------------------------------------------

    def _unary(self, node: tree.Unary, names: Names) -> Type:
        operand = self.infer(node.operand, names)
        if node.op == "!":
            return BOOLEAN
        self._numeric(node.operand, operand, node.at, "Unary minus requires number")
        return INTEGER if operand == INTEGER else NUMBER

    def _binary(self, node: tree.Binary, names: Names) -> Type:
        left = self.infer(node.left, names)
        if node.op == "??":
            with self.findings.forgiving():
                right = self.infer(node.right, names)
            return union((not_null(left), right)) if NULL in members(left) or left == ANY else left
        right_names = names
        if node.op == "&&":
            right_names, _ = self._narrowed(node.left, names)
        right = self.infer(node.right, right_names)
        if node.op == "+":
            return self._plus(node, left, right)
        if node.op in ("-", "*", "/", "%", "**"):
            self._numeric(node.left, left, node.at, "Left operand must be number")
            self._numeric(node.right, right, node.at, "Right operand must be number")
            whole = left == right == INTEGER and node.op in ("-", "*", "%")
            return INTEGER if whole else NUMBER
        if node.op in ("<", "<=", ">", ">="):
            self._ordered(node, left, right)
        return BOOLEAN

    def _plus(self, node: tree.Binary, left: Type, right: Type) -> Type:
        if STRING in (left, right):
            return STRING
        if _is_number(left) and _is_number(right):
            return INTEGER if left == right == INTEGER else NUMBER
        for side, type_ in ((node.left, left), (node.right, right)):
            other = right if side is node.left else left
            if _is_number(not_null(type_)) and NULL in members(type_) and _is_number(other):
                self._optional(side)
                return NUMBER
        if _never_adds(left, right):
            hint = f"They are {left} and {right}."
            self.findings.error("E502", "Invalid operands for +", node.at, hint=hint)
            return NEVER
        return union((STRING, NUMBER))

    def _numeric(self, operand: tree.Expr, type_: Type, at: int, message: str) -> None:
        if isinstance(operand, tree.Literal) and isinstance(operand.value, str) and parse_number(operand.value) is None:
            self.findings.error("E502", message, at, hint="A text that is not a number cannot be calculated with.")
            return
        sure = [m for m in members(type_) if m in (BOOLEAN, NULL) or isinstance(m, (ArrayType, Closure))]
        if sure and len(sure) == len(members(type_)):
            self.findings.error("E502", message, at, hint=f"It is {type_}.")
        elif NULL in sure:
            self._optional(operand)

    def _ordered(self, node: tree.Binary, left: Type, right: Type) -> None:
        for side, type_ in ((node.left, left), (node.right, right)):
            if type_ == NULL or isinstance(type_, (ArrayType, Closure)):
                hint = f"It is {type_}; only numbers, texts and dates have an order."
                self.findings.error("E502", "Cannot compare these types", node.at, hint=hint)
                return
            if NULL in members(type_):
                self._optional(side)

    def _member(self, node: tree.Member, names: Names) -> Type:
        target = self.infer(node.target, names)
        if node.kind == "values":
            return ArrayType(ANY)
        if node.kind == "attributes":
            return ArrayType(STRING)
        if node.kind == "metadata":
            return union((STRING, NULL))
        if node.kind == "attribute":
            return attribute_of(target, node.name)
        found = property_of(target, node.name)
        if found == NEVER and target != NEVER and not node.safe:
            self._no_member(node, target)
            return ANY
        self._unknown_member(node, target, found)
        return union((found, NULL)) if node.safe else found

    def _no_member(self, node: tree.Member, target: Type) -> None:
        hint = f"Map over it: map(items, x => x.{node.name})." if isinstance(target, ArrayType) else None
        self.findings.error("E503", f"Cannot access property '{node.name}' of {target}", node.at, hint=hint)

    def _unknown_member(self, node: tree.Member, target: Type, found: Type) -> None:
        """A closed object that lacks the property: always null, hardly meant."""
        if found != NULL or not isinstance(target, ObjectType) or node.name in target.index:
            return
        near = closest(node.name, target.index)
        hint = f"Did you mean `{near}`?" if near else f"It has {', '.join(sorted(target.index)[:8]) or 'no fields'}."
        self.findings.warning("W501", f"Property '{node.name}' does not exist here", node.at, hint=hint)

    def _index(self, node: tree.Index, names: Names) -> Type:
        target = self.infer(node.target, names)
        key = self.infer(node.index, names)
        if isinstance(node.index, tree.Literal) and isinstance(node.index.value, str):
            text = node.index.value
            if text[:1] == "^":
                return union((STRING, NULL))
            found = attribute_of(target, text[1:]) if text[:1] == "@" else property_of(target, text)
            if found != NEVER:
                return found
        if isinstance(target, ArrayType) and (key == STRING or isinstance(key, (ArrayType, ObjectType))):
            self.findings.error("E504", "Array index must be a number", node.at, hint=f"It is {key}.")
        if isinstance(target, ArrayType):
            return target.item
        return element_of(target) if isinstance(target, UnionType) else ANY


def _is_number(type_: Type) -> bool:
    return type_ in (NUMBER, INTEGER)


def _never_adds(left: Type, right: Type) -> bool:
    """Neither side can be a text, and one side can never be a number."""
    parts = (*members(left), *members(right))
    if ANY in parts or STRING in parts or NEVER in parts:
        return False
    wrong = [
        side for side in (left, right) if not any(_is_number(m) or isinstance(m, ObjectType) for m in members(side))
    ]
    return bool(wrong)


def _could_be(given: Type, wanted: Type) -> bool:
    """Whether some value of one type is also of the other."""
    if ANY in (given, wanted) or given == NEVER:
        return True
    return any(_same_kind(a, b) for a in members(given) for b in members(wanted))


def _same_kind(given: Type, wanted: Type) -> bool:
    if given == wanted or ANY in (given, wanted):
        return True
    if _is_number(given) and _is_number(wanted):
        return True
    functions = (FunctionType, Closure)
    return type(given) is type(wanted) is not type(STRING) or (
        isinstance(given, functions) and isinstance(wanted, functions)
    )


_RULES: dict[type, Callable[..., Type]] = {
    tree.Literal: Inference._literal,
    tree.Name: Inference._name,
    tree.Let: Inference._let,
    tree.FunctionDef: Inference._function,
    tree.Lambda: Inference._lambda,
    tree.Sequence: Inference._sequence,
    tree.Block: Inference._block,
    tree.ArrayLiteral: Inference._array,
    tree.ObjectLiteral: Inference._object,
    tree.If: Inference._if,
    tree.Match: Inference._match,
    tree.Try: Inference._try,
    tree.Unary: Inference._unary,
    tree.Binary: Inference._binary,
    tree.Member: Inference._member,
    tree.Index: Inference._index,
    tree.Call: Inference.call,
    tree.Pipe: Inference.pipe,
}
