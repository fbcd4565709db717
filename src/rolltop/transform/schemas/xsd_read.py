"""XSD to values: the schema element itself, tagged with metadata and described uniformly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.xml_read import Builder, parse_document
from rolltop.transform.schemas.directives import compact, enrich
from rolltop.transform.values import Node, scalar_text, unwrap

__all__ = ["NAMESPACE", "Counts", "count", "describe", "read"]

NAMESPACE = "http://www.w3.org/2001/XMLSchema"
_TAGGED = frozenset(
    {
        "element", "complexType", "simpleType", "attribute", "annotation", "documentation", "appinfo", "sequence",
        "choice", "all", "group", "attributeGroup", "import", "include",
    }
)  # fmt: skip
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
    for child in _children(schema):
        _tag(child, top=True)


def _tag(node: Node, *, top: bool) -> None:
    kind = _kind(node)
    if kind in _TAGGED:
        scope = "global" if top and kind in ("element", "complexType", "simpleType") else "local"
        node.metadata = {**(node.metadata or {}), "schemaType": f"xsd-{kind}", "scope": scope}
        if kind == "element":
            node.metadata["xsdElementDeclaration"] = scope
        elif kind in ("complexType", "simpleType"):
            node.metadata["xsdTypeDeclaration"] = scope
    for child in _children(node):
        _tag(child, top=False)


def _kind(node: Node) -> str:
    return (node.name or "").rpartition(":")[2]


def _children(node: Mapping[str, Any], *kinds: str) -> Iterator[Node]:
    """Element children in order, of some kinds or all."""
    for key, value in node.items():
        if key.startswith("%") or (kinds and key.rpartition(":")[2] not in kinds):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Node):
                yield item


# ---- design pattern ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counts:
    """How a schema divides its declarations: global elements, global types, anonymous inline types."""

    elements: int
    types: int
    inline: int

    @property
    def pattern(self) -> str:
        elements, types, inline = self.elements, self.types, self.inline
        small = elements + inline <= 5 and types <= 5
        rules = (
            (elements == 1 and inline > 0 and types == 0, "russian-doll"),
            (elements >= 2 and types > 0 and small and inline == 0, "swiss-army-knife"),
            (elements >= 1 and types > 0 and not small and inline == 0, "garden-of-eden"),
            (types > 0 and inline > 0 and elements <= 1, "chameleon-schema"),
            (elements >= 2 and types > 0 and inline > 0, "bologna-sandwich"),
            (elements >= 2 and types == 0, "salami-slice"),
            (types > 0 and inline == 0 and elements <= 1, "venetian-blind"),
        )
        return next((name for holds, name in rules if holds), "undetectable")


def count(schema: Mapping[str, Any]) -> Counts:
    elements = sum(1 for _ in _children(schema, "element"))
    types = sum(1 for _ in _children(schema, "complexType", "simpleType"))
    inline = sum(1 for _ in _inline_types(schema))
    return Counts(elements, types, inline)


def _inline_types(node: Mapping[str, Any]) -> Iterator[tuple[Node, Node]]:
    """(element, its anonymous complex type), from the outside in."""
    for child in _children(node):
        if _kind(child) == "element":
            for inline in _children(child, "complexType"):
                if "name" not in inline.attributes:
                    yield child, inline
        yield from _inline_types(child)


# ---- description ------------------------------------------------------------------------------


def describe(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Complex types, simple types and inline types as `%types`."""
    types: dict[str, Any] = {}
    for type_ in _children(schema, "complexType"):
        types[type_.attributes.get("name", "Type")] = _structure(type_)
    for type_ in _children(schema, "simpleType"):
        types[type_.attributes.get("name", "Type")] = _simple(type_)
    for element, type_ in _inline_types(schema):
        name = element.attributes.get("name", "Element")
        note = _note(type_) or _note(element)
        marks = compact(xsdInline=True, xsdElement=name, xsdPattern="russian-doll")
        types[f"{name}_InlineType"] = {**_structure(type_, note), **marks}
    found = count(schema)
    attributes: Mapping[str, str] = getattr(schema, "attributes", {})
    stats = {
        "globalElements": found.elements,
        "globalTypes": found.types,
        "inlineTypes": found.inline,
        "detectedPattern": found.pattern,
    }
    return compact(
        types=types, namespace=attributes.get("targetNamespace"), xsdPattern=found.pattern, xsdPatternStats=stats
    )


def _structure(type_: Node, note: str | None = None) -> dict[str, Any]:
    fields = [_field(element, sure=sure) for element, sure in _elements(type_)]
    return compact(kind="structure", documentation=note or _note(type_), fields=fields)


def _elements(type_: Mapping[str, Any], *, sure: bool = True) -> Iterator[tuple[Node, bool]]:
    """The elements of a type's content, through nested groups and the content of an extension; and whether each of
    them is there in every document that has the type."""
    for group in _children(type_, "sequence", "all", "choice"):
        always = sure and _kind(group) != "choice" and group.attributes.get("minOccurs") != "0"
        for element in _children(group, "element"):
            yield element, always
        yield from _elements(group, sure=always)
    for content in _children(type_, "complexContent"):
        for extension in _children(content, "extension", "restriction"):
            yield from _elements(extension, sure=sure)


def _field(element: Node, *, sure: bool) -> dict[str, Any]:
    attributes = element.attributes
    name = attributes.get("name") or attributes.get("ref", "").rpartition(":")[2] or "element"
    most = attributes.get("maxOccurs", "1")
    return compact(
        name=name,
        type=_field_type(element, name),
        required=(sure and attributes.get("minOccurs") != "0") or None,
        array=True if most not in ("0", "1") else None,
        documentation=_note(element),
    )


def _field_type(element: Node, name: str) -> str:
    declared = element.attributes.get("type")
    if declared is not None:
        prefix, _, local = declared.rpartition(":")
        return _TYPES.get(local, local if prefix in ("xs", "xsd") else declared)
    if any(True for _ in _children(element, "complexType")):
        return f"{name}_InlineType"
    for simple in _children(element, "simpleType"):
        for restriction in _children(simple, "restriction"):
            local = restriction.attributes.get("base", "").rpartition(":")[2]
            return _TYPES.get(local, "string")
    return "string"


def _simple(type_: Node) -> dict[str, Any]:
    values = [
        facet.attributes["value"]
        for restriction in _children(type_, "restriction")
        for facet in _children(restriction, "enumeration")
        if "value" in facet.attributes
    ]
    if values:
        return compact(kind="enumeration", documentation=_note(type_), values=values)
    return compact(kind="primitive", type="string", documentation=_note(type_))


def _note(node: Node) -> str | None:
    for annotation in _children(node, "annotation"):
        for documentation in _children(annotation, "documentation"):
            text = documentation.get("_text")
            return scalar_text(unwrap(text)) if text is not None else None
    return None
