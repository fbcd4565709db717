"""A JSON Schema from a description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from rolltop.transform.schemas.completion import complete
from rolltop.transform.schemas.model import fields_of, flag, held_key, text_of, universal

__all__ = ["DRAFTS", "generate"]

DRAFTS = {
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose definitions are the types."""
    types = complete(value, "jsch")
    draft = str(options.get("draft", "2020-12"))
    schema: dict[str, Any] = {"$schema": DRAFTS[draft]}
    container = "definitions" if draft == "draft-07" else "$defs"
    generator = _Generator(types, container, described=options.get("addDescriptions") is not False)
    title, note = text_of(value, "%title"), generator.note(value, "%documentation")
    schema.update({key: text for key, text in (("title", title), ("description", note)) if text})
    schema.update(_documents(value, generator))
    schema[container] = {name: generator.definition(type_) for name, type_ in types.items()}
    return schema


def _documents(value: Mapping[str, Any], generator: _Generator) -> dict[str, Any]:
    """What a document is, where an XML Schema says so: an object with one of its global elements."""
    roots: dict[str, dict[str, Any]] = {}
    for key, part in value.items():
        if key.rpartition(":")[2] != "element":
            continue
        for element in part if isinstance(part, list) else [part]:
            attributes = getattr(element, "attributes", {})
            if "name" in attributes and attributes.get("abstract") != "true":
                roots[attributes["name"]] = generator.of_element(attributes["name"], attributes.get("type"))
    if not roots:
        return {}
    shown: dict[str, Any] = {"type": "object", "properties": roots}
    if len(roots) == 1:
        return {**shown, "required": list(roots)}
    return {**shown, "anyOf": [{"required": [name]} for name in roots]}


class _Generator:
    def __init__(self, types: Mapping[str, dict[str, Any]], container: str, *, described: bool) -> None:
        self.types = types
        self.container = container
        self.described = described

    def note(self, part: Mapping[str, Any], *names: str) -> str | None:
        """What is said about a part, if descriptions are wanted."""
        return text_of(part, *names) if self.described else None

    def of_element(self, name: str, type_: str | None) -> dict[str, Any]:
        """The schema of a global element: of the type that it names, or that stands inside of it."""
        if type_ is not None:
            return self._reference(type_.rpartition(":")[2])
        inline = [key for key, part in self.types.items() if text_of(part, "%xsdElement") == name]
        return self._reference(inline[0]) if inline else {}

    def definition(self, type_: Mapping[str, Any]) -> dict[str, Any]:
        note = self.note(type_, "%documentation", "%description")
        described = {"description": note} if note else {}
        kind = type_.get("%kind", "structure")
        if kind == "enumeration":
            values = [item.get("%value") if isinstance(item, dict) else item for item in type_.get("%values") or []]
            texts = {"type": "string"} if all(isinstance(value, str) for value in values) else {}
            return {**texts, **described, "enum": values}
        if kind == "structure":
            return self._object(type_, described)
        if kind == "array":
            return {"type": "array", **described, "items": self._held(type_)}
        if kind == "map":
            return {"type": "object", **described, "additionalProperties": self._held(type_)}
        if kind == "union":
            return {**described, "anyOf": [self._reference(part) for part in type_.get("%unionTypes") or []]}
        return {**self._reference(type_.get("%type", "string")), **described}

    def _object(self, type_: Mapping[str, Any], described: dict[str, Any]) -> dict[str, Any]:
        fields = fields_of(type_)
        properties = {field["%name"]: self._property(field) for field in fields}
        required = [field["%name"] for field in fields if flag(field, "%required")]
        return {"type": "object", **described, "properties": properties, **({"required": required} if required else {})}

    def _property(self, field: Mapping[str, Any]) -> dict[str, Any]:
        schema = self._schema(field)
        note = self.note(field, "%description", "%documentation")
        return {**schema, "description": note} if note else schema

    def _schema(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """The schema of a field, or of what is in one."""
        if flag(part, "%array"):
            schema: dict[str, Any] = {"type": "array", "items": self._held(part)}
        elif flag(part, "%map"):
            schema = {"type": "object", "additionalProperties": self._held(part)}
        else:
            schema = self._single(part, part.get("%type", "string"))
        return {"anyOf": [schema, {"type": "null"}]} if flag(part, "%nullable") else schema

    def _held(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """The schema of what is in an array or a map."""
        if isinstance(part.get("%items"), dict):
            return self._schema(part["%items"])
        return self._single(part, part.get(held_key(part), "string"))

    def _single(self, part: Mapping[str, Any], type_: Any) -> dict[str, Any]:
        if type_ == "union" and part.get("%unionTypes"):
            return {"anyOf": [self._reference(option) for option in part["%unionTypes"]]}
        schema = self._reference(type_)
        return {**schema, "enum": part["%enum"]} if part.get("%enum") and "$ref" not in schema else schema

    def _reference(self, type_: Any) -> dict[str, Any]:
        if isinstance(type_, dict):
            return self._schema(type_)
        name = str(type_)
        if name in self.types:
            return {"$ref": f"#/{self.container}/{_pointer(name)}"}
        return dict(_PROPERTY_TYPES.get(name) or _PROPERTY_TYPES.get(universal(name), {"type": "string"}))


def _pointer(name: str) -> str:
    """A name as a part of a JSON pointer in an address."""
    return quote(name.replace("~", "~0").replace("/", "~1"), safe="~")


_PROPERTY_TYPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"}, "number": {"type": "number"}, "integer": {"type": "integer"},
    "boolean": {"type": "boolean"}, "null": {"type": "null"}, "object": {"type": "object"}, "array": {"type": "array"},
    "long": {"type": "integer"}, "int": {"type": "integer"}, "double": {"type": "number"}, "float": {"type": "number"},
    "decimal": {"type": "string", "format": "decimal"}, "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"}, "time": {"type": "string", "format": "time"},
    "any": {}, "union": {}, "map": {"type": "object"},
}  # fmt: skip
