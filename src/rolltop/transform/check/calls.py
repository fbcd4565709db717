"""Type rules of calls and pipes: arity, arguments, what lambdas are called with, what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from rolltop.transform.check.rules import Rules
from rolltop.transform.check.scope import Names
from rolltop.transform.check.shapes import Closure, bind, fits, is_map, members, not_null, substitute
from rolltop.transform.run.scope import function_hint
from rolltop.transform.run.spare import filled, spare_hint
from rolltop.transform.stdlib.declare import Function, Parameter, Signature
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.types import (
    ANY,
    NULL,
    NUMBER,
    ArrayType,
    FunctionType,
    ObjectType,
    Type,
    UnionType,
    Variable,
)

__all__ = ["CallRules"]

_ROUNDS = 4
"""How often a function is inferred for what it gave before; a value that goes on growing is Any."""


@cache
def _renamed(alias: str) -> Signature:
    declared = find(alias)
    assert declared is not None
    return declared.signature.renamed(alias)


class CallRules(Rules):
    """The part of the inference that deals with functions."""

    def call(self, node: tree.Call, names: Names) -> Type:
        return self._apply(node, node.arguments, names)

    def pipe(self, node: tree.Pipe, names: Names) -> Type:
        target = node.target
        if isinstance(target, tree.Call):
            return self._apply(target, [node.value, *target.arguments], names)
        given = self.infer(node.value, names)
        if isinstance(target, tree.Name) and names.find(target.name) is None:
            declared = find(target.name)
            if declared is not None:
                return self._declared(declared, target, [node.value], [given])
        function = self.infer(target, names)
        return self._value_call(function, [given], node.at)

    def _apply(self, node: tree.Call, arguments: list[tree.Expr], names: Names) -> Type:
        given = [self.infer(argument, names) for argument in arguments]
        target = node.function
        if not isinstance(target, tree.Name):
            return self._value_call(self.infer(target, names), given, node.at)
        binding = names.find(target.name)
        if binding is not None:
            binding.used = True
            return self._value_call(binding.type, given, target.at)
        declared = find(target.name)
        if declared is None:
            hint = function_hint(target.name, names.visible()) if self.findings.are_few else None
            self.findings.error("E402", f"unknown function `{target.name}`", target.at, hint=hint)
            return ANY
        return self._declared(declared, target, arguments, given)

    def _value_call(self, function: Type, given: list[Type], at: int) -> Type:
        if isinstance(function, Closure):
            if function.arity != len(given):
                self.findings.error("E403", f"Function expects {function.arity} arguments, got {len(given)}", at)
                return ANY
            return function.apply(given)
        if isinstance(function, FunctionType):
            return substitute(function.result, {})
        if function is not ANY and not isinstance(function, (UnionType, Variable)):
            self.findings.error("E404", f"Cannot call non-function value ({function})", at)
        return ANY

    # ---- library functions ------------------------------------------------------------------

    def _declared(self, declared: Function, name: tree.Name, arguments: list[tree.Expr], given: list[Type]) -> Type:
        signature = declared.signature
        if signature.name != name.name:
            signature = _renamed(name.name)  # findings speak of what the program says
        if not self._arity(signature, name, len(given)):
            return ANY
        parameters = _parameters(signature, len(given))
        bound: dict[str, Type] = {}
        shown = list(given)
        # What lambdas are called with is known when the other arguments have bound the variables.
        for parameter, type_ in zip(parameters, given, strict=True):
            if signature.generic and type(type_) is not Closure:
                bind(parameter.type, type_, bound)
        for at, type_ in enumerate(given):
            if type(type_) is Closure:
                self._spare(declared, at, given[0], type_, arguments[at])
                shown[at] = self._called(parameters[at].type, type_, bound)
            self._argument(signature, parameters[at], shown[at], arguments[at])
        result = declared.infer(shown) if declared.infer is not None else None
        if result is not None:
            return result
        return substitute(signature.result, bound) if signature.generic else signature.result

    def _arity(self, signature: Signature, name: tree.Name, count: int) -> bool:
        least, most = signature.least, signature.most
        if count >= least and (most is None or count <= most):
            return True
        wanted = f"at least {least}" if most is None else str(least) if least == most else f"{least} to {most}"
        plural = "argument" if wanted in ("1", "at least 1") else "arguments"
        self.findings.error(
            "E403",
            f"{name.name} expects {wanted} {plural}, got {count}",
            name.at,
            hint=f"The signature is {signature.text}.",
        )
        return False

    def _spare(self, declared: Function, at: int, value: Type, closure: Closure, argument: tree.Expr) -> None:
        """Parameters that the function never fills."""
        most = filled(declared, at, value)
        if most is None or closure.arity <= most:
            return
        place = argument.params[most] if isinstance(argument, tree.Lambda) else argument
        name = place.name if isinstance(place, tree.Param) else None
        if name is not None and name.startswith("_"):
            return  # it says itself that it is not for use
        which = f"Its parameter {most + 1}" if name is None else f"'{name}'"
        message = f"{declared.name} calls this function with {most} value{'s' * (most != 1)}"
        self.findings.doubt("W703", message, place.at, hint=spare_hint(declared, at, which))

    def _called(self, wanted: Type, closure: Closure, bound: dict[str, Type]) -> Type:
        """Infer a lambda's body for what the function will call it with."""
        functions = [member for member in members(wanted) if isinstance(member, FunctionType)]
        shape = next((f for f in functions if len(f.params) == closure.arity), functions[0] if functions else None)
        if shape is None:
            return closure
        for _ in range(_ROUNDS):
            before = dict(bound)
            params = [substitute(param, bound) for param in shape.params][: closure.arity]
            params += [NULL] * (closure.arity - len(params))
            result = closure.apply(params)
            if isinstance(shape.result, (Variable, ArrayType)):
                bind(shape.result, result, bound)
            # What an accumulator becomes is what the next call gets: until nothing new comes.
            if shape.result not in shape.params or bound == before:
                return FunctionType(tuple(params), result)
        if isinstance(shape.result, Variable):
            bound[shape.result.name] = ANY
        return FunctionType(tuple(params), ANY)

    def _argument(self, signature: Signature, parameter: Parameter, given: Type, argument: tree.Expr) -> None:
        if given is ANY or parameter.type is ANY:
            return
        answer = fits(given, parameter.type)
        # Of an object that may be an XML element only the run knows; one that the program makes is none.
        made = isinstance(argument, tree.ObjectLiteral) and isinstance(parameter.type, ArrayType)
        if answer is False or made:
            hint = _MAP_HINT if is_map(given) and isinstance(parameter.type, ArrayType) else None
            self.findings.error(
                "E505",
                f"{signature.name} requires {parameter.type} for '{parameter.name}', got {given}",
                argument.at,
                hint=hint or f"The signature is {signature.text}.",
            )
        elif _wants_numbers(parameter.type) and isinstance(given, ArrayType) and _is_record(given.item):
            name = f"{signature.name}By"
            hint = f"Say which field: {name}(items, x => x.field)." if find(name) is not None else None
            message = f"{signature.name} requires numbers, and the elements are objects"
            self.findings.doubt("W508", message, argument.at, hint=hint or "Map them to numbers first.")
        elif isinstance(parameter.type, ArrayType) and NULL in members(given):
            self.optional(argument, "[]")
        elif _wants_numbers(parameter.type) and isinstance(given, ArrayType) and NULL in members(given.item):
            self.optional(argument)


def _parameters(signature: Signature, count: int) -> Sequence[Parameter]:
    """The parameter of each argument; a repeated one serves all that are left."""
    parameters = signature.parameters
    if count <= len(parameters):
        return parameters[:count]
    return (*parameters, *(parameters[-1:] * (count - len(parameters))))


_MAP_HINT = (
    "It is an object with one property per key. mapGroups(items, key, g => …) gives an array with g.key and g.value; "
    "entries(x) gives [key, value] pairs."
)


def _is_record(type_: Type) -> bool:
    """Whether a type is that of objects which are no text of an element."""
    return isinstance(type_, ObjectType) and bool(type_.index) and "_text" not in type_.index


def _wants_numbers(wanted: Type) -> bool:
    return isinstance(wanted, ArrayType) and not_null(wanted.item) is NUMBER
