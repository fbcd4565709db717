"""An Avro schema from a description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.schemas.avro_check import PRIMITIVE, check_schema
from rolltop.transform.schemas.avro_union import union
from rolltop.transform.schemas.builtins import universal
from rolltop.transform.schemas.completion import Types, complete, mentioned
from rolltop.transform.schemas.directives import fields_of, flag, held_key, text_of, wide
from rolltop.transform.schemas.names import dotted

__all__ = ["generate"]

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
