"""Typed code over elements: attributes are places too, and are always text."""

from __future__ import annotations

from typing import TypeGuard

from rolltop.transform.compile.code import Code, py
from rolltop.transform.compile.emitter import Emitted
from rolltop.transform.compile.places import Kind, Place
from rolltop.transform.compile.scopes import CannotCompile, Names
from rolltop.transform.compile.typed import TypedEmitter
from rolltop.transform.run.access import TEXT
from rolltop.transform.stdlib.declare import Function
from rolltop.transform.syntax import tree
from rolltop.transform.types import NUMBER

__all__ = ["MarkupEmitter", "settle_attributes"]


def _is_attribute(kind: Kind) -> bool:
    return isinstance(kind, Place) and kind.key.startswith("@")


def _is_element(kind: Kind) -> TypeGuard[Place]:
    """Whether there may be something inside of a value."""
    return isinstance(kind, Place) and kind.form not in ("num", "str") and not _is_attribute(kind)


def _is_path(node: tree.Expr) -> bool:
    """Names and properties only: nothing in it goes over anything."""
    while isinstance(node, tree.Member):
        node = node.target
    return isinstance(node, tree.Name)


class MarkupEmitter(TypedEmitter):
    """Emits one program over XML.

    An attribute that is only calculated with is decoded as the number that it spells. Where its being a text shows
    (`+` joins it, a condition asks whether it is empty) it is used as `any`, which keeps it one.
    """

    def __init__(self, program: tree.Program, root: Place, shared: set[int]) -> None:
        super().__init__(program, root, shared)
        self.arrays: set[Place] = set()
        """Places that have to be arrays; one element alone serves the others, which are only mapped."""
        self._maps: list[bool] = []
        """For every call around: whether it maps what it goes over, which is the first that is asked for."""

    def _library_call(self, name: str, arguments: list[tree.Expr], names: Names) -> Emitted:
        self._maps.append(name == "map" and len(arguments) == 2 and _is_path(arguments[0]))
        try:
            return super()._library_call(name, arguments, names)
        finally:
            self._maps.pop()

    def elements(self, kind: Kind) -> tuple[bool, Kind]:
        mapped = bool(self._maps) and self._maps[-1]
        if mapped:
            self._maps[-1] = False
        elif isinstance(kind, Place):
            self.arrays.add(kind)
        return super().elements(kind)

    def _member(self, node: tree.Member, names: Names) -> Emitted:
        if node.kind != "attribute":
            if node.kind == "property" and node.name.startswith("@"):
                raise CannotCompile("a property whose name is that of an attribute")
            return super()._member(node, names)
        self.lenient += node.safe
        target, kind = self.emit(node.target, names)
        self.lenient -= node.safe
        if not _is_element(kind):
            self.escape(kind)
            return self.member_of((target, None), node, names)
        return self._inside(target, kind, f"@{node.name}", names)

    def _index(self, node: tree.Index, names: Names) -> Emitted:
        """`x["soap:Body"]` is how names are written that are no words."""
        name = node.index.value if isinstance(node.index, tree.Literal) else None
        if not isinstance(name, str) or node.safe or name in TEXT or name.startswith(("@", "^")):
            return super()._index(node, names)
        target, kind = self.emit(node.target, names)
        if not _is_element(kind):
            self.escape(kind)
            return py("INDEX({}, {})", target, repr(name)), None
        return self._inside(target, kind, name, names)

    def _inside(self, target: Code, kind: Place, name: str, names: Names) -> Emitted:
        if kind.form == "list":
            raise CannotCompile("a property of an array")
        if not self.lenient:
            kind.required = kind.required or kind.form is None
        inner = kind.field(name)
        return self._attribute(target, kind, inner, names), self.known(inner)

    def use(self, kind: Kind, word: str) -> Kind:
        if _is_attribute(kind) and word == "num?":
            self.escape(kind)
            return None
        return super().use(kind, word)

    def truth(self, node: tree.Expr, names: Names) -> Code:
        code, kind = self.emit(node, names)
        if _is_attribute(kind):
            self.escape(kind)
            return py("TRUE({})", code)
        return super().truth(node, names)

    def _joined(self, left: tuple[Code, Kind], right: tuple[Code, Kind], names: Names) -> Emitted:
        return super()._joined(self._as_text(left, right[1]), self._as_text(right, left[1]), names)

    def _as_text(self, operand: tuple[Code, Kind], other: Kind) -> tuple[Code, Kind]:
        if _is_attribute(operand[1]) and other != "str":
            self.escape(operand[1])
            return operand[0], None
        return operand

    def _ready(self, declared: Function, at: int, kind: Kind) -> bool:
        parameters = declared.signature.parameters
        if _is_attribute(kind) and at < len(parameters) and parameters[at].type == NUMBER:
            self.escape(kind)
            return False
        return super()._ready(declared, at, kind)


def settle_attributes(place: Place, *, strict: bool) -> None:
    """Correct the forms of attributes: numbers when nothing shows that they are not, else texts."""
    for inner in place.fields.values():
        if not _is_attribute(inner):
            settle_attributes(inner, strict=strict)
        elif inner.fields or inner.element is not None:
            raise CannotCompile("something inside of an attribute")
        elif strict:
            numbers = "num" in inner.uses
            inner.form = "any" if numbers and inner.uses != {"num"} else "num" if numbers else "str"
    if place.element is not None:
        settle_attributes(place.element, strict=strict)
