"""XSD to values: the schema element itself, tagged with metadata and described uniformly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.xml_read import Builder, parse_document
from rolltop.transform.schemas.directives import enrich
from rolltop.transform.schemas.xsd_describe import describe
from rolltop.transform.schemas.xsd_tree import NAMESPACE, Counts, children, count, kind_of
from rolltop.transform.values import Node

__all__ = ["NAMESPACE", "Counts", "count", "describe", "read"]

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
