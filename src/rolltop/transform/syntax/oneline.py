"""An expression on one line, with exactly the parentheses that its meaning needs."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from rolltop.transform.syntax import tree
from rolltop.transform.syntax.extensions import Extensions
from rolltop.transform.syntax.literals import quote
from rolltop.transform.values import is_number

__all__ = ["BINARY_POWER", "PIPE", "TERNARY", "OneLine", "parenthesized"]

PIPE, POSTFIX_IF, TERNARY, UNARY, POSTFIX, PRIMARY = 10, 20, 30, 120, 130, 140
# (what the left operand needs, what the right one needs)
BINARY_POWER: dict[str, tuple[int, int]] = {
    "??": (40, 41),
    "||": (50, 51),
    "&&": (60, 61),
    "==": (70, 71), "!=": (70, 71),
    "<": (80, 81), "<=": (80, 81), ">": (80, 81), ">=": (80, 81),
    "+": (90, 91), "-": (90, 91),
    "*": (100, 101), "/": (100, 101), "%": (100, 101),
    "**": (111, 110),
}  # fmt: skip
_OWN_POWER = {op: (110 if op == "**" else left) for op, (left, _) in BINARY_POWER.items()}
_PLAIN_KEY = re.compile(r"[^\W\d]\w*(?:-[^\W\d]\w*)*")


def parenthesized(op: str, operand: str) -> str:
    """Two minus signs in a row would read as something else."""
    return f"({operand})" if op == "-" and operand.startswith("-") else operand


class OneLine:
    """Prints on one line; remembers what it printed, because layouts ask again and again."""

    def __init__(self, extensions: Extensions | None = None) -> None:
        self.written = {} if extensions is None else extensions.written
        self.cases = {} if extensions is None else extensions.cases
        self._known: dict[int, str] = {}

    def show(self, node: tree.Expr, power: int = 0) -> str:
        text = self._known.get(id(node))
        if text is None:
            text = self._known[id(node)] = self._text(node)
        return f"({text})" if self.power(node) < power else text

    def power(self, node: tree.Expr) -> int:
        """How tightly the outermost operator of an expression binds."""
        if id(node) in self.written:
            return self.written[id(node)].power
        if isinstance(node, (tree.Lambda, tree.Let)):
            return 0
        if isinstance(node, tree.Pipe):
            return PIPE
        if isinstance(node, tree.If):
            return {"postfix": POSTFIX_IF, "?": TERNARY, "if": TERNARY}[node.style]
        if isinstance(node, tree.Binary):
            return _OWN_POWER[node.op]
        if isinstance(node, tree.Unary) or (isinstance(node, tree.Literal) and _is_negative(node.value)):
            return UNARY
        return PRIMARY

    def then_power(self, node: tree.Expr) -> int:
        """An `if` as the first branch of an `if` would take its `else`."""
        return PRIMARY if isinstance(node, tree.If) else TERNARY

    def _text(self, node: tree.Expr) -> str:
        if id(node) in self.written:
            return self.written[id(node)].text
        match node:
            case tree.Literal():
                return literal(node.value)
            case tree.Name():
                return ("$" if node.sigil else "") + node.name
            case tree.Spread():
                return "..." + self.show(node.value)
            case tree.ArrayLiteral():
                return "[" + ", ".join(map(self.show, node.items)) + "]"
            case tree.ObjectLiteral():
                return self._braces([*map(self.show, node.bindings)], [*map(self._entry, node.entries)])
            case tree.Block():
                return self._braces([*map(self.show, node.bindings)], [self.show(node.value)])
            case tree.Sequence():
                return "; ".join(map(self.show, [*node.bindings, *node.items]))
            case tree.Let():
                return self._let(node)
            case tree.FunctionDef():
                result = f": {node.result}" if node.result else ""
                return f"function {node.name}({self.params(node.params)}){result} {{ {self.show(node.body)} }}"
            case tree.Lambda():
                return f"{self.lambda_head(node)} => {self.show(node.body)}"
            case tree.If():
                return self._if(node)
            case tree.Match():
                cases = ", ".join(f"{self.case_head(case)} => {self.show(self.case_body(case))}" for case in node.cases)
                return f"match ({self.show(node.subject)}) {{ {cases} }}"
            case tree.Try():
                name = f" ({node.name})" if node.name else ""
                return f"try {{ {self.show(node.body)} }} catch{name} {{ {self.show(node.handler)} }}"
            case tree.Unary():
                return node.op + parenthesized(node.op, self.show(node.operand, UNARY))
            case tree.Binary():
                left, right = BINARY_POWER[node.op]
                return f"{self.show(node.left, left)} {node.op} {self.show(node.right, right)}"
            case tree.Pipe():
                return f"{self.show(node.value, PIPE)} |> {self.show(node.target, PIPE + 1)}"
            case tree.Call():
                return f"{self.show(node.function, POSTFIX)}({', '.join(map(self.show, node.arguments))})"
            case tree.Member():
                return self.show(node.target, POSTFIX) + self.member(node)
            case tree.Index():
                mark = "?." if node.safe else ""
                return f"{self.show(node.target, POSTFIX)}{mark}[{self.show(node.index)}]"
        raise TypeError(f"no layout for {type(node).__name__}")

    def _braces(self, bindings: list[str], rest: list[str]) -> str:
        if not bindings and not rest:
            return "{}"
        return "{ " + "; ".join([*bindings, ", ".join(rest)] if rest else bindings) + " }"

    def _let(self, node: tree.Let) -> str:
        annotation = f": {node.type}" if node.type else ""
        if node.body is None:
            return f"let {node.name}{annotation} = {self.show(node.value)}"
        return f"let {node.name}{annotation} = {self.show(node.value, 1)} in {self.show(node.body)}"

    def _if(self, node: tree.If) -> str:
        if node.style == "?":
            assert node.otherwise is not None
            otherwise = self.show(node.otherwise, TERNARY)
            return f"{self.show(node.condition, TERNARY + 1)} ? {self.show(node.then)} : {otherwise}"
        if node.style == "postfix":
            tail = f" else {self.show(node.otherwise, POSTFIX_IF)}" if node.otherwise is not None else ""
            return f"{self.show(node.then, POSTFIX_IF + 1)} if {self.show(node.condition, TERNARY)}{tail}"
        tail = f" else {self.show(node.otherwise, TERNARY)}" if node.otherwise is not None else ""
        return f"if ({self.show(node.condition)}) {self.show(node.then, self.then_power(node.then))}{tail}"

    def _entry(self, entry: tree.Entry) -> str:
        if entry.kind == "spread":
            return "..." + self.show(entry.value)
        if entry.key_expr is not None:
            return f"[{self.show(entry.key_expr)}]: {self.show(entry.value)}"
        return f"{self.key(entry)}: {self.show(entry.value)}"

    def key(self, entry: tree.Entry) -> str:
        if entry.kind == "directive":
            return entry.key
        name = entry.key if _PLAIN_KEY.fullmatch(entry.key) else quote(entry.key)
        return f"@{name}" if entry.kind == "attribute" else name

    def params(self, params: list[tree.Param]) -> str:
        return ", ".join(f"{param.name}: {param.type}" if param.type else param.name for param in params)

    def lambda_head(self, node: tree.Lambda) -> str:
        if len(node.params) == 1 and not node.params[0].type:
            return node.params[0].name
        return f"({self.params(node.params)})"

    def case_body(self, case: tree.Case) -> tree.Expr:
        return self.cases[id(case)][2] if id(case) in self.cases else case.body

    def case_head(self, case: tree.Case) -> str:
        if id(case) in self.cases:
            return self.cases[id(case)][1]
        pattern = "_" if case.pattern is None else self.show(case.pattern)
        return pattern if case.guard is None else f"{pattern} if {self.show(case.guard, 1)}"

    def member(self, node: tree.Member) -> str:
        dot = "?." if node.safe else "."
        mark = {"attribute": "@", "attributes": "@", "metadata": "^"}.get(node.kind, "")
        return f"{dot}{mark}{node.name}"


def _is_negative(value: Any) -> bool:
    return is_number(value) and (value < 0 or str(value).startswith("-"))


def literal(value: Any) -> str:
    """A constant as it is written."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if type(value) is Decimal:
        return f"{value}m"
    text = repr(value)
    return text.replace("inf", "1e999")
