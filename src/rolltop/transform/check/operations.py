"""Type rules of operators."""

from __future__ import annotations

from rolltop.transform.check.branches import ChoiceRules
from rolltop.transform.check.scope import Names
from rolltop.transform.check.shapes import Closure, is_number, members, not_null
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
    ObjectType,
    Type,
    union,
)
from rolltop.transform.values import parse_number

__all__ = ["OperationRules"]

_ARITHMETIC = frozenset({"-", "*", "/", "%", "**"})
_WHOLE = frozenset({"-", "*", "%"})
_ORDERING = frozenset({"<", "<=", ">", ">="})


class OperationRules(ChoiceRules):
    """What operands must be, and what comes out."""

    def _unary(self, node: tree.Unary, names: Names) -> Type:
        operand = self.infer(node.operand, names)
        if node.op == "!":
            return BOOLEAN
        self._numeric(node.operand, operand, node.at, "Unary minus requires number")
        return INTEGER if operand is INTEGER else NUMBER

    def _binary(self, node: tree.Binary, names: Names) -> Type:
        left = self.infer(node.left, names)
        if node.op == "??":
            with self.findings.forgiving():
                right = self.infer(node.right, names)
            if left is ANY:
                return ANY
            return union((not_null(left), right)) if NULL in members(left) else left
        right_names = names
        if node.op == "&&":
            right_names, _ = self.narrowed(node.left, names)
        right = self.infer(node.right, right_names)
        if node.op == "+":
            return self._plus(node, left, right)
        if node.op in _ARITHMETIC:
            self._numeric(node.left, left, node.at, "Left operand must be number")
            self._numeric(node.right, right, node.at, "Right operand must be number")
            if node.op in "/%" and isinstance(node.right, tree.Literal) and node.right.value in (0, "0"):
                self.findings.error("E502", "Division by zero", node.at)
            whole = left is INTEGER and right is INTEGER and node.op in _WHOLE
            return INTEGER if whole else NUMBER
        if node.op in _ORDERING:
            self._ordered(node, left, right)
        elif _never_equal(left, right):
            hint = f'They are {left} and {right}. What is read from XML is a text: compare with "true".'
            self.findings.warning("W506", "These are never equal", node.at, hint=hint)
        return BOOLEAN

    def _plus(self, node: tree.Binary, left: Type, right: Type) -> Type:
        if left is STRING or right is STRING:
            return STRING
        if is_number(left) and is_number(right):
            return INTEGER if left is INTEGER and right is INTEGER else NUMBER
        for side, type_ in ((node.left, left), (node.right, right)):
            other = right if side is node.left else left
            if is_number(not_null(type_)) and NULL in members(type_) and is_number(other):
                self.optional(side)
                return NUMBER
        if _never_adds(left, right):
            hint = f"They are {left} and {right}."
            self.findings.error("E502", "Invalid operands for +", node.at, hint=hint)
            return NEVER
        return union((STRING, NUMBER))

    def _numeric(self, operand: tree.Expr, type_: Type, at: int, message: str) -> None:
        if type_ is ANY or type_ is NUMBER or type_ is INTEGER:
            return
        if isinstance(operand, tree.Literal) and isinstance(operand.value, str) and parse_number(operand.value) is None:
            self.findings.error("E502", message, at, hint="A text that is not a number cannot be calculated with.")
            return
        sure = [m for m in members(type_) if m is BOOLEAN or m is NULL or isinstance(m, (ArrayType, Closure))]
        if sure and len(sure) == len(members(type_)):
            self.findings.error("E502", message, at, hint=f"It is {type_}.")
        elif NULL in sure:
            self.optional(operand)

    def _ordered(self, node: tree.Binary, left: Type, right: Type) -> None:
        for side, type_ in ((node.left, left), (node.right, right)):
            if type_ is ANY:
                continue
            if type_ is NULL or isinstance(type_, (ArrayType, Closure)):
                hint = f"It is {type_}; only numbers, texts and dates have an order."
                self.findings.error("E502", "Cannot compare these types", node.at, hint=hint)
                return
            if NULL in members(type_):
                self.optional(side)


def _never_equal(left: Type, right: Type) -> bool:
    """A truth value against texts and numbers."""
    pairs = ((left, right), (right, left))
    return any(one is BOOLEAN and set(members(other)) <= {STRING, NUMBER, INTEGER} for one, other in pairs)


def _never_adds(left: Type, right: Type) -> bool:
    """Neither side can be a text, and one side can never be a number."""
    parts = (*members(left), *members(right))
    if ANY in parts or STRING in parts or NEVER in parts:
        return False
    wrong = [
        side for side in (left, right) if not any(is_number(m) or isinstance(m, ObjectType) for m in members(side))
    ]
    return bool(wrong)
