"""A description in full, as writers need it.

The documented properties of two formats may each be right and still lose something together: `%type: "object"` for a
property that OData declares as `Acme.Address`, no `%required` for an element that may be missing. Readers note what is
more exact beside them, and it is put in its place here:

==================  ====================================================================================
`%means`            ``{ <%type>: <what it is> }``; holds as long as a program leaves `%type` as it was
`%optional`         it may be missing, where `%required` is not said
`%nullable`         null is one of its values
`%fields`           of a field: those of the object that the field is, which has no name
`%items`            what is in an array or a map, where the name of a type does not tell
`%attributes`       of a structure: XML attributes, each described as a field
`%content`          of a structure: the text of the element, described as a field
`%extends`          of a structure: the one whose fields and attributes it has too
==================  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rolltop.transform.schemas.model import (
    Distinct,
    compact,
    edm_exact,
    edm_universal,
    fields_of,
    flag,
    held_key,
    held_name,
    text_of,
    types_of,
)

__all__ = ["Types", "complete", "mentioned", "named_parts"]

Types = dict[str, dict[str, Any]]
_STRUCTURES = ("structure", "entity", "complex")
_OF_AN_ITEM = (
    "%unionTypes", "%enum", "%size", "%protoType", "%logicalType", "%precision", "%scale", "%schemaType",
)  # fmt: skip


def complete(value: Any, writer: str) -> Types:
    """The `%types` of a value with everything that is known about them where this writer looks for it."""
    return _Completion(types_of(value, writer), writer).types


def mentioned(part: Mapping[str, Any]) -> Iterator[str]:
    """The names of types in a type, a field, or what is in one."""
    for key in ("%type", "%itemType"):
        if isinstance(part.get(key), str):
            yield part[key]
    inner = [*_list(part, "%unionTypes"), part.get("%items"), part.get("%content")]
    for item in [*inner, *_list(part, "%fields"), *_list(part, "%attributes")]:
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from mentioned(item)


def _list(part: Mapping[str, Any], key: str) -> list[Any]:
    items = part.get(key)
    return items if isinstance(items, list) else [items] if isinstance(items, dict) else []


def named_parts(part: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The parts of a list under a directive; one alone may stand without its list."""
    return [item for item in _list(part, key) if isinstance(item, dict) and isinstance(item.get("%name"), str)]


class _Completion:
    def __init__(self, given: Mapping[str, dict[str, Any]], writer: str) -> None:
        self.given = given
        self.writer = writer
        self.types: Types = {name: {} for name in given}
        self.distinct = Distinct(given)
        for name, type_ in given.items():
            self.types[name] = self._type(name, type_)

    def _type(self, name: str, type_: Mapping[str, Any]) -> dict[str, Any]:
        kind = type_.get("%kind", "structure")
        if kind in ("enum", "enumeration"):
            members = _list(type_, "%members")
            return {**type_, "%kind": "enumeration", **({"%values": _constants(members)} if members else {})}
        if kind not in _STRUCTURES:
            return self._shape(type_, f"{name}_item")
        if flag(type_, "%map") and not type_.get("%fields"):
            return {**self._shape(type_, f"{name}_item"), "%kind": "map"}
        return self._structure(name, type_)

    def _structure(self, name: str, type_: Mapping[str, Any]) -> dict[str, Any]:
        line = list(self._line(name))
        fields = {field["%name"]: field for ancestor in line[:-1] for field in fields_of(ancestor)}
        own = [*(field for key, field in fields.items() if key not in _names(type_)), *fields_of(type_)]
        attributes = {part["%name"]: part for ancestor in line for part in named_parts(ancestor, "%attributes")}
        content = next((part for ancestor in line[::-1] if isinstance(part := ancestor.get("%content"), dict)), None)
        if self.writer == "xsd":
            kept = compact(
                attributes=[self._field(part, name) for part in attributes.values()] or None,
                content=self._shape(content, name) if content else None,
            )
        else:
            kept = {}
            own += self._from_xml(own, list(attributes.values()), content)
        own += self._links(type_, own)
        bare = {key: part for key, part in type_.items() if key not in ("%attributes", "%content", "%extends")}
        kept |= compact(extends=self._base(type_))
        return {**bare, **kept, "%kind": "structure", "%fields": [self._field(field, name) for field in _merged(own)]}

    def _line(self, name: str) -> Iterator[Mapping[str, Any]]:
        """The structures that a structure extends, from the first one on, and itself."""
        seen: dict[str, Mapping[str, Any]] = {}
        while name in self.given and name not in seen:
            type_ = seen[name] = self.given[name]
            name = self._base(type_) or ""
        return reversed(seen.values())

    def _base(self, type_: Mapping[str, Any]) -> str | None:
        base = text_of(type_, "%extends")
        if base is None and self.writer != "osch":
            base = (text_of(type_, "%baseType") or "").rpartition(".")[2]
        return base if base in self.given else None

    def _from_xml(
        self, fields: list[dict[str, Any]], attributes: list[dict[str, Any]], content: Mapping[str, Any] | None
    ) -> Iterator[dict[str, Any]]:
        """Attributes and text as fields, in JSON with the names that they have in data."""
        taken = {field["%name"] for field in fields}
        json = self.writer == "jsch"
        for attribute in attributes:
            name = attribute["%name"]
            shown = f"@{name}" if json else f"{name}_attribute" if name in taken else name
            yield {**attribute, "%name": shown}
        if content:
            yield {**content, "%name": "#text" if json else "_text"}

    def _links(self, type_: Mapping[str, Any], fields: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """What an entity of OData leads to: there only if it was asked for. A table has no place for it."""
        if self.writer in ("osch", "tsch"):
            return
        taken = {field["%name"] for field in fields}
        for link in named_parts(type_, "%navigation"):
            element, many = _element_of(text_of(link, "%target", "%type") or "")
            target = element.rpartition(".")[2]
            if link["%name"] not in taken and target in self.given:
                yield compact(name=link["%name"], type=target, array=many or None, required=False)

    def _field(self, field: Mapping[str, Any], owner: str) -> dict[str, Any]:
        found = self._shape(field, f"{owner}_{field['%name']}")
        if flag(found, "%optional") and found.get("%required") is None:
            found["%required"] = False
        return found

    def _shape(self, given: Mapping[str, Any], suggested: str) -> dict[str, Any]:
        """A field, or what is in one, or a name for such a thing; `suggested` for an object without a name."""
        part = {key: value for key, value in given.items() if key not in ("%items", "%means")}
        inner = _items(given)
        self._put_meaning(part, given.get("%means"))
        self._put_edm(part)
        if part.get("%type") == "object" and isinstance(part.get("%fields"), list) and "%kind" not in part:
            part["%type"] = self._named(part.pop("%fields"), suggested)
        elif inner is not None:
            self._put_items(part, self._shape(inner, suggested))
        if part.get("%unionTypes"):
            part["%unionTypes"] = [
                self._shape(item, suggested) if isinstance(item, dict) else item for item in part["%unionTypes"]
            ]
        if part.get("%logicalType") == "decimal" and self.writer != "avro":
            part["%type"] = "decimal"
        return part

    def _named(self, fields: list[dict[str, Any]], suggested: str) -> str:
        name = self.distinct(suggested)
        self.types[name] = {}  # before the objects inside of it
        self.types[name] = self._structure(name, {"%kind": "structure", "%fields": fields})
        return name

    def _put_meaning(self, part: dict[str, Any], meanings: Any) -> None:
        for key in ("%type", "%itemType"):
            if isinstance(meanings, dict) and isinstance(part.get(key), str):
                part[key] = meanings.get(part[key], part[key])
        if part.get("%kind") == "primitive" and part.get("%type") == "union":
            part["%kind"] = "union"

    def _put_edm(self, part: dict[str, Any]) -> None:
        """What OData called it, where a program has not changed it since."""
        edm = text_of(part, "%schemaType")
        if edm is None or part.get("%type") != edm_universal(edm):
            return
        element, many = _element_of(edm)
        local = element.rpartition(".")[2]
        if element.startswith("Edm."):
            part["%schemaType"] = element
            decimal_as_number = self.writer == "jsch" and local == "Decimal"
            part["%type"] = "number" if decimal_as_number else edm_exact(element)
        elif local in self.given:
            del part["%schemaType"]
            part["%type"] = local
        else:
            return
        if many:
            part["%array"] = True

    def _put_items(self, part: dict[str, Any], items: dict[str, Any]) -> None:
        """What is in an array or a map: by its name if it has one."""
        if flag(items, "%array") or flag(items, "%map") or flag(items, "%nullable"):
            part["%items"] = items
        if flag(items, "%array") or flag(items, "%map"):
            return
        key = held_key(part)
        part.update({name: items[name] for name in _OF_AN_ITEM if name in items})
        part[key] = items.get("%type", "any")


def _items(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is in an array or a map, as long as a program has not given it another type."""
    items = part.get("%items")
    return items if isinstance(items, dict) and part.get(held_key(part)) == held_name(items) else None


def _merged(fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """An element that is declared in two branches of a choice once; other fields of one name are for the writer to
    refuse."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for field in fields:
        key = (field["%name"], str(field.get("%type")), text_of(field, "%fieldNumber"))
        known = found.setdefault(key, field)
        if known is not field:
            more = {flagged: True for flagged in ("%required", "%array") if flag(field, flagged)}
            found[key] = {**known, **more}
    return list(found.values())


def _names(type_: Mapping[str, Any]) -> set[str]:
    return {field["%name"] for field in fields_of(type_)}


def _constants(members: list[Any]) -> list[Any]:
    """The members of an enum of OData as every enumeration has them."""
    return [
        compact(value=text_of(item, "%name"), ordinal=item.get("%value")) if isinstance(item, dict) else item
        for item in members
    ]


def _element_of(edm: str) -> tuple[str, bool]:
    """The type of an element, and whether there are many."""
    many = edm.startswith("Collection(") and edm.endswith(")")
    return (edm[len("Collection(") : -1], True) if many else (edm, False)
