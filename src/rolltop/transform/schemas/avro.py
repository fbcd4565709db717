"""Avro schemas (JSON)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rolltop.transform.errors import ReadFailure, WriteFailure
from rolltop.transform.formats.json import read as read_json
from rolltop.transform.formats.json import write as write_json
from rolltop.transform.schemas.avro_check import PRIMITIVE, check_schema
from rolltop.transform.schemas.builtins import universal
from rolltop.transform.schemas.directives import compact, enrich, fields_of, text_of, types_of, wide, without
from rolltop.transform.values import Node

__all__ = ["describe", "generate", "read", "write"]

_TO_UNIVERSAL = {"int": "integer", "float": "number", "bytes": "binary"}
_FROM_UNIVERSAL = {
    "integer": "int", "number": "float", "binary": "bytes", "decimal": "string", "date": "string",
    "datetime": "string", "time": "string", "any": "string",
}  # fmt: skip
_LOGICAL_BASE = {
    "date": "int", "time-millis": "int", "time-micros": "long", "timestamp-millis": "long",
    "timestamp-micros": "long", "local-timestamp-millis": "long", "local-timestamp-micros": "long",
    "decimal": "bytes", "uuid": "string",
}  # fmt: skip


def read(data: str | bytes, options: Mapping[str, Any]) -> Any:
    raw = read_json(data, options)
    if not isinstance(raw, dict):
        if isinstance(raw, (str, list)):
            return raw
        raise ReadFailure("an Avro schema is an object, an array (union) or a type name")
    return enrich(Node(raw, None, None, {"schemaType": "avro-schema"}), describe)


# ---- description ------------------------------------------------------------------------------


def describe(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The directives of a record or enum; nested named types are listed beside it."""
    types: dict[str, Any] = {}
    _describe_named(raw, types)
    described: dict[str, Any] = {}
    if isinstance(raw.get("namespace"), str):
        described["%namespace"] = raw["namespace"]
    if types:
        # The outermost type comes first: it is the one the schema is about.
        described["%types"] = dict(reversed(types.items()))
    return described


def _describe_named(raw: Mapping[str, Any], types: dict[str, Any]) -> str:
    name = str(raw.get("name", "Record"))
    common = {
        "namespace": raw.get("namespace"),
        "documentation": raw.get("doc"),
        "aliases": raw.get("aliases"),
    }
    kind = raw.get("type")
    if kind in ("record", "error"):
        fields = [_describe_field(field, types) for field in raw.get("fields", []) if isinstance(field, dict)]
        types[name] = compact(kind="structure", **common, fields=fields)
    elif kind == "enum":
        types[name] = compact(kind="enumeration", **common, values=raw.get("symbols", []))
    elif kind == "fixed":
        types[name] = compact(kind="fixed", **common, size=raw.get("size"))
    return name


def _describe_field(field: Mapping[str, Any], types: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(field.get("name"), str):
        raise ReadFailure("an Avro field has no name")
    shape = _shape(field.get("type"), types)
    required = shape.pop("%required", True)
    described = compact(name=field.get("name"), required=required)
    described = {"%name": described["%name"], **shape, "%required": required}
    if "default" in field:
        described["%default"] = field["default"]
    return described | compact(documentation=field.get("doc"), aliases=field.get("aliases"))


def _shape(type_: Any, types: dict[str, Any]) -> dict[str, Any]:
    """`%type` and what goes with it."""
    if isinstance(type_, str):
        return {"%type": _TO_UNIVERSAL.get(type_, type_)}
    if isinstance(type_, list):
        return _union_shape(type_, types)
    if not isinstance(type_, dict):
        raise ReadFailure("an Avro field has no type")
    inner = type_.get("type")
    if inner == "array":
        return {**_shape(type_.get("items"), types), "%array": True}
    if inner == "map":
        return {**_shape(type_.get("values"), types), "%map": True}
    if inner in ("record", "error", "enum", "fixed"):
        return {"%type": _describe_named(type_, types)} | compact(logicalType=type_.get("logicalType"))
    logical = compact(logicalType=type_.get("logicalType"), precision=type_.get("precision"), scale=type_.get("scale"))
    return {**_shape(inner, types), **logical}


def _union_shape(members: list[Any], types: dict[str, Any]) -> dict[str, Any]:
    real = [member for member in members if member != "null"]
    optional = {"%required": False} if len(real) < len(members) else {}
    if len(real) == 1:
        return {**_shape(real[0], types), **optional}
    return {"%type": "union", "%unionTypes": [_shape(member, types)["%type"] for member in real], **optional}


# ---- writing ----------------------------------------------------------------------------------


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


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """The schema of the last structure that no other uses, with the others written out where they are first used."""
    types = types_of(value, "avro")
    if not types:
        raise WriteFailure("%types is empty: there is nothing to write as Avro")
    structures = [name for name, type_ in types.items() if type_.get("%kind") == "structure"]
    used = {name for type_ in types.values() for name in _used(type_)}
    main = ([name for name in structures if name not in used] or structures or list(types))[-1]
    namespace = text_of(value, "%namespace") or options.get("namespace")
    schema = _Writer(types, namespace if isinstance(namespace, str) else None).named(main, outermost=True)
    if options.get("validate") is not False:
        check_schema(schema)
    return schema


def _used(type_: Mapping[str, Any]) -> Iterator[Any]:
    """The names of the types that a type has in it."""
    for part in [type_, *fields_of(type_)]:
        yield from (part.get("%type"), part.get("%itemType"), *(part.get("%unionTypes") or ()))


class _Writer:
    def __init__(self, types: Mapping[str, dict[str, Any]], namespace: str | None) -> None:
        self.types = types
        self.namespace = namespace
        self.written: set[str] = set()

    def named(self, name: str, *, outermost: bool = False) -> Any:
        """A type of `%types`: in full the first time, by full name later."""
        type_ = self.types[name]
        space = text_of(type_, "%namespace") or (self.namespace if outermost else None)
        own = self._name(name)
        if name in self.written:
            known = text_of(type_, "%namespace") or self.namespace
            return f"{known}.{own}" if known else own
        kind = type_.get("%kind", "structure")
        if kind in ("structure", "enumeration", "fixed"):
            self.written.add(name)
        builders: dict[str, Callable[[str, dict[str, Any]], Any]] = {
            "structure": self._record,
            "enumeration": self._enum,
            "fixed": lambda name, type_: {"type": "fixed", "name": name, "size": type_.get("%size")},
            "array": lambda name, type_: {"type": "array", "items": self.type(type_.get("%itemType"))},
            "union": lambda name, type_: [self.type(part) for part in type_.get("%unionTypes", [])],
            "primitive": lambda name, type_: self.type(type_.get("%type", "string")),
        }
        build = builders.get(str(kind))
        if build is None:
            raise WriteFailure(f"Avro has no {kind!r} types ({name})")
        schema = build(own, type_)
        if isinstance(schema, dict) and "name" in schema:
            extra = {"namespace": space, "doc": text_of(type_, "%documentation"), "aliases": type_.get("%aliases")}
            schema.update({key: item for key, item in extra.items() if item is not None})
        return schema

    def _name(self, name: str) -> str:
        """The name of a type that is declared inside another one: a dot would make that its namespace."""
        return name.replace(".", "_") if name.rpartition(".")[0] in self.types else name

    def _record(self, name: str, type_: dict[str, Any]) -> dict[str, Any]:
        return {"type": "record", "name": name, "fields": [self._field(field) for field in fields_of(type_)]}

    def _enum(self, name: str, type_: dict[str, Any]) -> dict[str, Any]:
        symbols = [item.get("%value") if isinstance(item, dict) else item for item in type_.get("%values", [])]
        return {"type": "enum", "name": name, "symbols": symbols}

    def _field(self, field: dict[str, Any]) -> dict[str, Any]:
        schema = self._field_type(field)
        default: tuple[Any, ...] = (field["%default"],) if "%default" in field else ()
        if field.get("%required") is False:
            if default and default[0] is not None:
                schema = [schema, "null"]
            else:
                schema, default = ["null", schema], (None,)
        written: dict[str, Any] = {"name": field["%name"], "type": schema}
        if default:
            written["default"] = default[0]
        extra = {"doc": text_of(field, "%documentation", "%description"), "aliases": field.get("%aliases")}
        return written | {key: item for key, item in extra.items() if item is not None}

    def _field_type(self, field: dict[str, Any]) -> Any:
        given = field.get("%itemType") if field.get("%map") is True and field.get("%itemType") else None
        type_ = given or field.get("%type", "string")
        schema = self._logical(field) if field.get("%logicalType") else self.type(type_, field)
        if field.get("%array") is True:
            return {"type": "array", "items": schema}
        return {"type": "map", "values": schema} if field.get("%map") is True else schema

    def _logical(self, field: dict[str, Any]) -> dict[str, Any]:
        logical = str(field["%logicalType"])
        if logical == "duration":
            return {"type": "fixed", "name": f"{field['%name']}_duration", "size": 12, "logicalType": logical}
        base = _LOGICAL_BASE.get(logical) or self.type(field.get("%type", "string"))
        schema: dict[str, Any] = {"type": base, "logicalType": logical}
        for part in ("precision", "scale"):
            if field.get("%" + part) is not None:
                schema[part] = field["%" + part]
        return schema

    def type(self, type_: Any, field: Mapping[str, Any] | None = None) -> Any:
        if isinstance(type_, dict):
            return self._field_type(type_)
        name = str(type_)
        if name == "union" and field is not None:
            return [self.type(part) for part in field.get("%unionTypes", [])]
        if name in self.types:
            return self.named(name)
        if name == "integer" and field is not None and wide(field):
            return "long"
        if name in ("array", "object", "map"):
            # What is in it was not said.
            return {"type": "array", "items": "string"} if name == "array" else {"type": "map", "values": "string"}
        if name not in PRIMITIVE and name not in _FROM_UNIVERSAL:
            name = universal(name)
        return _FROM_UNIVERSAL.get(name, name)
