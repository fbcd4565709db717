"""OData schemas (EDMX, CSDL): entity types, complex types, enums, the entity container."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.table import Rendered
from rolltop.transform.formats.xml_read import Builder, parse_document
from rolltop.transform.formats.xml_write import write as write_xml
from rolltop.transform.schemas.model import compact, edm_universal, enrich
from rolltop.transform.schemas.osch_write import generate
from rolltop.transform.values import Node, parse_number

__all__ = ["describe", "generate", "read", "write"]


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    document = parse_document(data, Builder(keep_leaves=True))
    return enrich(document, describe)


def _children(node: Any, *kinds: str) -> Iterator[Node]:
    for key, value in node.items():
        if key.rpartition(":")[2] in kinds:
            yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, Node))


# ---- description ------------------------------------------------------------------------------


def describe(document: Mapping[str, Any]) -> dict[str, Any]:
    edmx = next(_children(document, "Edmx"), None)
    services = next(_children(edmx, "DataServices"), None) if edmx is not None else None
    schemas = list(_children(services if services is not None else document, "Schema"))
    if not schemas:
        raise ReadFailure("the document has no Schema element")
    types: dict[str, Any] = {}
    container = None
    for schema in schemas:
        for entity in _children(schema, "EntityType"):
            types[entity.attributes.get("Name", "Entity")] = _structure(entity, entity_type=True)
        for complex_ in _children(schema, "ComplexType"):
            types[complex_.attributes.get("Name", "Complex")] = _structure(complex_, entity_type=False)
        for enum in _children(schema, "EnumType"):
            types[enum.attributes.get("Name", "Enum")] = _enum(enum)
        for found in _children(schema, "EntityContainer"):
            container = _container(found)
    first = schemas[0].attributes
    return compact(
        version=edmx.attributes.get("Version") if edmx is not None else None,
        namespace=first.get("Namespace"),
        alias=first.get("Alias"),
        types=types,
        entityContainer=container,
    )


def _structure(node: Node, *, entity_type: bool) -> dict[str, Any]:
    keys = [ref.attributes.get("Name") for key in _children(node, "Key") for ref in _children(key, "PropertyRef")]
    navigation = [
        compact(
            name=part.attributes.get("Name"),
            target=part.attributes.get("Type"),
            partner=part.attributes.get("Partner"),
        )
        for part in _children(node, "NavigationProperty")
    ]
    return compact(
        kind="structure",
        entityType=entity_type,
        fields=[_field(part, keys) for part in _children(node, "Property")],
        navigation=navigation or None,
        baseType=node.attributes.get("BaseType"),
        abstract=True if node.attributes.get("Abstract") == "true" else None,
    )


def _field(node: Node, keys: list[str | None]) -> dict[str, Any]:
    attributes = node.attributes
    edm = attributes.get("Type", "Edm.String")
    name = attributes.get("Name")
    key = name in keys
    return compact(
        name=name,
        type=edm_universal(edm),
        schemaType=edm,
        key=True if key else None,
        required=key or attributes.get("Nullable") == "false",
        maxLength=_number(attributes.get("MaxLength")),
        precision=_number(attributes.get("Precision")),
        scale=_number(attributes.get("Scale")),
        defaultValue=attributes.get("DefaultValue"),
    )


def _number(text: str | None) -> Any:
    if text is None:
        return None
    number = parse_number(text)
    return text if number is None else number


def _enum(node: Node) -> dict[str, Any]:
    members = [
        compact(name=member.attributes.get("Name"), value=_number(member.attributes.get("Value")))
        for member in _children(node, "Member")
    ]
    return compact(kind="enum", members=members)


def _container(node: Node) -> dict[str, Any]:
    sets = [
        compact(name=part.attributes.get("Name"), entityType=part.attributes.get("EntityType"))
        for part in _children(node, "EntitySet")
    ]
    return compact(name=node.attributes.get("Name"), entitySets=sets)


# ---- writing ----------------------------------------------------------------------------------


def write(value: Any, options: Mapping[str, Any]) -> Rendered:
    """EDMX 4.0 from the directives, else the XML as it is."""
    if isinstance(value, dict) and "%types" in value:
        return write_xml(generate(value, options), options)
    if isinstance(value, dict) and any(key.rpartition(":")[2] in ("Edmx", "Schema") for key in value):
        return write_xml(value, options)
    raise WriteFailure("output osch needs %types, or an edmx:Edmx element")
