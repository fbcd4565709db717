"""Type rules of arrays and objects as programs write them."""

from __future__ import annotations

from rolltop.transform.check.bindings import BindingRules
from rolltop.transform.check.scope import Names
from rolltop.transform.check.shapes import members
from rolltop.transform.syntax import tree
from rolltop.transform.types import ANY, STRING, ArrayType, ObjectType, Type, union

__all__ = ["ConstructionRules"]


class ConstructionRules(BindingRules):
    """Literals with parts."""

    def _array(self, node: tree.ArrayLiteral, names: Names) -> Type:
        items: list[Type] = []
        for item in node.items:
            if isinstance(item, tree.Spread):
                spread = self.infer(item.value, names)
                items.extend(m.item for m in members(spread) if isinstance(m, ArrayType))
                items.extend(ANY for m in members(spread) if m is ANY)
            else:
                items.append(self.infer(item, names))
        return ArrayType(union(items))

    def _object(self, node: tree.ObjectLiteral, names: Names) -> Type:
        if node.bindings:
            names = names.inner()
            self._bind(node.bindings, names)
        fields: dict[str, Type] = {}
        required: set[str] = set()
        rest: Type | None = None
        for entry in node.entries:
            value = self.infer(entry.value, names)
            if entry.kind == "spread":
                rest = self._spread(value, fields, required, rest)
            elif entry.kind == "computed":
                assert entry.key_expr is not None
                self.infer(entry.key_expr, names)
                rest = value if rest is None else union((rest, value))
                # A computed key may be any of the known ones.
                fields = {name: union((type_, value)) for name, type_ in fields.items()}
            else:
                key = "@" + entry.key if entry.kind == "attribute" else entry.key
                fields[key] = STRING if entry.kind == "attribute" else value
                required.add(key)
        return ObjectType(tuple(fields.items()), frozenset(required), rest)

    def _spread(self, value: Type, fields: dict[str, Type], required: set[str], rest: Type | None) -> Type | None:
        parts = members(value)
        only = len(parts) == 1
        for part in parts:
            if isinstance(part, ObjectType):
                for name, type_ in part.fields:
                    if name.startswith("@"):
                        continue
                    sure = only and name in part.required
                    known = fields.get(name)
                    fields[name] = type_ if sure or known is None else union((known, type_))
                    if sure:
                        required.add(name)
                if part.rest is not None:
                    rest = part.rest if rest is None else union((rest, part.rest))
                    for name, known_type in fields.items():
                        if name not in part.index:
                            fields[name] = union((known_type, part.rest))
            elif part is ANY:
                rest = ANY
                for name in fields:
                    fields[name] = ANY
        return rest
