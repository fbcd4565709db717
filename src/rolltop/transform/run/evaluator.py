"""The simple evaluator: walks the tree. It is the oracle for every other back end, and cheap to start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import TracebackType
from typing import Any

from rolltop.errors import Position, SizeLimit
from rolltop.transform.errors import EvaluationFailure
from rolltop.transform.run import access
from rolltop.transform.run.operators import BINARY, negate
from rolltop.transform.run.recursion import OutOfStack, counted, may_recur, recursive_functions, too_deep
from rolltop.transform.run.scope import Scope, unknown_function, unknown_name
from rolltop.transform.stack import deep_stack
from rolltop.transform.stdlib.coerce import READS_XML
from rolltop.transform.stdlib.registry import find
from rolltop.transform.syntax import tree
from rolltop.transform.syntax.source import Source
from rolltop.transform.values import Node, equal, truthy, unwrap

__all__ = ["Evaluator", "shown_at"]


class Evaluator:
    """Evaluates one program; holds no state between runs."""

    def __init__(self, program: tree.Program, source: Source) -> None:
        self.program = program
        self.source = source

    def run(self, inputs: Mapping[str, Any]) -> Any:
        """The value of the program's body for these inputs."""
        scope = Scope(dict(inputs), None)
        reads_xml = READS_XML.set(any(port.format == "xml" for port in self.program.header.inputs))
        try:
            with deep_stack():
                return self.evaluate(self.program.body, scope)
        except RecursionError as error:
            failure = too_deep(OutOfStack)
            at = _innermost_call(error.__traceback__)
            failure.position = None if at is None else Position(*self.source.place(at))
            raise failure from None
        finally:
            READS_XML.reset(reads_xml)

    @cached_property
    def _recursive(self) -> frozenset[int]:
        return recursive_functions(self.program)

    @cached_property
    def _spare_operands(self) -> dict[int, str]:
        from rolltop.transform.run.spare import spare_operands  # noqa: PLC0415 - only failures ask

        return spare_operands(self.program)

    def evaluate(self, node: tree.Expr, scope: Scope) -> Any:
        try:
            return _HANDLERS[type(node)](self, node, scope)
        except (EvaluationFailure, SizeLimit) as failure:
            # The innermost node that fails has the right place; outer ones leave it.
            if failure.position is None:
                failure.position = Position(*self.source.place(shown_at(node)))
                if isinstance(node, (tree.Binary, tree.Unary)):
                    failure.hint = self._spare_operands.get(id(node), failure.hint)
            raise

    # ---- names and bindings -----------------------------------------------------------------

    def _literal(self, node: tree.Literal, scope: Scope) -> Any:
        return node.value

    def _name(self, node: tree.Name, scope: Scope) -> Any:
        name, inner = node.name, scope
        while True:
            if name in inner.names:
                return inner.names[name]
            if inner.outer is None:
                break
            inner = inner.outer
        declared = find(name)
        if declared is None:
            raise unknown_name(name, scope)
        return declared.call

    def _let(self, node: tree.Let, scope: Scope) -> Any:
        value = self.evaluate(node.value, scope)
        if node.body is not None:
            return self.evaluate(node.body, Scope({node.name: value}, scope))
        scope.names[node.name] = value
        return value

    def _function(self, node: tree.FunctionDef, scope: Scope) -> Any:
        value = self._closure(node.params, node.body, scope)
        if may_recur(node) and id(node) in self._recursive:
            value = counted(value, scope)
        scope.names[node.name] = value
        return value

    def _closure(self, params: list[tree.Param], body: tree.Expr, scope: Scope) -> Callable[..., Any]:
        evaluate = self.evaluate
        if len(params) == 1:  # most lambdas; they are called often
            name = params[0].name

            def single(argument: Any) -> Any:
                return evaluate(body, Scope({name: argument}, scope))

            single.arity = 1  # type: ignore[attr-defined]
            return single
        names = [param.name for param in params]

        def closure(*arguments: Any) -> Any:
            return evaluate(body, Scope(dict(zip(names, arguments, strict=True)), scope))

        closure.arity = len(names)  # type: ignore[attr-defined]
        return closure

    def _lambda(self, node: tree.Lambda, scope: Scope) -> Any:
        return self._closure(node.params, node.body, scope)

    def _bind(self, bindings: list[tree.Let | tree.FunctionDef], scope: Scope) -> None:
        """Functions first, so that a binding may call one that is written below it."""
        for binding in bindings:
            if isinstance(binding, tree.FunctionDef):
                self._function(binding, scope)
        for binding in bindings:
            if isinstance(binding, tree.Let):
                self.evaluate(binding, scope)

    def _sequence(self, node: tree.Sequence, scope: Scope) -> Any:
        self._bind(node.bindings, scope)
        value = scope.names[node.bindings[-1].name] if node.bindings else None
        for item in node.items:
            value = self.evaluate(item, scope)
        return value

    def _block(self, node: tree.Block, scope: Scope) -> Any:
        inner = Scope({}, scope)
        self._bind(node.bindings, inner)
        return self.evaluate(node.value, inner)

    # ---- construction -----------------------------------------------------------------------

    def _array(self, node: tree.ArrayLiteral, scope: Scope) -> Any:
        items: list[Any] = []
        for item in node.items:
            if isinstance(item, tree.Spread):
                items.extend(access.spliced(self.evaluate(item.value, scope)))
            else:
                items.append(self.evaluate(item, scope))
        return items

    def _object(self, node: tree.ObjectLiteral, scope: Scope) -> Any:
        if node.bindings:
            scope = Scope({}, scope)
            self._bind(node.bindings, scope)
        properties: dict[str, Any] = {}
        attributes: dict[str, str] = {}
        for entry in node.entries:
            self._entry(entry, scope, properties, attributes)
        return access.object_of(properties, attributes)

    def _entry(self, entry: tree.Entry, scope: Scope, properties: dict[str, Any], attributes: dict[str, str]) -> None:
        if entry.kind == "property":
            properties[entry.key] = self.evaluate(entry.value, scope)
            return
        if entry.kind == "spread":
            value = self.evaluate(entry.value, scope)
            if isinstance(value, dict):
                properties.update(value)
            return
        if entry.kind == "computed":
            assert entry.key_expr is not None
            name = access.key_text(self.evaluate(entry.key_expr, scope))
            attribute = len(name) > 1 and name[0] == "@"
            key = name[1:] if attribute else name
        else:
            key, attribute = entry.key, entry.kind == "attribute"
        value = self.evaluate(entry.value, scope)
        if attribute:
            attributes[key] = access.attribute_text(value)
        else:
            properties[key] = value

    # ---- choice -----------------------------------------------------------------------------

    def _if(self, node: tree.If, scope: Scope) -> Any:
        if truthy(self.evaluate(node.condition, scope)):
            return self.evaluate(node.then, scope)
        return None if node.otherwise is None else self.evaluate(node.otherwise, scope)

    def _match(self, node: tree.Match, scope: Scope) -> Any:
        subject = self.evaluate(node.subject, scope)
        for case in node.cases:
            inner = self._matches(case, subject, scope)
            if inner is not None and (case.guard is None or truthy(self.evaluate(case.guard, inner))):
                return self.evaluate(case.body, inner)
        raise EvaluationFailure(
            "No matching case in match expression", hint="Add a last case `_ => …` for everything else."
        )

    def _matches(self, case: tree.Case, subject: Any, scope: Scope) -> Scope | None:
        if isinstance(case.pattern, tree.Literal):
            return Scope({}, scope) if equal(case.pattern.value, subject) else None
        return Scope({case.pattern.name: subject} if case.pattern else {}, scope)

    def _try(self, node: tree.Try, scope: Scope) -> Any:
        try:
            return self.evaluate(node.body, Scope({}, scope))
        except EvaluationFailure as failure:
            return self.evaluate(node.handler, Scope({node.name: failure.message} if node.name else {}, scope))

    # ---- operators and access ---------------------------------------------------------------

    def _unary(self, node: tree.Unary, scope: Scope) -> Any:
        value = self.evaluate(node.operand, scope)
        return negate(value) if node.op == "-" else not truthy(value)

    def _binary(self, node: tree.Binary, scope: Scope) -> Any:
        left = self.evaluate(node.left, scope)
        op = node.op
        operator = BINARY.get(op)
        if operator is not None:
            return operator(left, self.evaluate(node.right, scope))
        if op == "&&":
            return truthy(left) and truthy(self.evaluate(node.right, scope))
        if op == "||":
            return truthy(left) or truthy(self.evaluate(node.right, scope))
        return self.evaluate(node.right, scope) if left is None else left

    def _member(self, node: tree.Member, scope: Scope) -> Any:
        target = self.evaluate(node.target, scope)
        if type(target) is dict and node.kind == "property":
            value = target.get(node.name)
            return unwrap(value) if type(value) is Node else value
        if node.safe and not isinstance(target, dict):
            return None
        return _MEMBERS[node.kind](target, node.name)

    def _index(self, node: tree.Index, scope: Scope) -> Any:
        target = self.evaluate(node.target, scope)
        if node.safe and target is None:
            return None
        return access.index(target, self.evaluate(node.index, scope))

    def _call(self, node: tree.Call, scope: Scope) -> Any:
        return self._apply(node, [self.evaluate(argument, scope) for argument in node.arguments], scope)

    def _apply(self, node: tree.Call, arguments: list[Any], scope: Scope) -> Any:
        target = node.function
        if not isinstance(target, tree.Name):
            return access.call(self.evaluate(target, scope), arguments)
        holder = scope.holder(target.name)
        if holder is not None:
            return access.call(holder[target.name], arguments)
        declared = find(target.name)
        if declared is None:
            raise unknown_function(target.name, scope)
        return declared.call(*arguments)

    def _pipe(self, node: tree.Pipe, scope: Scope) -> Any:
        value = self.evaluate(node.value, scope)
        target = node.target
        if isinstance(target, tree.Call):
            rest = [self.evaluate(argument, scope) for argument in target.arguments]
            return self._apply(target, [value, *rest], scope)
        return access.call(self.evaluate(target, scope), [value])


def _innermost_call(trace: TracebackType | None) -> int | None:
    """Where the last of the calls is that were under way."""
    found = None
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        node = frame.f_locals.get("node") if frame.f_code is Evaluator.evaluate.__code__ else None
        if isinstance(node, (tree.Call, tree.Pipe)):
            found = shown_at(node)
    return found


def shown_at(node: tree.Expr) -> int:
    """Where a failure is shown: a call at the name of its function."""
    if isinstance(node, tree.Pipe):
        return shown_at(node.target)
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
        return node.function.at
    return node.at


_MEMBERS: dict[str, Callable[[Any, str], Any]] = {
    "property": access.prop,
    "attribute": access.attribute,
    "metadata": access.metadata,
    "values": lambda target, _: access.all_values(target),
    "attributes": lambda target, _: access.all_attributes(target),
}
_HANDLERS: dict[type, Callable[[Evaluator, Any, Scope], Any]] = {
    tree.Literal: Evaluator._literal,
    tree.Name: Evaluator._name,
    tree.Let: Evaluator._let,
    tree.FunctionDef: Evaluator._function,
    tree.Lambda: Evaluator._lambda,
    tree.Sequence: Evaluator._sequence,
    tree.Block: Evaluator._block,
    tree.ArrayLiteral: Evaluator._array,
    tree.ObjectLiteral: Evaluator._object,
    tree.If: Evaluator._if,
    tree.Match: Evaluator._match,
    tree.Try: Evaluator._try,
    tree.Unary: Evaluator._unary,
    tree.Binary: Evaluator._binary,
    tree.Member: Evaluator._member,
    tree.Index: Evaluator._index,
    tree.Call: Evaluator._call,
    tree.Pipe: Evaluator._pipe,
}
