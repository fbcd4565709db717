"""What the names in an XSD mean: types of XML Schema, declarations of the schema itself, or of another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.schemas.builtins import universal
from rolltop.transform.schemas.xsd_tree import NAMESPACE, children, kind_of
from rolltop.transform.values import Node

__all__ = ["Names"]

_TYPES = {
    "string": "string", "boolean": "boolean", "decimal": "decimal", "float": "number", "double": "double",
    "date": "date", "dateTime": "datetime", "time": "time",
    "long": "long", "unsignedLong": "long",
    "byte": "binary", "base64Binary": "binary", "hexBinary": "binary",
} | dict.fromkeys(
    (
        "int", "integer", "short", "positiveInteger", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger",
        "unsignedInt", "unsignedShort", "unsignedByte",
    ),
    "integer",
)  # fmt: skip


class Names:
    """The prefixes and the global declarations of a schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.attributes: Mapping[str, str] = getattr(schema, "attributes", {})
        self.target = self.attributes.get("targetNamespace")
        self.types = {
            type_.attributes["name"]: type_
            for type_ in children(schema, "complexType", "simpleType")
            if "name" in type_.attributes
        }
        self.declared = {
            kind: {node.attributes.get("name", ""): node for node in children(schema, kind)}
            for kind in ("element", "attribute", "group", "attributeGroup")
        }

    def find(self, kind: str, reference: str | None) -> Node | None:
        """The global declaration that a `ref` is about."""
        return self.declared[kind].get(self._own(reference)) if reference else None

    def declaration(self, node: Node) -> Node:
        """What an element or an attribute refers to, else itself."""
        found = self.find(kind_of(node), node.attributes.get("ref"))
        return node if found is None else found

    def own_type(self, name: str | None) -> str | None:
        """The name in `%types` of a type that this schema declares."""
        local = self._own(name) if name else ""
        return local if local in self.types else None

    def described(self, name: str) -> dict[str, Any]:
        """`%type` as it is documented (names of other types stay as they are written), and what it means."""
        prefix, _, local = name.rpartition(":")
        own = self.own_type(name)
        if own is not None:
            return {"%type": name} if own == name else {"%type": name, "%means": {name: own}}
        space = self._space(prefix)
        if space == NAMESPACE or (space is None and prefix in ("", "xs", "xsd")):
            type_, nearest = _TYPES.get(local, local), universal(local)
            known = local in _TYPES and nearest != _TYPES[local] and nearest in ("integer", "long", "float")
            return {"%type": type_, "%means": {type_: nearest}} if known else {"%type": type_}
        return {"%type": name}

    def _space(self, prefix: str) -> str | None:
        return self.attributes.get(f"xmlns:{prefix}" if prefix else "xmlns")

    def _own(self, name: str) -> str:
        """The local part of a name in the schema's own namespace, else nothing."""
        prefix, _, local = name.rpartition(":")
        space = self._space(prefix)
        # Without a prefix and a default namespace it can only be the schema's own, whatever its target.
        return local if space == self.target or (space is None and not prefix) else ""
