"""OData schemas (EDMX, CSDL): entity types, complex types, enums, the entity container."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.table import Rendered
from rolltop.transform.formats.xml_read import Builder, parse_document
from rolltop.transform.formats.xml_write import write as write_xml
from rolltop.transform.schemas.builtins import universal
from rolltop.transform.schemas.directives import (
    compact,
    enrich,
    fields_of,
    flag,
    text_of,
    types_of,
    unaliased,
    whole,
    wide,
)
from rolltop.transform.values import Node, parse_number, scalar_text

__all__ = ["describe", "generate", "read", "write"]

_TO_UNIVERSAL = {
    "String": "string", "Guid": "string", "Duration": "string", "Boolean": "boolean",
    "Byte": "integer", "SByte": "integer", "Int16": "integer", "Int32": "integer", "Int64": "integer",
    "Single": "number", "Double": "number", "Decimal": "number",
    "Date": "date", "TimeOfDay": "time", "DateTimeOffset": "datetime", "Binary": "binary", "Stream": "binary",
}  # fmt: skip
_FROM_UNIVERSAL = {
    "string": "Edm.String", "boolean": "Edm.Boolean", "integer": "Edm.Int32", "int": "Edm.Int32", "long": "Edm.Int64",
    "number": "Edm.Double", "double": "Edm.Double", "float": "Edm.Single", "decimal": "Edm.Decimal",
    "date": "Edm.Date", "time": "Edm.TimeOfDay", "datetime": "Edm.DateTimeOffset", "binary": "Edm.Binary",
    "bytes": "Edm.Binary",
}  # fmt: skip


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
        type=_universal(edm),
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


def _universal(edm: str) -> str:
    if edm.startswith("Collection("):
        return "array"
    if not edm.startswith("Edm."):
        return "object"
    local = edm[4:]
    return "any" if local.startswith("Geo") else _TO_UNIVERSAL.get(local, "string")


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


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> Node:
    types = types_of(value, "osch")
    namespace = text_of(value, "%namespace") or str(options.get("namespace") or "Default")
    parts: dict[str, list[Node]] = {"EntityType": [], "ComplexType": [], "EnumType": []}
    for name, type_ in types.items():
        if type_.get("%kind", "structure") in ("enum", "enumeration"):
            parts["EnumType"].append(_write_enum(name, type_))
        elif type_.get("%kind", "structure") not in ("structure", "entity", "complex"):
            continue  # only another name for something: written where it is used
        elif type_.get("%entityType") is False:
            parts["ComplexType"].append(_write_structure(name, type_, types, namespace))
        else:
            parts["EntityType"].append(_write_structure(name, type_, types, namespace))
    content: dict[str, Any] = {key: nodes for key, nodes in parts.items() if nodes}
    content["EntityContainer"] = _write_container(value, parts["EntityType"], namespace)
    attributes = {"xmlns": "http://docs.oasis-open.org/odata/ns/edm", "Namespace": namespace}
    alias = text_of(value, "%alias")
    if alias:
        attributes["Alias"] = alias
    edmx = {"xmlns:edmx": "http://docs.oasis-open.org/odata/ns/edmx", "Version": text_of(value, "%version") or "4.0"}
    schema = Node(content, attributes)
    return Node({"edmx:Edmx": Node({"edmx:DataServices": {"Schema": schema}}, edmx)})


def _write_structure(name: str, type_: Mapping[str, Any], types: Mapping[str, Any], namespace: str) -> Node:
    fields = fields_of(type_)
    content: dict[str, Any] = {}
    keys = [Node((), {"Name": field["%name"]}) for field in fields if flag(field, "%key")]
    if keys:
        content["Key"] = {"PropertyRef": keys}
    if fields:
        content["Property"] = [_write_property(field, types, namespace) for field in fields]
    links = type_.get("%navigation") or []
    if links:
        content["NavigationProperty"] = [_write_link(link) for link in links]
    attributes = {"Name": name}
    if type_.get("%baseType"):
        attributes["BaseType"] = str(type_["%baseType"])
    if flag(type_, "%abstract"):
        attributes["Abstract"] = "true"
    return Node(content, attributes)


def _write_property(field: Mapping[str, Any], types: Mapping[str, Any], namespace: str) -> Node:
    field = unaliased(field, types)
    name = str(field.get("%type", "string"))
    name = name if name in types or name in _FROM_UNIVERSAL else universal(name)
    if name == "integer" and wide(field):
        name = "long"
    edm = text_of(field, "%schemaType") or (
        f"{namespace}.{name}" if name in types else _FROM_UNIVERSAL.get(name, "Edm.String")
    )
    if flag(field, "%array") and not edm.startswith("Collection("):
        edm = f"Collection({edm})"
    attributes = {"Name": str(field["%name"]), "Type": edm}
    if flag(field, "%required") or flag(field, "%key"):
        attributes["Nullable"] = "false"
    for directive in ("maxLength", "precision", "scale", "defaultValue"):
        text = scalar_text(field.get("%" + directive)) if field.get("%" + directive) is not None else None
        if text is not None:
            attributes[directive[0].upper() + directive[1:]] = text
    return Node((), attributes)


def _write_link(link: Mapping[str, Any]) -> Node:
    parts = {
        "Name": text_of(link, "%name"),
        "Type": text_of(link, "%target", "%type"),
        "Partner": text_of(link, "%partner"),
    }
    return Node((), {key: text for key, text in parts.items() if text})


def _write_enum(name: str, type_: Mapping[str, Any]) -> Node:
    members = []
    for position, item in enumerate(type_.get("%members") or type_.get("%values") or []):
        part = item if isinstance(item, dict) else {"%name": item}
        label = text_of(part, "%name", "%value") or ""
        number = whole(part.get("%value")) if "%name" in part else whole(part.get("%ordinal"))
        members.append(Node((), {"Name": label, "Value": str(position if number is None else number)}))
    return Node({"Member": members} if members else {}, {"Name": name})


def _write_container(value: Mapping[str, Any], entities: list[Node], namespace: str) -> Node:
    """The given container, else one with a set per entity type."""
    given = value.get("%entityContainer")
    if isinstance(given, dict):
        sets = [
            Node((), {"Name": text_of(part, "%name") or "", "EntityType": text_of(part, "%entityType") or ""})
            for part in given.get("%entitySets") or []
        ]
        return Node({"EntitySet": sets} if sets else {}, {"Name": text_of(given, "%name") or "Container"})
    sets = [
        Node((), {"Name": _plural(node.attributes["Name"]), "EntityType": f"{namespace}.{node.attributes['Name']}"})
        for node in entities
        if node.attributes.get("Abstract") != "true"
    ]
    return Node({"EntitySet": sets} if sets else {}, {"Name": "Container"})


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
