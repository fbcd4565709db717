"""XSD to a structure: types written out where they are used, attributes, facets, cardinality."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.xml_read import Builder, parse_document
from rolltop.transform.structure.xsd_simple import NAMESPACE, BuiltIn, facets
from rolltop.transform.values import Node, scalar_text, unwrap

__all__ = ["is_xsd", "structure_of_xsd"]

_DEEPEST = 60
_MOST_TYPES = 3000
"""Types that are written out; a schema whose types use each other often would grow without end."""


def is_xsd(document: Any) -> bool:
    """Whether an XML document is a schema."""
    if not isinstance(document, dict) or len(document) != 1:
        return False
    name, root = next(iter(document.items()))
    if not isinstance(root, Node) or name.rpartition(":")[2] != "schema":
        return False
    return NAMESPACE in root.attributes.values()


def structure_of_xsd(text: str) -> dict[str, Any]:
    """One property per global element; a schema without elements shows its types."""
    document = parse_document(text, Builder(keep_leaves=True))
    schema = next(iter(document.values()))
    if not is_xsd(document):
        raise ReadFailure("an XSD has <xs:schema> as its root element", hint="Use format xml for other documents.")
    return _Reader(schema).structure()


class _Reader:
    def __init__(self, schema: Node) -> None:
        self.schema = schema
        self.named = {
            kind: {part.attributes["name"]: part for part in _children(schema, kind) if "name" in part.attributes}
            for kind in ("element", "complexType", "simpleType", "group", "attributeGroup", "attribute")
        }
        self.simple = BuiltIn(schema)
        self.written = 0
        self.notes: list[str] = []

    def structure(self) -> dict[str, Any]:
        elements, types = self.named["element"], self.named["complexType"]
        if elements:
            nodes = {name: self._element(part, ()) for name, part in elements.items()}
        else:
            nodes = {name: self._complex(part, (name,)) for name, part in types.items()}
            self._note("no global element: its types are shown")
        used = {
            ref.attributes["ref"].rpartition(":")[2] for ref in _descendants(self.schema) if "ref" in ref.attributes
        }
        roots = {name: node for name, node in nodes.items() if name not in used} or nodes
        for outside in _children(self.schema, "import", "include", "redefine"):
            place = outside.attributes.get("schemaLocation") or outside.attributes.get("namespace", "")
            self._note(f"{_kind(outside)} of {place} is not followed")
        structure: dict[str, Any] = {"type": "object", "properties": roots}
        if len(roots) == 1:
            structure["required"] = list(roots)
        if namespace := self.schema.attributes.get("targetNamespace"):
            structure["namespace"] = namespace
        return {**structure, "notes": self.notes} if self.notes else structure

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # ---- elements ---------------------------------------------------------------------------

    def _element(self, element: Node, inside: tuple[str, ...]) -> dict[str, Any]:
        declared = element.attributes.get("type")
        if declared is not None:
            node = self._named_type(declared, inside)
        elif (complex_ := next(_children(element, "complexType"), None)) is not None:
            node = self._complex(complex_, inside)
        elif (simple := next(_children(element, "simpleType"), None)) is not None:
            node = self._simple(simple, inside)
        else:
            node = {"type": "string"}
        for mark in ("default", "fixed"):
            if mark in element.attributes:
                node["default" if mark == "default" else "const"] = element.attributes[mark]
        if element.attributes.get("nillable") == "true":
            node["nullable"] = True
        note = _documentation(element)
        return {**node, "description": note} if note else node

    def _named_type(self, name: str, inside: tuple[str, ...]) -> dict[str, Any]:
        local = name.rpartition(":")[2]
        if self.simple.is_built_in(name):
            return self.simple.node(local)
        if local in inside:
            return {"type": "object", "recursive": local}
        self.written += 1
        if self.written > _MOST_TYPES or len(inside) > _DEEPEST:
            return {"type": "object", "description": f"{name}, not written out again"}
        if local in self.named["complexType"]:
            return self._complex(self.named["complexType"][local], (*inside, local))
        if local in self.named["simpleType"]:
            return self._simple(self.named["simpleType"][local], (*inside, local))
        return {"description": f"{name}, defined in another schema"}

    def _simple(self, type_: Node, inside: tuple[str, ...]) -> dict[str, Any]:
        for restriction in _children(type_, "restriction"):
            base = restriction.attributes.get("base")
            inner = next(_children(restriction, "simpleType"), None)
            known = self._named_type(base, inside) if base else self._simple(inner, inside) if inner else {}
            return {**known, **facets(restriction, known)}
        for list_ in _children(type_, "list"):
            item = list_.attributes.get("itemType")
            return {"type": "string", "listOf": self._named_type(item, inside) if item else {"type": "string"}}
        for union in _children(type_, "union"):
            names = union.attributes.get("memberTypes", "").split()
            options = [self._named_type(name, inside) for name in names]
            options += [self._simple(part, inside) for part in _children(union, "simpleType")]
            return {"anyOf": options}
        return {"type": "string"}

    # ---- complex types ----------------------------------------------------------------------

    def _complex(self, type_: Node, inside: tuple[str, ...]) -> dict[str, Any]:
        node: dict[str, Any] = {"type": "object", "properties": {}}
        self._fill(type_, node, inside, optional=False)
        if type_.attributes.get("mixed") == "true":
            node["mixed"] = True
            node["properties"].setdefault("_text", {"type": "string", "cardinality": "0..1"})
        note = _documentation(type_)
        return {**node, "description": note} if note else node

    def _fill(self, holder: Node, node: dict[str, Any], inside: tuple[str, ...], *, optional: bool) -> None:
        """Add what a type, group or extension holds."""
        for part in _children(holder):
            kind = _kind(part)
            if kind in ("sequence", "all", "choice"):
                self._group(part, node, inside, optional=optional, repeated=False)
            elif kind == "group":
                self._group_reference(part, node, inside, optional=optional, repeated=False)
            elif kind in ("complexContent", "simpleContent"):
                self._derived(part, node, inside)
            elif kind == "attribute":
                self._attribute(part, node, inside)
            elif kind == "attributeGroup":
                named = self.named["attributeGroup"].get(part.attributes.get("ref", "").rpartition(":")[2])
                if named is not None and len(inside) < _DEEPEST:
                    self._fill(named, node, (*inside, ""), optional=optional)

    def _derived(self, content: Node, node: dict[str, Any], inside: tuple[str, ...]) -> None:
        for part in _children(content, "extension", "restriction"):
            base = part.attributes.get("base", "")
            local = base.rpartition(":")[2]
            known = {} if local in inside and local in self.named["complexType"] else self._named_type(base, inside)
            if known.get("type") == "object" and "properties" in known:
                _merge(node, known)
            elif _kind(content) == "simpleContent":
                node["properties"]["_text"] = {**known, **facets(part, known), "cardinality": "1"}
                _require(node, "_text")
            self._fill(part, node, inside, optional=False)

    def _group(
        self, group: Node, node: dict[str, Any], inside: tuple[str, ...], *, optional: bool, repeated: bool
    ) -> None:
        choice = _kind(group) == "choice"
        optional = optional or choice or group.attributes.get("minOccurs") == "0"
        repeated = repeated or _is_many(group)
        for part in _children(group):
            kind = _kind(part)
            if kind == "element":
                self._member(part, node, inside, optional=optional, repeated=repeated)
            elif kind in ("sequence", "choice", "all"):
                self._group(part, node, inside, optional=optional, repeated=repeated)
            elif kind == "group":
                self._group_reference(part, node, inside, optional=optional, repeated=repeated)
            elif kind == "any":
                node["additionalProperties"] = True

    def _group_reference(
        self, group: Node, node: dict[str, Any], inside: tuple[str, ...], *, optional: bool, repeated: bool
    ) -> None:
        named = self.named["group"].get(group.attributes.get("ref", "").rpartition(":")[2])
        if named is None or len(inside) > _DEEPEST:
            return
        optional = optional or group.attributes.get("minOccurs") == "0"
        for part in _children(named, "sequence", "choice", "all"):
            self._group(part, node, (*inside, ""), optional=optional, repeated=repeated or _is_many(group))

    def _member(
        self, element: Node, node: dict[str, Any], inside: tuple[str, ...], *, optional: bool, repeated: bool
    ) -> None:
        reference = element.attributes.get("ref", "").rpartition(":")[2]
        name = element.attributes.get("name") or reference
        target = self.named["element"].get(reference, element) if reference else element
        if reference and f"element {reference}" in inside:
            shown: dict[str, Any] = {"type": "object", "recursive": reference}
        else:
            shown = self._element(target, (*inside, f"element {reference}") if reference else inside)
        optional = optional or element.attributes.get("minOccurs") == "0"
        if repeated or _is_many(element):
            shown = {"type": "array", "items": shown, **_bounds(element)}
            shown["cardinality"] = "0..n" if optional else "1..n"
        else:
            shown["cardinality"] = "0..1" if optional else "1"
        node["properties"][name] = shown
        if not optional:
            _require(node, name)

    def _attribute(self, attribute: Node, node: dict[str, Any], inside: tuple[str, ...]) -> None:
        reference = attribute.attributes.get("ref", "").rpartition(":")[2]
        target = self.named["attribute"].get(reference, attribute) if reference else attribute
        name = attribute.attributes.get("name") or attribute.attributes.get("ref", "")
        if attribute.attributes.get("use") == "prohibited":
            return
        node.setdefault("attributes", {})[name] = self._element(target, inside)
        if attribute.attributes.get("use") == "required":
            _require(node, f"@{name}")


def _merge(node: dict[str, Any], base: dict[str, Any]) -> None:
    node["properties"].update(base["properties"])
    if "attributes" in base:
        node.setdefault("attributes", {}).update(base["attributes"])
    for name in base.get("required", ()):
        _require(node, name)


def _require(node: dict[str, Any], name: str) -> None:
    required = node.setdefault("required", [])
    if name not in required:
        required.append(name)


def _is_many(part: Node) -> bool:
    return part.attributes.get("maxOccurs", "1") not in ("0", "1")


def _bounds(element: Node) -> dict[str, int]:
    least, most = element.attributes.get("minOccurs", "1"), element.attributes.get("maxOccurs", "1")
    bounds = {"minItems": int(least)} if least.isdigit() else {}
    return {**bounds, "maxItems": int(most)} if most.isdigit() and most != "1" else bounds


def _kind(node: Node) -> str:
    return (node.name or "").rpartition(":")[2]


def _children(node: Node, *kinds: str) -> Iterator[Node]:
    for value in node.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Node) and (not kinds or _kind(item) in kinds):
                yield item


def _descendants(node: Node) -> Iterator[Node]:
    for child in _children(node):
        yield child
        yield from _descendants(child)


def _documentation(node: Node) -> str | None:
    for annotation in _children(node, "annotation"):
        for documentation in _children(annotation, "documentation"):
            text = documentation.get("_text")
            return scalar_text(unwrap(text)) if text is not None else None
    return None
