"""Code of the operators where kinds are known: what the program does with an operand is what it must be."""

from __future__ import annotations

from typing import Any

from rolltop.transform.compile.code import Bind, Code, Var, compared, logical, py
from rolltop.transform.compile.emitter import Emitted, default
from rolltop.transform.compile.places import Items, Kind, Place
from rolltop.transform.compile.rules import Rules
from rolltop.transform.compile.scopes import Names
from rolltop.transform.syntax import tree
from rolltop.transform.values import INT_MAX, INT_MIN

__all__ = ["Fitted", "OperatorRules"]

_ORDER = frozenset({"<", "<=", ">", ">="})


class OperatorRules(Rules):
    """The part of the typed emitter that deals with operators."""

    def _binary(self, node: tree.Binary, names: Names) -> Emitted:
        op = node.op
        if op in ("&&", "||"):
            left = self.truth(node.left, names)
            with self.region():
                right = self.truth(node.right, names)
            return logical(op, left, right), "bool"
        if op == "??":
            return self._default(node, names)
        if op in ("==", "!="):
            return self._same(node, names), "bool"
        left_code, left_kind = self.emit(node.left, names)
        right_code, right_kind = self.emit(node.right, names)
        if op == "+":
            return self._joined((left_code, left_kind), (right_code, right_kind), names)
        if op in _ORDER:
            word = "str" if "str" in (left_kind, right_kind) else "num"
            return self._ordered(op, (left_code, left_kind), (right_code, right_kind), word, names), "bool"
        left_kind, right_kind = self.use(left_kind, "num"), self.use(right_kind, "num")
        return self._calculated(op, (left_code, left_kind), (right_code, right_kind), names), "num"

    def _default(self, node: tree.Binary, names: Names) -> Emitted:
        self.lenient += 1
        left, kind = self.emit(node.left, names)
        self.lenient -= 1
        with self.region():
            right, other = self.emit(node.right, names)
        code = default(left, right, names)
        if isinstance(node.right, tree.ArrayLiteral) and not node.right.items and isinstance(kind, (Place, Items)):
            return code, kind
        if other in ("num", "str"):
            kind = self.use(kind, f"{other}?")
            return code, other if kind == other else None
        self.escape(kind)
        self.escape(other)
        return code, None

    def _same(self, node: tree.Binary, names: Names) -> Code:
        """Equality; against null it asks nothing of a place, against texts and numbers Python means the same."""
        op = node.op
        if isinstance(node.right, tree.Literal) and node.right.value is None:
            self.lenient += 1
            left, _ = self.emit(node.left, names)
            self.lenient -= 1
            return py("({} {} None)", left, "is" if op == "==" else "is not")
        left, left_kind = self.emit(node.left, names)
        right, right_kind = self.emit(node.right, names)
        self.escape(left_kind)
        self.escape(right_kind)
        if left_kind == right_kind and left_kind in ("num", "str", "bool"):
            return compared(op, left, right)
        return self._equality(op, (node.left, left), (node.right, right))

    def _joined(self, left: tuple[Code, Kind], right: tuple[Code, Kind], names: Names) -> Emitted:
        """`+`: beside a text or a number, a place is taken to be the same."""
        left_kind, right_kind = left[1], right[1]
        for word in ("str", "num"):
            if left_kind == word and isinstance(right_kind, Place):
                right_kind = self.use(right_kind, word)
            elif right_kind == word and isinstance(left_kind, Place):
                left_kind = self.use(left_kind, word)
        self._general(left_kind, right_kind)
        if left_kind == right_kind == "num":
            return self._calculated("+", (left[0], "num"), (right[0], "num"), names), "num"
        return self._plus((left[0], _word(left_kind)), (right[0], _word(right_kind)), names)

    def _general(self, *kinds: Kind) -> None:
        for kind in kinds:
            self.escape(kind)

    def _ordered(self, op: str, left: tuple[Code, Kind], right: tuple[Code, Kind], word: str, names: Names) -> Code:
        literal = left[1] == word or right[1] == word
        kinds = [self.use(kind, word) if literal and isinstance(kind, Place) else kind for kind in (left[1], right[1])]
        if kinds == [word, word]:
            return py("({} {} {})", left[0], op, right[0])
        self._general(*kinds)
        return self._order(op, (left[0], kinds[0]), (right[0], kinds[1]), names)

    def _calculated(self, op: str, left: tuple[Code, Any], right: tuple[Code, Any], names: Names) -> Code:
        """Numbers need no test, only their result: an integer may have left the 64 bits."""
        if left[1] == right[1] == "num" and op in ("+", "-", "*"):
            return Fitted(names.temporary(), py("{} {} {}", left[0], op, right[0]))
        self._general(left[1], right[1])
        return self._arithmetic(op, left, right, names)


def _word(kind: Kind) -> str | None:
    return kind if isinstance(kind, str) else None


class Fitted(Code):
    """A calculated number, with the test whether it has left the 64 bits of integers."""

    __slots__ = ("held",)

    def __init__(self, held: Var, bare: Code) -> None:
        # `__class__` is a little faster than `type`, and the same for numbers and texts.
        fits = f".__class__ is float or {INT_MIN} <= "
        super().__init__("(", held, " if ", held.bind(bare), fits, held, f" <= {INT_MAX} else FIT(", held, "))")
        self.held = held

    @property
    def bound(self) -> Bind:
        """The calculation alone, and the variable that it is put into."""
        bound = self.parts[3]
        assert isinstance(bound, Bind)
        return bound
