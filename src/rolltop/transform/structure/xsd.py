"""XSD to a structure: types written out where they are used, attributes, facets, cardinality."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolltop.transform.structure.references import ALONE, Files
from rolltop.transform.structure.xsd_documents import Documents, built_in, facets, is_xsd
from rolltop.transform.structure.xsd_documents import children as _children
from rolltop.transform.structure.xsd_documents import kind_of as _kind
from rolltop.transform.values import Node, scalar_text, unwrap

__all__ = ["is_xsd", "structure_of_xsd"]

_DEEPEST = 60
_MOST_SUBSTITUTES = 200
_MOST_TYPES = 3000
"""Types that are written out; a schema whose types use each other often would grow without end."""


def structure_of_xsd(text: str, files: Files = ALONE) -> dict[str, Any]:
    """One property per global element; a schema without elements shows its types."""
    return _Reader(Documents(text, files)).structure()


class _Reader:
    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.named = documents.named
        self.written = 0
        self.notes = documents.notes

    def structure(self) -> dict[str, Any]:
        elements, types = self.documents.roots, self.named["complexType"]
        if elements:
            nodes = {name: self._element(part, ()) for name, part in elements.items()}
        else:
            nodes = {name: self._complex(part, (name,)) for name, part in types.items()}
            self._note("no global element: its types are shown")
        used = {ref.attributes["ref"] for ref in _descendants(self.documents.main) if "ref" in ref.attributes}
        used |= {name for names in self.documents.substitutes.values() for name in names}
        roots = {_local(name): node for name, node in nodes.items() if name not in used}
        roots = roots or {_local(name): node for name, node in nodes.items()}
        structure: dict[str, Any] = {"type": "object", "properties": roots}
        if len(roots) == 1:
            structure["required"] = list(roots)
        if self.documents.namespace:
            structure["namespace"] = self.documents.namespace
        return {**structure, "notes": self.notes} if self.notes else structure

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _is_enough(self, inside: tuple[str, ...]) -> bool:
        """Whether so much was written out that the rest is only named."""
        self.written += 1
        return self.written > _MOST_TYPES or len(inside) > _DEEPEST

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
        known = built_in(name)
        if known is not None:
            return known
        if name in inside:
            return {"type": "object", "recursive": _local(name)}
        if self._is_enough(inside):
            return {"type": "object", "description": f"{_local(name)}, not written out again"}
        if name in self.named["complexType"]:
            return self._complex(self.named["complexType"][name], (*inside, name))
        if name in self.named["simpleType"]:
            return self._simple(self.named["simpleType"][name], (*inside, name))
        return {"description": f"{_local(name)}, defined in another schema"}

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
                reference = part.attributes.get("ref", "")
                named = self.named["attributeGroup"].get(reference)
                if named is not None and reference not in inside and not self._is_enough(inside):
                    self._fill(named, node, (*inside, reference), optional=optional)
            elif kind == "anyAttribute":
                node["otherAttributes"] = True

    def _derived(self, content: Node, node: dict[str, Any], inside: tuple[str, ...]) -> None:
        for part in _children(content, "extension", "restriction"):
            base = part.attributes.get("base", "")
            circular = base in inside and base in self.named["complexType"]
            known = {} if circular else self._named_type(base, inside)
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
        reference = group.attributes.get("ref", "")
        named = self.named["group"].get(reference)
        if named is None or f"group {reference}" in inside or self._is_enough(inside):
            return
        optional = optional or group.attributes.get("minOccurs") == "0"
        for part in _children(named, "sequence", "choice", "all"):
            inner = (*inside, f"group {reference}")
            self._group(part, node, inner, optional=optional, repeated=repeated or _is_many(group))

    def _member(
        self, element: Node, node: dict[str, Any], inside: tuple[str, ...], *, optional: bool, repeated: bool
    ) -> None:
        optional = optional or element.attributes.get("minOccurs") == "0"
        reference = element.attributes.get("ref", "")
        choices = self._substitutes(reference) if reference else []
        for name in choices or [reference]:
            shown = self._referred(name, element, inside)
            alone = len(choices) < 2
            self._place(
                element,
                node,
                _local(name) or element.attributes.get("name", ""),
                shown,
                (optional or not alone, repeated),
            )

    def _substitutes(self, head: str) -> list[str]:
        """The elements that may stand where one is named: itself unless it is abstract, and its substitutes."""
        found: dict[str, None] = {}
        waiting = [head]
        while waiting and len(found) < _MOST_SUBSTITUTES:
            name = waiting.pop(0)
            if name not in found:
                found[name] = None
                waiting += self.documents.substitutes.get(name, [])
        abstract = {
            name
            for name in found
            if (part := self.named["element"].get(name)) is not None and part.attributes.get("abstract") == "true"
        }
        return [name for name in found if name not in abstract]

    def _referred(self, reference: str, element: Node, inside: tuple[str, ...]) -> dict[str, Any]:
        if not reference:
            return self._element(element, inside)
        if f"element {reference}" in inside:
            return {"type": "object", "recursive": _local(reference)}
        target = self.named["element"].get(reference)
        if target is None:
            return {"description": f"{_local(reference)}, defined in another schema"}
        if self._is_enough(inside):
            return {"type": "object", "description": f"{_local(reference)}, not written out again"}
        return self._element(target, (*inside, f"element {reference}"))

    def _place(
        self, element: Node, node: dict[str, Any], name: str, shown: dict[str, Any], occurs: tuple[bool, bool]
    ) -> None:
        """Put an element among the properties; `occurs` is whether it may be absent, and repeat."""
        optional, repeated = occurs
        again = name in node["properties"]
        if repeated or again or _is_many(element):
            shown = {"type": "array", "items": shown, **({} if again else _bounds(element))}
            shown["cardinality"] = "0..n" if optional else "1..n"
        else:
            shown["cardinality"] = "0..1" if optional else "1"
        node["properties"][name] = shown
        if not optional:
            _require(node, name)

    def _attribute(self, attribute: Node, node: dict[str, Any], inside: tuple[str, ...]) -> None:
        reference = attribute.attributes.get("ref", "")
        target = self.named["attribute"].get(reference, attribute) if reference else attribute
        name = attribute.attributes.get("name") or _attribute_name(reference)
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


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _attribute_name(reference: str) -> str:
    """Attributes of XML itself keep their prefix."""
    return f"xml:{_local(reference)}" if "XML/1998/namespace" in reference else _local(reference)


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
