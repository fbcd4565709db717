"""One XSD made of several documents, with every name qualified by its namespace, and its simple types.

References (`type="po:Item"`) become `{namespace}Item`, so that prefixes no longer matter: two documents may use one
prefix for different namespaces, and one name for different things.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.xml_read import Builder, parse_document
from rolltop.transform.structure.references import ALONE, Files, place_of
from rolltop.transform.values import Node, parse_number

__all__ = ["KINDS", "NAMESPACE", "Documents", "built_in", "children", "facets", "is_xsd", "kind_of"]

NAMESPACE = "http://www.w3.org/2001/XMLSchema"
_NODES: dict[str, dict[str, Any]] = {
    "boolean": {"type": "boolean"},
    "decimal": {"type": "number"},
    "float": {"type": "number"},
    "double": {"type": "number"},
    "integer": {"type": "integer"},
    "long": {"type": "integer"},
    "int": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "short": {"type": "integer", "minimum": -(2**15), "maximum": 2**15 - 1},
    "byte": {"type": "integer", "minimum": -128, "maximum": 127},
    "positiveInteger": {"type": "integer", "minimum": 1},
    "nonNegativeInteger": {"type": "integer", "minimum": 0},
    "negativeInteger": {"type": "integer", "maximum": -1},
    "nonPositiveInteger": {"type": "integer", "maximum": 0},
    "unsignedLong": {"type": "integer", "minimum": 0},
    "unsignedInt": {"type": "integer", "minimum": 0},
    "unsignedShort": {"type": "integer", "minimum": 0},
    "unsignedByte": {"type": "integer", "minimum": 0, "maximum": 255},
    "date": {"type": "string", "format": "date"},
    "dateTime": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    "anyURI": {"type": "string", "format": "uri"},
    "base64Binary": {"type": "string", "contentEncoding": "base64"},
    "hexBinary": {"type": "string", "contentEncoding": "base16"},
    "anyType": {},
}
_FACETS = {
    "minLength": "minLength", "maxLength": "maxLength", "minInclusive": "minimum", "maxInclusive": "maximum",
    "minExclusive": "exclusiveMinimum", "maxExclusive": "exclusiveMaximum", "pattern": "pattern",
    "totalDigits": "totalDigits", "fractionDigits": "fractionDigits",
}  # fmt: skip
_NUMERIC = ("minLength", "maxLength", "length", "totalDigits", "fractionDigits")


def built_in(name: str) -> dict[str, Any] | None:
    """The node of a type of XML Schema itself, by its qualified name."""
    space, _, local = name.rpartition("}")
    return dict(_NODES.get(local, {"type": "string"})) if space == f"{{{NAMESPACE}" else None


def facets(restriction: Node, base: dict[str, Any]) -> dict[str, Any]:
    """What a restriction allows, in JSON Schema's words."""
    found: dict[str, Any] = {}
    values: list[Any] = []
    numeric = base.get("type") in ("number", "integer")
    for parts in restriction.values():
        for part in parts if isinstance(parts, list) else [parts]:
            if not isinstance(part, Node) or "value" not in part.attributes:
                continue
            kind, text = (part.name or "").rpartition(":")[2], part.attributes["value"]
            if kind == "enumeration":
                values.append(_value(text) if numeric else text)
            elif kind == "length":
                found["minLength"] = found["maxLength"] = _value(text)
            elif kind in _FACETS:
                found[_FACETS[kind]] = _value(text) if numeric or kind in _NUMERIC else text
    return {**found, "enum": values} if values else found


def _value(text: str) -> Any:
    number = parse_number(text)
    return text if number is None else number


KINDS = ("element", "complexType", "simpleType", "group", "attributeGroup", "attribute")
_NAMES = ("type", "ref", "base", "itemType", "memberTypes", "substitutionGroup")
_OUTSIDE = ("include", "import", "redefine", "override")
_XML = "http://www.w3.org/XML/1998/namespace"


def is_xsd(document: Any) -> bool:
    """Whether an XML document is a schema."""
    if not isinstance(document, dict) or len(document) != 1:
        return False
    name, root = next(iter(document.items()))
    if not isinstance(root, Node) or name.rpartition(":")[2] != "schema":
        return False
    return NAMESPACE in root.attributes.values()


class Documents:
    """A schema and what it includes and imports, each document once."""

    def __init__(self, text: str, files: Files = ALONE) -> None:
        self.files = files
        self.named: dict[str, dict[str, Node]] = {kind: {} for kind in KINDS}
        self.roots: dict[str, Node] = {}
        """Global elements of the main document and those that it includes."""
        self.substitutes: dict[str, list[str]] = {}
        self.notes: list[str] = []
        self._seen: set[tuple[str, str]] = set()
        self.main = _schema(text)
        self.namespace = self.main.attributes.get("targetNamespace", "")
        self._add(self.main, files.name, self.namespace)

    def _add(self, schema: Node, place: str, namespace: str) -> None:
        _qualify(schema, {}, namespace)
        for outside in children(schema, *_OUTSIDE):
            self._follow(outside, place, namespace)
            if kind_of(outside) in ("redefine", "override"):
                self._declare(outside, namespace)
        self._declare(schema, namespace)

    def _declare(self, holder: Node, namespace: str) -> None:
        for kind in KINDS:
            for part in children(holder, kind):
                local = part.attributes.get("name")
                if local is None:
                    continue
                name = f"{{{namespace}}}{local}"
                # What redefines a type extends the one of that name: the first stays what it was.
                self.named[kind].setdefault(name, part)
                if kind == "element":
                    self._declare_element(name, part, namespace)

    def _declare_element(self, name: str, part: Node, namespace: str) -> None:
        head = part.attributes.get("substitutionGroup")
        if head is not None:
            self.substitutes.setdefault(head, []).append(name)
        if namespace == self.namespace:
            self.roots.setdefault(name, part)

    def _follow(self, outside: Node, base: str, namespace: str) -> None:
        location = outside.attributes.get("schemaLocation")
        if location and base and place_of(base, location) == self.files.name:
            return  # back to where it began
        shown = location or outside.attributes.get("namespace", "")
        found = self.files.find(base, location) if location else None
        if found is None:
            if outside.attributes.get("namespace") != _XML:
                self._note(f"{kind_of(outside)} of {shown} is not followed")
            return
        place, text = found
        try:
            schema = _schema(text)
        except ReadFailure as failure:
            self._note(f"{place} is left out: {failure.message}")
            return
        own = schema.attributes.get("targetNamespace", "")
        # A document without a namespace takes that of the one that includes it.
        space = own if own or kind_of(outside) == "import" else namespace
        if (place, space) not in self._seen:
            self._seen.add((place, space))
            self._add(schema, place, space)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _schema(text: str) -> Node:
    document = parse_document(text, Builder(keep_leaves=True))
    if not is_xsd(document):
        raise ReadFailure("an XSD has <xs:schema> as its root element", hint="Use format xml for other documents.")
    schema: Node = next(iter(document.values()))
    return schema


def _qualify(node: Node, prefixes: dict[str, str], namespace: str) -> None:
    """Write the names that a node and those in it refer to with their namespaces."""
    own = {
        name.partition(":")[2]: uri
        for name, uri in node.attributes.items()
        if name == "xmlns" or name.startswith("xmlns:")
    }
    prefixes = {**prefixes, **own} if own else prefixes
    for attribute in _NAMES:
        value = node.attributes.get(attribute)
        if value is not None:
            node.attributes[attribute] = " ".join(_qualified(part, prefixes, namespace) for part in value.split())
    for child in children(node):
        _qualify(child, prefixes, namespace)


def _qualified(name: str, prefixes: dict[str, str], namespace: str) -> str:
    prefix, _, local = name.rpartition(":")
    if prefix == "xml":
        return f"{{{_XML}}}{local}"
    return f"{{{prefixes.get(prefix, '' if prefix else namespace)}}}{local}"


def kind_of(node: Node) -> str:
    return (node.name or "").rpartition(":")[2]


def children(node: Node, *kinds: str) -> Iterator[Node]:
    for value in node.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Node) and (not kinds or kind_of(item) in kinds):
                yield item
