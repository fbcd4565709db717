"""Type rules of properties, attributes, metadata and indices."""

from __future__ import annotations

from rolltop.transform.check.rules import Rules
from rolltop.transform.check.scope import Names
from rolltop.transform.check.shapes import attribute_of, element_of, property_of
from rolltop.transform.run.scope import closest
from rolltop.transform.syntax import tree
from rolltop.transform.types import ANY, NEVER, NULL, STRING, ArrayType, ObjectType, Type, UnionType, union

__all__ = ["ReachingRules"]

_OTHER_MEMBERS: dict[str, Type] = {
    "values": ArrayType(ANY),
    "attributes": ArrayType(STRING),
    "metadata": union((STRING, NULL)),
}


class ReachingRules(Rules):
    """Reaching into values."""

    def _member(self, node: tree.Member, names: Names) -> Type:
        target = self.infer(node.target, names)
        kind = node.kind
        if kind != "property":
            return attribute_of(target, node.name) if kind == "attribute" else _OTHER_MEMBERS[kind]
        if target is ANY:
            return ANY
        found = property_of(target, node.name)
        if found is NEVER and target is not NEVER and not node.safe:
            self._no_member(node, target)
            return ANY
        self._unknown_member(node, target, found)
        return union((found, NULL)) if node.safe else found

    def _no_member(self, node: tree.Member, target: Type) -> None:
        hint = f"Map over it: map(items, x => x.{node.name})." if isinstance(target, ArrayType) else None
        self.findings.error("E503", f"Cannot access property '{node.name}' of {target}", node.at, hint=hint)

    def _unknown_member(self, node: tree.Member, target: Type, found: Type) -> None:
        """A closed object that lacks the property: always null, hardly meant."""
        if found is not NULL or not isinstance(target, ObjectType) or node.name in target.index:
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
                return _OTHER_MEMBERS["metadata"]
            found = attribute_of(target, text[1:]) if text[:1] == "@" else property_of(target, text)
            if found is not NEVER:
                return found
        if isinstance(target, ArrayType) and (key is STRING or isinstance(key, (ArrayType, ObjectType))):
            self.findings.error("E504", "Array index must be a number", node.at, hint=f"It is {key}.")
        if _is_negative(node.index):
            self._negative(node, target)
        if isinstance(target, ArrayType):
            return target.item
        return element_of(target) if isinstance(target, UnionType) else ANY

    def _negative(self, node: tree.Index, target: Type) -> None:
        hint = "The last element is last(items); the one before it items[count(items) - 2]."
        if isinstance(target, ArrayType):
            self.findings.error("E504", "An array has no negative index", node.at, hint=hint)
        elif target is ANY:
            self.findings.warning("W504", "An array has no negative index", node.at, hint=hint)


def _is_negative(index: tree.Expr) -> bool:
    sign = 1
    if isinstance(index, tree.Unary) and index.op == "-":
        sign, index = -1, index.operand
    return isinstance(index, tree.Literal) and type(index.value) in (int, float) and index.value * sign <= -1
