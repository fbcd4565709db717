"""Whether a value is a valid Avro schema: names, kinds, references. Small enough to be our own."""

from __future__ import annotations

import re
from typing import Any

from rolltop.transform.errors import WriteFailure
from rolltop.transform.schemas.avro_union import kind_in_union

__all__ = ["PRIMITIVE", "check_schema"]

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
