"""Type rules of properties, attributes, metadata and indices."""

from __future__ import annotations

from collections.abc import Iterable

from rolltop.transform.check.rules import Rules
from rolltop.transform.check.scope import Names
from rolltop.transform.check.shapes import attribute_of, element_of, is_map, members, not_null, property_of
from rolltop.transform.run.scope import closest
from rolltop.transform.syntax import tree
from rolltop.transform.types import ANY, NEVER, NULL, STRING, ArrayType, ObjectType, Type, UnionType, union

__all__ = ["ReachingRules"]

_OF_GROUPS = frozenset({"key", "value", "values", "items", "group", "count", "length"})
"""What people expect of a group that other languages give them."""
_TEXT = ("_text", "#text")
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
        if kind == "attribute":
            found = attribute_of(target, node.name)
            self._unknown_field(node, target, node.name, attribute=True)
            return found
        if kind != "property":
            return _OTHER_MEMBERS[kind]
        if target is ANY:
            return ANY
        found = property_of(target, node.name)
        if found is NEVER and target is not NEVER and not node.safe:
            self._no_member(node, target)
            return ANY
        self._unknown_field(node, target, node.name)
        return union((found, NULL)) if node.safe else found

    def _no_member(self, node: tree.Member, target: Type) -> None:
        hint = f"Map over it: map(items, x => x.{node.name})." if isinstance(target, ArrayType) else None
        self.findings.error("E503", f"Cannot access property '{node.name}' of {target}", node.at, hint=hint)

    def _unknown_field(self, node: tree.Expr, target: Type, name: str, *, attribute: bool = False) -> None:
        """A field that no object here has: null if it is closed, probably misspelled if a schema names its fields."""
        if (
            is_map(target)
            and isinstance(target, ObjectType)
            and isinstance(target.rest, ArrayType)
            and name in _OF_GROUPS
        ):
            hint = "mapGroups(items, key, g => …) calls with g.key and g.value; entries(x) gives [key, value] pairs."
            self.findings.doubt("W509", f"groupBy gives an object by key, which has no '{name}'", node.at, hint=hint)
            return
        objects = [member for member in members(target) if isinstance(member, ObjectType)]
        others = [member for member in members(target) if not isinstance(member, ObjectType) and member is not NULL]
        wanted = (name, f"@{name}") if attribute else (name,)
        if not objects or others or name in _TEXT or any(each in kind.index for kind in objects for each in wanted):
            return
        if not all(kind.rest is None or kind.described for kind in objects):
            return
        known = {field: None for kind in objects for field in kind.index}
        hint, sure = _field_hint(name, known, objects, attribute=attribute)
        closed = all(kind.rest is None for kind in objects)
        shown = f"@{name}" if attribute else name
        message = f"Property '{shown}' does not exist here" if closed else f"The input's schema has no '{shown}' here"
        # What looks like a slip is one, also where a default stands beside it.
        note = self.findings.doubt if sure else self.findings.warning
        note("W501" if closed else "W507", message, node.at, hint=hint)

    def _index(self, node: tree.Index, names: Names) -> Type:
        target = self.infer(node.target, names)
        key = self.infer(node.index, names)
        if isinstance(node.index, tree.Literal) and isinstance(node.index.value, str):
            text = node.index.value
            if text[:1] == "^":
                return _OTHER_MEMBERS["metadata"]
            marked = text[:1] == "@"
            found = attribute_of(target, text[1:]) if marked else property_of(target, text)
            if found is not NEVER:
                self._unknown_field(node, target, text.removeprefix("@"), attribute=marked)
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


def _field_hint(name: str, known: Iterable[str], objects: list[ObjectType], *, attribute: bool) -> tuple[str, bool]:
    """What to write instead, and whether that is likely what was meant."""
    plain = [field for field in known if not field.startswith("@")]
    if not attribute and f"@{name}" in known:
        return f"It is an attribute: write .@{name}", True
    if len(plain) == 1 and not attribute:
        inner = not_null(property_of(union(objects), plain[0]))
        if isinstance(inner, ObjectType) and name in inner.index:
            return f"It is inside of {plain[0]}: write .{plain[0]}.{name}", True
    candidates = [field.removeprefix("@") for field in known if field.startswith("@") or not attribute]
    near = closest(name, candidates)
    if near:
        mark = "@" if f"@{near}" in known and near not in plain else ""
        return f"Did you mean `{mark}{near}`?", True
    return f"It has {', '.join(sorted(known)[:8]) or 'no fields'}.", False


def _is_negative(index: tree.Expr) -> bool:
    sign = 1
    if isinstance(index, tree.Unary) and index.op == "-":
        sign, index = -1, index.operand
    return isinstance(index, tree.Literal) and type(index.value) in (int, float) and index.value * sign <= -1
