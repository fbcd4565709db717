"""Abstract interpretation: the same tree, evaluated over types. Gives types, and findings on the way.

A finding is reported as an error only when the program is sure to fail at that place if it gets
there; what may fail (an optional field used as a number) is a warning. Anything that depends on
values nobody declared is Any, and Any is never complained about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rolltop.transform.check.calls import CallRules
from rolltop.transform.check.construction import ConstructionRules
from rolltop.transform.check.findings import Findings
from rolltop.transform.check.members import ReachingRules
from rolltop.transform.check.operations import OperationRules
from rolltop.transform.check.scope import Names
from rolltop.transform.syntax import tree
from rolltop.transform.types import ANY, Type

__all__ = ["Inference"]


class Inference(CallRules, ConstructionRules, OperationRules, ReachingRules):
    """Infers one program. `run` gives the type of its result."""

    def __init__(self, program: tree.Program, findings: Findings, inputs: Mapping[str, Type]) -> None:
        super().__init__(findings)
        self.program = program
        self.bindings = []
        self.depth = 0
        self.unapplied = {}
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
