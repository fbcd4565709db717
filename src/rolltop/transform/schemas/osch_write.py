"""An OData schema (EDMX 4.0) from a description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rolltop.transform.schemas.completion import Types, complete, mentioned, named_parts
from rolltop.transform.schemas.model import (
    Distinct,
    distinct,
    dotted,
    fields_of,
    flag,
    text_of,
    unaliased,
    universal,
    whole,
    wide,
    word,
)
from rolltop.transform.values import Node, scalar_text

__all__ = ["generate"]

_NAMESPACE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_FROM_UNIVERSAL = {
    "string": "Edm.String", "boolean": "Edm.Boolean", "integer": "Edm.Int32", "int": "Edm.Int32", "long": "Edm.Int64",
    "number": "Edm.Double", "double": "Edm.Double", "float": "Edm.Single", "decimal": "Edm.Decimal",
    "date": "Edm.Date", "time": "Edm.TimeOfDay", "datetime": "Edm.DateTimeOffset", "binary": "Edm.Binary",
    "bytes": "Edm.Binary",
}  # fmt: skip
_FACETS = {
    "%maxLength": ("Edm.String", "Edm.Binary", "Edm.Stream"),
    "%precision": ("Edm.Decimal", "Edm.DateTimeOffset", "Edm.Duration", "Edm.TimeOfDay"),
    "%scale": ("Edm.Decimal",),
}


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> Node:
    types = complete(value, "osch")
    namespace = text_of(value, "%namespace") or str(options.get("namespace") or "Default")
    if _NAMESPACE.fullmatch(namespace) is None:
        namespace = dotted(namespace) or "Default"
    generator = _Generator(types, namespace)
    content = generator.content()
    content["EntityContainer"] = generator.container(value.get("%entityContainer"), content.get("EntityType", []))
    attributes = {"xmlns": "http://docs.oasis-open.org/odata/ns/edm", "Namespace": namespace}
    alias = text_of(value, "%alias")
    if alias:
        attributes["Alias"] = alias
    edmx = {"xmlns:edmx": "http://docs.oasis-open.org/odata/ns/edmx", "Version": text_of(value, "%version") or "4.0"}
    schema = Node(content, attributes)
    return Node({"edmx:Edmx": Node({"edmx:DataServices": {"Schema": schema}}, edmx)})


class _Generator:
    def __init__(self, types: Types, namespace: str) -> None:
        self.types = types
        self.namespace = namespace
        self.names = dict(zip(types, distinct(types, allowed=word), strict=True))
        self.used = {inner for name, type_ in types.items() for inner in mentioned(type_) if inner != name}
        self.distinct = Distinct(self.names.values())
        self.open: list[Node] = []
        """Types of properties that hold any names, which OData has no other way to say."""

    def content(self) -> dict[str, Any]:
        parts: dict[str, list[Node]] = {"EntityType": [], "ComplexType": [], "EnumType": []}
        for name, type_ in self.types.items():
            kind = type_.get("%kind")
            if kind == "enumeration":
                parts["EnumType"].append(self._enum(name, type_))
            elif kind == "structure":  # any other is only another name for something: written where it is used
                parts["EntityType" if self._is_entity(name, type_) else "ComplexType"].append(
                    self._structure(name, type_)
                )
        parts["ComplexType"] += self.open
        return {key: nodes for key, nodes in parts.items() if nodes}

    def _is_entity(self, name: str, type_: Mapping[str, Any]) -> bool:
        """Whether it has sets of its own, if that is not said: what is in others cannot be one."""
        return flag(type_, "%entityType", default=name not in self.used)

    def _structure(self, name: str, type_: Mapping[str, Any]) -> Node:
        given = fields_of(type_)
        shown = distinct((field["%name"] for field in given), allowed=word)
        fields = [(called, unaliased(field, self.types)) for called, field in zip(shown, given, strict=True)]
        content: dict[str, Any] = {}
        keys = [Node((), {"Name": called}) for called, field in fields if flag(field, "%key")]
        if keys:
            content["Key"] = {"PropertyRef": keys}
        plain = [
            self._property(called, field, f"{name}_{called}") for called, field in fields if not self._leads(field)
        ]
        if plain:
            content["Property"] = plain
        links = [self._link(link) for link in named_parts(type_, "%navigation")]
        links += [self._property(called, field, called) for called, field in fields if self._leads(field)]
        if links:
            content["NavigationProperty"] = links
        attributes = {"Name": self.names[name]}
        if type_.get("%baseType"):
            attributes["BaseType"] = self._qualified(str(type_["%baseType"]))
        if flag(type_, "%abstract"):
            attributes["Abstract"] = "true"
        return Node(content, attributes)

    def _leads(self, field: Mapping[str, Any]) -> bool:
        """Whether a field leads to an entity, which no property can hold."""
        name = str(field.get("%type"))
        type_ = self.types.get(name, {})
        return type_.get("%kind") == "structure" and not flag(field, "%map") and self._is_entity(name, type_)

    def _property(self, called: str, field: Mapping[str, Any], suggested: str) -> Node:
        edm = self._edm(field, suggested)
        many = flag(field, "%array") and not edm.startswith("Collection(")
        attributes = {"Name": called, "Type": f"Collection({edm})" if many else edm}
        required = flag(field, "%required") and not flag(field, "%nullable")
        if (required and not (many and self._leads(field))) or flag(field, "%key"):
            attributes["Nullable"] = "false"
        for directive, allowed in _FACETS.items():
            if field.get(directive) is not None and edm in allowed:
                attributes[directive[1].upper() + directive[2:]] = scalar_text(field[directive]) or ""
        if field.get("%defaultValue") is not None:
            attributes["DefaultValue"] = scalar_text(field["%defaultValue"]) or ""
        return Node((), attributes)

    def _edm(self, field: Mapping[str, Any], suggested: str) -> str:
        """The type of a property, or of what is in it if there are many."""
        said = text_of(field, "%schemaType")
        if said:
            return said
        name = "map" if flag(field, "%map") and not flag(field, "%array") else str(field.get("%type", "string"))
        if name in self.types:
            return f"{self.namespace}.{self.names[name]}"
        name = name if name in _FROM_UNIVERSAL else universal(name)
        if name == "integer" and wide(field):
            name = "long"
        return self._open_type(suggested) if name in ("map", "object") else _FROM_UNIVERSAL.get(name, "Edm.String")

    def _open_type(self, suggested: str) -> str:
        name = self.distinct(word(suggested))
        self.open.append(Node((), {"Name": name, "OpenType": "true"}))
        return f"{self.namespace}.{name}"

    def _qualified(self, name: str) -> str:
        """The name of a type as another one refers to it, in the namespace that is written."""
        before, opened, rest = name.rpartition("(")
        known = self.names.get(rest.rstrip(")").rpartition(".")[2])
        if known is None:
            return name
        return f"{before}({self.namespace}.{known})" if opened else f"{self.namespace}.{known}"

    def _link(self, link: Mapping[str, Any]) -> Node:
        target = text_of(link, "%target", "%type")
        parts = {
            "Name": text_of(link, "%name"),
            "Type": self._qualified(target) if target else None,
            "Partner": text_of(link, "%partner"),
        }
        return Node((), {key: text for key, text in parts.items() if text})

    def _enum(self, name: str, type_: Mapping[str, Any]) -> Node:
        items = [item if isinstance(item, dict) else {"%value": item} for item in type_.get("%values") or []]
        shown = distinct((text_of(item, "%value") or "" for item in items), allowed=word)
        members = []
        for position, (called, item) in enumerate(zip(shown, items, strict=True)):
            number = whole(item.get("%ordinal"))
            members.append(Node((), {"Name": called, "Value": str(position if number is None else number)}))
        return Node({"Member": members} if members else {}, {"Name": self.names[name]})

    def container(self, given: Any, entities: list[Node]) -> Node:
        """The given container, else one with a set per entity type."""
        if isinstance(given, dict):
            sets = [
                Node(
                    (),
                    {
                        "Name": text_of(part, "%name") or "",
                        "EntityType": self._qualified(text_of(part, "%entityType") or ""),
                    },
                )
                for part in given.get("%entitySets") or []
            ]
            return Node({"EntitySet": sets} if sets else {}, {"Name": text_of(given, "%name") or "Container"})
        names = [node.attributes["Name"] for node in entities if node.attributes.get("Abstract") != "true"]
        sets = [
            Node((), {"Name": plural, "EntityType": f"{self.namespace}.{name}"})
            for name, plural in zip(names, distinct(map(_plural, names), allowed=word), strict=True)
        ]
        return Node({"EntitySet": sets} if sets else {}, {"Name": "Container"})


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
