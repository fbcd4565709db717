"""Type rules of names: literals, bindings, functions, and what follows each other."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from rolltop.transform.check.rules import Rules
from rolltop.transform.check.scope import Binding, Names
from rolltop.transform.check.shapes import Closure, could_be
from rolltop.transform.run.scope import name_hint
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.types import ANY, BOOLEAN, INTEGER, NULL, NUMBER, STRING, FunctionType, Type, parse_type

__all__ = ["BindingRules"]

_MAX_APPLICATIONS = 12
"""How deep calls of user functions are followed before the answer is Any: recursion ends here."""
_LITERALS: dict[type, Type] = {
    type(None): NULL,
    bool: BOOLEAN,
    str: STRING,
    int: INTEGER,
    float: NUMBER,
    Decimal: NUMBER,
}


class BindingRules(Rules):
    """Names, and the scopes that they live in."""

    bindings: list[Binding]
    unapplied: dict[int, Callable[[], Type]]
    """Function bodies that nobody called yet, by their place."""
    depth: int

    def _literal(self, node: tree.Literal, names: Names) -> Type:
        return _LITERALS[type(node.value)]

    def _name(self, node: tree.Name, names: Names) -> Type:
        binding = names.find(node.name)
        if binding is not None:
            binding.used = True
            return binding.type
        declared = find(node.name)
        if declared is not None:
            return FunctionType(tuple(p.type for p in declared.signature.parameters), declared.signature.result)
        hint = name_hint(node.name, names.visible()) if self.findings.are_few else None
        self.findings.error("E401", f"Undefined variable: {node.name}", node.at, hint=hint)
        return ANY

    def _let(self, node: tree.Let, names: Names) -> Type:
        value = self.infer(node.value, names)
        declared = value if node.type is None else self._declared_type(node, node.type, value)
        if node.body is not None:
            inner = names.inner()
            inner.add(node.name, declared, node.at, "let")
            return self.infer(node.body, inner)
        names.add(node.name, declared, node.at, "let")
        return value

    def _declared_type(self, node: tree.Let, annotation: str, value: Type) -> Type:
        wanted = parse_type(annotation)
        if not could_be(value, wanted):
            message = f"Type mismatch in let {node.name}: expected {wanted}, got {value}"
            self.findings.error("E501", message, node.at)
        return wanted

    def _function(self, node: tree.FunctionDef, names: Names) -> Type:
        closure = self._closure(node.params, node.body, names, node.name, node.at)
        if node.result is not None:
            wanted, infer = parse_type(node.result), closure.apply
            closure = Closure(closure.arity, lambda given: self._returned(infer(given), wanted, node), node.name)
        return closure

    def _returned(self, value: Type, wanted: Type, node: tree.FunctionDef) -> Type:
        if not could_be(value, wanted):
            self.findings.error("E501", f"{node.name} returns {value}, but says {wanted}", node.at)
        return wanted

    def _lambda(self, node: tree.Lambda, names: Names) -> Type:
        return self._closure(node.params, node.body, names, "a function", node.at)

    def _closure(self, params: list[tree.Param], body: tree.Expr, names: Names, name: str, at: int) -> Closure:
        known: dict[tuple[Type, ...], Type] = {}
        untyped = all(param.type is None for param in params)

        def apply(given: list[Type]) -> Type:
            self.unapplied.pop(at, None)
            types = tuple(given) if untyped else _annotated(params, given)
            found = known.get(types)
            if found is not None:
                return found
            if self.depth >= _MAX_APPLICATIONS:
                return ANY
            known[types] = ANY  # a recursive call with these types: anything
            inner = names.inner()
            for param, type_ in zip(params, types, strict=False):
                inner.add(param.name, type_, param.at, "parameter")
            self.depth += 1
            known[types] = result = self.infer(body, inner)
            self.depth -= 1
            return result

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


def _annotated(params: list[tree.Param], given: list[Type]) -> tuple[Type, ...]:
    """What a function is called with, as its parameters declare it."""
    pairs = zip(params, given, strict=False)
    return tuple(parse_type(param.type) if param.type else type_ for param, type_ in pairs)
