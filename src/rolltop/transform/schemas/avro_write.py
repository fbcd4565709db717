"""An Avro schema from a description, and whether a value is a valid Avro schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.schemas.completion import Types, complete, mentioned
from rolltop.transform.schemas.model import dotted, fields_of, flag, held_key, text_of, universal, wide

__all__ = ["PRIMITIVE", "check_schema", "generate", "kind_in_union", "union"]


def kind_in_union(schema: Any) -> str:
    """What a union has once: a type that has no name, or a name."""
    if not isinstance(schema, dict):
        return str(schema)
    kind = schema.get("type")
    return str(schema.get("name")) if kind in ("record", "error", "enum", "fixed") else kind_in_union(kind)


def union(members: list[Any]) -> Any:
    """One of several. Arrays become an array of one or the other, and maps; a single one needs no union."""
    found: dict[str, Any] = {}
    for schema in _flat(members):
        kind = kind_in_union(schema)
        if kind in ("array", "map") and kind in found:
            inside = "items" if kind == "array" else "values"
            found[kind] = {"type": kind, inside: union([found[kind][inside], schema[inside]])}
        else:
            found.setdefault(kind, schema)
    schemas = list(found.values())
    return schemas[0] if len(schemas) == 1 else schemas


def _flat(members: list[Any]) -> Iterator[Any]:
    for member in members:
        if isinstance(member, list):
            yield from _flat(member)
        else:
            yield member


PRIMITIVE = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)


def check_schema(schema: Any) -> None:
    """Raise `WriteFailure` on the first thing that an Avro reader would refuse."""
    _Checker().check(schema, "", "schema")


class _Checker:
    def __init__(self) -> None:
        self.known: set[str] = set()

    def check(self, schema: Any, namespace: str, where: str) -> None:
        if isinstance(schema, str):
            self._reference(schema, namespace, where)
        elif isinstance(schema, list):
            self._union(schema, namespace, where)
        elif isinstance(schema, dict):
            self._complex(schema, namespace, where)
        else:
            raise _invalid(where, "it has no type")

    def _union(self, members: list[Any], namespace: str, where: str) -> None:
        seen: set[str] = set()
        for member in members:
            if isinstance(member, list):
                raise _invalid(where, "a union stands inside a union", "Put the members of both into one.")
            kind = kind_in_union(member)
            if kind in seen:
                raise _invalid(where, f"a union has {kind!r} more than once")
            seen.add(kind)
            self.check(member, namespace, where)

    def _reference(self, name: str, namespace: str, where: str) -> None:
        if name in PRIMITIVE or name in self.known or f"{namespace}.{name}" in self.known:
            return
        raise _invalid(where, f"unknown type {name!r}")

    def _complex(self, schema: dict[str, Any], namespace: str, where: str) -> None:
        kind = schema.get("type")
        if kind == "array":
            self.check(schema.get("items"), namespace, where)
        elif kind == "map":
            self.check(schema.get("values"), namespace, where)
        elif kind in ("record", "error", "enum", "fixed"):
            self._named(schema, namespace, where)
        else:
            self.check(kind, namespace, where)

    def _named(self, schema: dict[str, Any], namespace: str, where: str) -> None:
        name = schema.get("name")
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            raise _invalid(where, f"{name!r} is not a valid name", "Names have letters, digits and '_'.")
        space = str(schema.get("namespace") or name.rpartition(".")[0] or namespace)
        full = f"{space}.{name.rpartition('.')[2]}" if space else name
        if full in self.known:
            raise _invalid(where, f"{full} is defined twice")
        self.known.add(full)
        if schema["type"] == "enum":
            self._symbols(schema, full)
        elif schema["type"] == "fixed":
            if not isinstance(schema.get("size"), int):
                raise _invalid(full, "a fixed type needs a %size")
        else:
            self._fields(schema, space, full)

    def _symbols(self, schema: dict[str, Any], full: str) -> None:
        symbols = schema.get("symbols")
        if not isinstance(symbols, list) or len(set(map(str, symbols))) != len(symbols):
            raise _invalid(full, "an enum needs symbols, each once")
        for symbol in symbols:
            if not isinstance(symbol, str) or _NAME.fullmatch(symbol) is None or "." in symbol:
                raise _invalid(full, f"{symbol!r} is not a valid symbol", "Symbols have letters, digits and '_'.")

    def _fields(self, schema: dict[str, Any], space: str, full: str) -> None:
        fields = schema.get("fields")
        if not isinstance(fields, list):
            raise _invalid(full, "a record needs fields")
        seen: set[str] = set()
        for field in fields:
            name = field.get("name") if isinstance(field, dict) else None
            if not isinstance(name, str) or _NAME.fullmatch(name) is None or "." in name:
                raise _invalid(full, f"{name!r} is not a valid field name", "Names have letters, digits and '_'.")
            if name in seen:
                raise _invalid(full, f"the field {name!r} occurs twice")
            seen.add(name)
            self.check(field.get("type"), space, f"{full}.{name}")


def _invalid(where: str, reason: str, hint: str | None = None) -> WriteFailure:
    return WriteFailure(f"not a valid Avro schema: {where}: {reason}", hint=hint)


_FROM_UNIVERSAL = {
    "integer": "int", "number": "float", "binary": "bytes", "decimal": "string", "date": "string",
    "datetime": "string", "time": "string", "any": "string",
}  # fmt: skip
_LOGICAL_BASE = {
    "date": "int", "time-millis": "int", "time-micros": "long", "timestamp-millis": "long",
    "timestamp-micros": "long", "local-timestamp-millis": "long", "local-timestamp-micros": "long",
    "decimal": "bytes", "uuid": "string",
}  # fmt: skip


def generate(value: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """The schema of the last structure that no other uses, with the others written out where they are first used."""
    types = complete(value, "avro")
    if not types:
        raise WriteFailure("%types is empty: there is nothing to write as Avro")
    namespace = text_of(value, "%namespace") or options.get("namespace")
    schema = _Writer(types, namespace if isinstance(namespace, str) else None).named(_main(types), outermost=True)
    if options.get("validate") is not False:
        check_schema(schema)
    return schema


def _main(types: Types) -> str:
    """The type that the schema is about; where all use each other, the last one that leads to the most."""
    structures = [name for name, type_ in types.items() if type_.get("%kind") == "structure"]
    uses = {name: {used for used in mentioned(type_) if used in types} for name, type_ in types.items()}
    used = {inner for name, names in uses.items() for inner in names if inner != name}
    used |= {type_["%extends"] for type_ in types.values() if "%extends" in type_}  # its fields are there
    roots = [name for name in structures if name not in used]
    if roots or not structures:
        return (roots or list(types))[-1]

    def reach(name: str) -> int:
        seen, waiting = {name}, [name]
        while waiting:
            found = uses[waiting.pop()] - seen
            seen |= found
            waiting += found
        return len(seen)

    return max(reversed(structures), key=reach)


class _Writer:
    def __init__(self, types: Mapping[str, dict[str, Any]], namespace: str | None) -> None:
        self.types = types
        self.namespace = dotted(namespace or "")
        self.around = ""
        """The namespace of what is being written."""
        self.written: dict[str, str] = {}
        """The full names of what has been."""
        self.unfinished: set[str] = set()

    def named(self, name: str, *, outermost: bool = False) -> Any:
        """A type of `%types`: in full the first time, by full name later."""
        if name in self.written:
            return self.written[name]
        type_ = self.types[name]
        builders: dict[str, Callable[[str, dict[str, Any]], Any]] = {
            "structure": self._record,
            "enumeration": self._enum,
            "fixed": lambda name, type_: {"type": "fixed", "name": name, "size": type_.get("%size")},
        }
        build = builders.get(str(type_.get("%kind")))
        if build is None:
            return self._unnamed(name, type_)
        own = self._name(name)
        said = dotted(text_of(type_, "%namespace") or "") or (self.namespace if outermost else "")
        around, before = own.rpartition(".")[0] or said or self.around, self.around
        self.written[name] = f"{around}.{own.rpartition('.')[2]}" if around else own
        self.around = around
        schema = build(own, type_)
        self.around = before
        extra = {
            "namespace": said if "." not in own and said else None,
            "doc": text_of(type_, "%documentation"),
            "aliases": type_.get("%aliases"),
        }
        return schema | {key: item for key, item in extra.items() if item is not None}

    def _unnamed(self, name: str, type_: dict[str, Any]) -> Any:
        """What has a name in `%types` only."""
        if name in self.unfinished:
            raise WriteFailure(f"Avro has no arrays, maps or unions that are in themselves ({name})")
        builders: dict[str, Callable[[], Any]] = {
            "array": lambda: {"type": "array", "items": self._held(type_)},
            "map": lambda: {"type": "map", "values": self._held(type_)},
            "union": lambda: self._options(type_),
            "primitive": lambda: self.type(type_.get("%type", "string")),
        }
        kind = str(type_.get("%kind"))
        if kind not in builders:
            raise WriteFailure(f"Avro has no {kind!r} types ({name})")
        self.unfinished.add(name)
        schema = builders[kind]()
        self.unfinished.discard(name)
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
                schema = union([schema, "null"])
            else:
                schema, default = union(["null", schema]), (None,)
        elif flag(field, "%nullable"):
            schema = union([schema, "null"] if default and default[0] is not None else ["null", schema])
        written: dict[str, Any] = {"name": field["%name"], "type": schema}
        if default:
            written["default"] = default[0]
        extra = {"doc": text_of(field, "%documentation", "%description"), "aliases": field.get("%aliases")}
        return written | {key: item for key, item in extra.items() if item is not None}

    def _field_type(self, field: Mapping[str, Any]) -> Any:
        if flag(field, "%array"):
            return {"type": "array", "items": self._held(field)}
        if flag(field, "%map"):
            return {"type": "map", "values": self._held(field)}
        return self._single(field, field.get("%type", "string"))

    def _held(self, field: Mapping[str, Any]) -> Any:
        """What is in an array or a map."""
        items = field.get("%items")
        if not isinstance(items, dict):
            return self._single(field, field.get(held_key(field), "string"))
        schema = self._field_type(items)
        return union(["null", schema]) if flag(items, "%nullable") else schema

    def _single(self, field: Mapping[str, Any], type_: Any) -> Any:
        return self._logical(field) if field.get("%logicalType") else self.type(type_, field)

    def _logical(self, field: Mapping[str, Any]) -> dict[str, Any]:
        logical = str(field["%logicalType"])
        if logical == "duration":
            return {"type": "fixed", "name": f"{field['%name']}_duration", "size": 12, "logicalType": logical}
        base = _LOGICAL_BASE.get(logical) or self.type(field.get("%type", "string"))
        schema: dict[str, Any] = {"type": base, "logicalType": logical}
        for part in ("precision", "scale"):
            if field.get("%" + part) is not None:
                schema[part] = field["%" + part]
        return schema

    def _options(self, part: Mapping[str, Any]) -> Any:
        options = part.get("%unionTypes") or []
        return union([self.type(option) for at, option in enumerate(options) if option not in options[:at]])

    def type(self, type_: Any, field: Mapping[str, Any] | None = None) -> Any:
        if isinstance(type_, dict):
            return self._field_type(type_)
        name = str(type_)
        if name == "union" and field is not None:
            return self._options(field)
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
