"""XSD to values: the schema element itself, tagged with metadata and described uniformly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.xml_read import Builder, parse_document
from rolltop.transform.schemas.model import Distinct, compact, enrich, universal
from rolltop.transform.schemas.xsd_tree import (
    NAMESPACE,
    Counts,
    Names,
    Place,
    children,
    count,
    in_order,
    inline_types,
    is_repeated,
    kind_of,
    repeats,
)
from rolltop.transform.values import Node, scalar_text, unwrap

__all__ = ["NAMESPACE", "Counts", "count", "describe", "read"]

_MOST = 100_000
"""Declarations that are looked at through groups: those that refer to each other may stand for very many."""


def describe(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Complex types, simple types and inline types as `%types`."""
    found = count(schema)
    attributes: Mapping[str, str] = getattr(schema, "attributes", {})
    stats = {
        "globalElements": found.elements,
        "globalTypes": found.types,
        "inlineTypes": found.inline,
        "detectedPattern": found.pattern,
    }
    return compact(
        types=_Describer(schema).types(),
        namespace=attributes.get("targetNamespace"),
        xsdPattern=found.pattern,
        xsdPatternStats=stats,
    )


class _Describer:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema
        self.names = Names(schema)
        self.through_groups = 0
        self.choices = 0
        self.inline: dict[int, str] = {}
        """The names of the types inside elements, by the element's identity."""
        distinct = Distinct()
        for element, _ in inline_types(schema):
            self.inline[id(element)] = distinct(f"{element.attributes.get('name', 'Element')}_InlineType")

    def types(self) -> dict[str, Any]:
        types: dict[str, Any] = {}
        for type_ in children(self.schema, "complexType"):
            types[type_.attributes.get("name", "Type")] = self._structure(type_)
        for type_ in children(self.schema, "simpleType"):
            types[type_.attributes.get("name", "Type")] = self._simple(type_)
        for element, type_ in inline_types(self.schema):
            name = element.attributes.get("name", "Element")
            note = _note(type_) or _note(element)
            marks = compact(xsdInline=True, xsdElement=name, xsdPattern="russian-doll")
            types[self.inline[id(element)]] = {**self._structure(type_, note), **marks}
        return types

    def _structure(self, type_: Node, note: str | None = None) -> dict[str, Any]:
        fields = self._fields(type_)
        extended = [part for content in children(type_, "simpleContent") for part in children(content, "extension")]
        base = extended[0].attributes.get("base") if extended else None
        text = self.names.described(base) if base and not self._is_complex(base) else None
        return compact(
            kind="structure",
            documentation=note or _note(type_),
            fields=fields,
            attributes=list(self._attributes(type_)) or None,
            content={**text, "%required": True} if text else None,
            extends=self._base(type_),
        )

    def _fields(self, type_: Node) -> list[dict[str, Any]]:
        found = [(self._field(element, place), place) for element, place in self._elements(type_, Place())]
        places: dict[str, list[Place]] = defaultdict(list)
        for field, place in found:
            places[field["%name"]].append(place)
        several = {name for name, where in places.items() if len(where) > 1 and is_repeated(where)}
        return [{**field, "%array": True} if field["%name"] in several else field for field, _ in found]

    def _base(self, type_: Node) -> str | None:
        """The complex type of this schema that a type adds something to."""
        for content in children(type_, "complexContent", "simpleContent"):
            kinds = ("extension", "restriction") if kind_of(content) == "simpleContent" else ("extension",)
            for extension in children(content, *kinds):
                base = extension.attributes.get("base")
                return self.names.own_type(base) if base and self._is_complex(base) else None
        return None

    def _is_complex(self, name: str) -> bool:
        own = self.names.own_type(name)
        return own is not None and kind_of(self.names.types[own]) == "complexType"

    def _elements(self, node: Node, place: Place) -> Iterator[tuple[Node, Place]]:
        """The elements of a type's content, through groups within groups and the content of an extension."""
        choice = self._next_choice() if kind_of(node) == "choice" else None
        for number, part in enumerate(self._parts(node, in_group=bool(place.groups))):
            here = place if choice is None else place.branch(choice, number)
            match kind_of(part):
                case "sequence" | "all" | "choice":
                    yield from self._elements(part, here.inside(part))
                case "group":
                    yield from self._group(part, here)
                case "element" if kind_of(node) in ("sequence", "all", "choice"):
                    yield part, here
                case "complexContent":
                    for extension in children(part, "extension", "restriction"):
                        yield from self._elements(extension, here)

    def _next_choice(self) -> int:
        self.choices += 1
        return self.choices

    def _parts(self, node: Node, *, in_group: bool) -> Iterator[Node]:
        for part in in_order(node):
            self.through_groups += in_group
            if self.through_groups > _MOST:
                raise ReadFailure(f"the groups of the XSD stand for more than {_MOST:,} declarations")
            yield part

    def _group(self, reference: Node, place: Place) -> Iterator[tuple[Node, Place]]:
        name = reference.attributes.get("ref", "")
        group = self.names.find("group", name)
        if group is not None and name not in place.groups:
            yield from self._elements(group, place.inside(reference).through(name))

    def _field(self, element: Node, place: Place) -> dict[str, Any]:
        attributes = element.attributes
        declared = self.names.declaration(element)
        name = attributes.get("name") or attributes.get("ref", "").rpartition(":")[2] or "element"
        required = place.sure and attributes.get("minOccurs") != "0"
        return {
            "%name": name,
            **self._type(declared),
            **compact(
                required=required or None,
                optional=None if required else True,
                array=True if place.many or repeats(element) else None,
                nullable=True if declared.attributes.get("nillable") in ("true", "1") else None,
                documentation=_note(element) or _note(declared),
            ),
        }

    def _type(self, declared: Node) -> dict[str, Any]:
        """The type of an element or an attribute."""
        name = declared.attributes.get("type")
        if name is not None:
            return self.names.described(name)
        if id(declared) in self.inline:
            return {"%type": self.inline[id(declared)]}
        for simple in children(declared, "simpleType"):
            return {**self._restricted(simple), **compact(enum=_values(simple) or None)}
        return {"%type": "string"}

    def _restricted(self, simple: Node) -> dict[str, Any]:
        for restriction in children(simple, "restriction"):
            base = restriction.attributes.get("base")
            if base:
                own = self.names.own_type(base)
                if own is not None:
                    return {"%type": "string", "%means": {"string": own}}
                found = self.names.described(base)
                return {**found, "%type": universal(found["%type"])}
        return {"%type": "string"}

    def _attributes(self, node: Node, seen: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
        for part in self._parts(node, in_group=bool(seen)):
            match kind_of(part):
                case "attribute":
                    yield from self._attribute(part)
                case "attributeGroup":
                    name = part.attributes.get("ref", "")
                    group = self.names.find("attributeGroup", name)
                    if group is not None and name not in seen:
                        yield from self._attributes(group, seen | {name})
                case "complexContent" | "simpleContent" | "extension" | "restriction":
                    yield from self._attributes(part, seen)

    def _attribute(self, node: Node) -> Iterator[dict[str, Any]]:
        declared = self.names.declaration(node)
        name = node.attributes.get("name") or node.attributes.get("ref", "").rpartition(":")[2]
        use = node.attributes.get("use")
        if name and use != "prohibited":
            required = use == "required"
            note = _note(node) or _note(declared)
            yield {"%name": name, **self._type(declared), **compact(required=required, documentation=note)}

    def _simple(self, type_: Node) -> dict[str, Any]:
        values = _values(type_)
        if values:
            return compact(kind="enumeration", documentation=_note(type_), values=values)
        base = self._restricted(type_)
        exact = base.get("%means", {}).get(base["%type"], base["%type"])
        means = {"string": exact} if exact != "string" else None
        return compact(kind="primitive", type="string", means=means, documentation=_note(type_))


def _values(simple: Node) -> list[str]:
    """The values that a simple type lists."""
    return [
        facet.attributes["value"]
        for restriction in children(simple, "restriction")
        for facet in children(restriction, "enumeration")
        if "value" in facet.attributes
    ]


def _note(node: Node) -> str | None:
    for annotation in children(node, "annotation"):
        for documentation in children(annotation, "documentation"):
            text = documentation.get("_text")
            return scalar_text(unwrap(text)) if text is not None else None
    return None


_TAGGED = frozenset(
    {
        "element", "complexType", "simpleType", "attribute", "annotation", "documentation", "appinfo", "sequence",
        "choice", "all", "group", "attributeGroup", "import", "include",
    }
)  # fmt: skip


def read(data: str | bytes, options: Mapping[str, Any]) -> Node:
    """The schema element with `%` directives; metadata is reached by `.^schemaType` and the like."""
    arrays = frozenset(map(str, options.get("arrays") or ()))
    document = parse_document(data, Builder(arrays, keep_leaves=True, keep_order=True))
    schema = next(iter(document.values()))
    schema = schema[0] if isinstance(schema, list) else schema
    if not isinstance(schema, Node) or (schema.name or "").rpartition(":")[2] != "schema":
        raise ReadFailure("an XSD has <xs:schema> as its root element", hint="Declare `input xml` for other documents.")
    _tag_schema(schema)
    return enrich(schema, describe)


# ---- metadata ---------------------------------------------------------------------------------


def _tag_schema(schema: Node) -> None:
    found = count(schema)
    schema.metadata = {
        **(schema.metadata or {}),
        "schemaType": "xsd-schema",
        "xsdVersion": schema.attributes.get("vc:minVersion", "1.0"),
        "targetNamespace": schema.attributes.get("targetNamespace", ""),
        "xsdPattern": found.pattern,
        "xsdGlobalElements": str(found.elements),
        "xsdGlobalTypes": str(found.types),
        "xsdInlineTypes": str(found.inline),
    }
    for child in children(schema):
        _tag(child, top=True)


def _tag(node: Node, *, top: bool) -> None:
    kind = kind_of(node)
    if kind in _TAGGED:
        scope = "global" if top and kind in ("element", "complexType", "simpleType") else "local"
        node.metadata = {**(node.metadata or {}), "schemaType": f"xsd-{kind}", "scope": scope}
        if kind == "element":
            node.metadata["xsdElementDeclaration"] = scope
        elif kind in ("complexType", "simpleType"):
            node.metadata["xsdTypeDeclaration"] = scope
    for child in children(node):
        _tag(child, top=False)
