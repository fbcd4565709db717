"""Avro schemas: read and describe them; `avro_write` generates them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.json import read as read_json
from rolltop.transform.formats.json import write as write_json
from rolltop.transform.schemas.avro_write import PRIMITIVE, check_schema, generate
from rolltop.transform.schemas.model import compact, enrich, held_name, without
from rolltop.transform.values import Node

__all__ = ["describe", "generate", "read", "write"]

_TO_UNIVERSAL = {"int": "integer", "float": "number", "bytes": "binary"}


def describe(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The directives of a record or enum; nested named types are listed beside it."""
    describer = _Describer()
    describer.named(raw, "")
    described: dict[str, Any] = {}
    if isinstance(raw.get("namespace"), str):
        described["%namespace"] = raw["namespace"]
    if describer.types:
        # The outermost type comes first: it is the one the schema is about.
        described["%types"] = dict(reversed(describer.types.items()))
    return described


class _Describer:
    def __init__(self) -> None:
        self.types: dict[str, Any] = {}
        self.full: dict[str, str] = {}
        """Names in `%types` by full name; a type is declared before it is referred to."""

    def named(self, raw: Mapping[str, Any], around: str) -> str:
        """A record, enum or fixed; `around` is the namespace that it stands in."""
        name = str(raw.get("name", "Record"))
        space = str(raw.get("namespace") or name.rpartition(".")[0] or around)
        self.full[f"{space}.{name.rpartition('.')[2]}" if space else name] = name
        common = {
            "namespace": raw.get("namespace"),
            "documentation": raw.get("doc"),
            "aliases": raw.get("aliases"),
        }
        kind = raw.get("type")
        if kind in ("record", "error"):
            fields = [self._field(field, space) for field in raw.get("fields", []) if isinstance(field, dict)]
            self.types[name] = compact(kind="structure", **common, fields=fields)
        elif kind == "enum":
            self.types[name] = compact(kind="enumeration", **common, values=raw.get("symbols", []))
        elif kind == "fixed":
            self.types[name] = compact(kind="fixed", **common, size=raw.get("size"))
        return name

    def _field(self, field: Mapping[str, Any], space: str) -> dict[str, Any]:
        if not isinstance(field.get("name"), str):
            raise ReadFailure("an Avro field has no name")
        shape = self._shape(field.get("type"), space)
        required = shape.pop("%required", True)
        described = {"%name": field["name"], **shape, "%required": required}
        if "default" in field:
            described["%default"] = field["default"]
        return described | compact(documentation=field.get("doc"), aliases=field.get("aliases"))

    def _shape(self, type_: Any, space: str) -> dict[str, Any]:
        """`%type` and what goes with it."""
        if isinstance(type_, str):
            return self._word(type_, space)
        if isinstance(type_, list):
            return self._union(type_, space)
        if not isinstance(type_, dict):
            raise ReadFailure("an Avro field has no type")
        inner = type_.get("type")
        if inner in ("array", "map"):
            return self._holder(inner, self._shape(type_.get("items" if inner == "array" else "values"), space))
        if inner in ("record", "error", "enum", "fixed"):
            return {"%type": self.named(type_, space)} | compact(logicalType=type_.get("logicalType"))
        logical = compact(
            logicalType=type_.get("logicalType"), precision=type_.get("precision"), scale=type_.get("scale")
        )
        return {**self._shape(inner, space), **logical}

    def _word(self, name: str, space: str) -> dict[str, Any]:
        """A type by its name, which may be the full one."""
        if name in PRIMITIVE:
            return {"%type": _TO_UNIVERSAL.get(name, name)}
        known = self.full.get(name if "." in name else f"{space}.{name}" if space else name, name)
        return {"%type": name} if known == name else {"%type": name, "%means": {name: known}}

    def _holder(self, kind: str, item: dict[str, Any]) -> dict[str, Any]:
        """An array or a map: it has the type of what is in it, unless that holds something too, or may be null."""
        optional = item.pop("%required", True) is False
        flag = {f"%{kind}": True}
        if not optional and not item.keys() & {"%array", "%map"}:
            return {**item, **flag}
        items = {**item, "%nullable": True} if optional else item
        inside = held_name(items)
        return {"%type": inside, **({"%itemType": inside} if kind == "map" else {}), **flag, "%items": items}

    def _union(self, members: list[Any], space: str) -> dict[str, Any]:
        real = [member for member in members if member != "null"]
        optional = {"%required": False} if len(real) < len(members) else {}
        if len(real) == 1:
            return {**self._shape(real[0], space), **optional}
        shapes = [self._shape(member, space) for member in real]
        union = [shape["%type"] if len(shape) == 1 else shape for shape in shapes]
        return {"%type": "union", "%unionTypes": union, **optional}


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    raw = read_json(data, options)
    if not isinstance(raw, dict):
        if isinstance(raw, (str, list)):
            return raw
        raise ReadFailure("an Avro schema is an object, an array (union) or a type name")
    return enrich(Node(raw, None, None, {"schemaType": "avro-schema"}), describe)


def write(value: Any, options: Mapping[str, Any]) -> str:
    """Raw Avro as it is, else a schema from the directives."""
    if isinstance(value, dict) and not _is_own(value):
        return write_json(generate(value, options), {})
    if options.get("validate") is not False:
        check_schema(without(value) if isinstance(value, dict) else value)
    return write_json(value, {})


def _is_own(value: Mapping[str, Any]) -> bool:
    """Whether the schema is Avro itself and not one of another format that is to become it."""
    if "%types" in value and value.get("type") in ("object", None):
        return False
    return any(key in value for key in ("type", "fields", "name"))
