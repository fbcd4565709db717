"""The structure of a value: what was seen, how often, with examples."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Any

from rolltop.transform.values import Node, iso_text

__all__ = ["Sampling", "structure_of_value"]

_ITEMS = 2000
"""Items of one array that are looked at: the first half of them, the others spread over the rest."""
_EXAMPLES = 3
_LONGEST_EXAMPLE = 80
_FORMATS = (
    ("date", re.compile(r"\d{4}-\d\d-\d\d")),
    ("date-time", re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")),
    ("email", re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")),
    ("uri", re.compile(r"[a-z][a-z0-9+.-]*://\S+")),
    ("uuid", re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
)


@dataclass(slots=True)
class Sampling:
    """How many array items were looked at and how many were not."""

    seen: int = 0
    skipped: int = 0

    def choose(self, items: list[Any]) -> list[Any]:
        if len(items) > _ITEMS:
            half = _ITEMS // 2
            step = (len(items) - half) // half
            chosen = items[:half] + items[half::step][:half]
        else:
            chosen = items
        self.seen += len(chosen)
        self.skipped += len(items) - len(chosen)
        return chosen


@dataclass(slots=True)
class _Seen:
    """Everything that was seen at one place of the data."""

    count: int = 0
    """Objects that have it."""
    repeats: bool = False
    """An XML element that occurs several times in one place: an array of such elements everywhere."""
    kinds: dict[str, int] = field(default_factory=dict)
    examples: list[Any] = field(default_factory=list)
    formats: set[str] | None = None
    fields: dict[str, _Seen] = field(default_factory=dict)
    attributes: dict[str, _Seen] = field(default_factory=dict)
    items: _Seen | None = None
    shortest: int | None = None

    def add(self, value: Any, sampling: Sampling) -> None:
        self.count += 1
        self._look(value, sampling)

    def add_element(self, value: Any, sampling: Sampling) -> None:
        """What an XML element has under one name: one child, or an array of children."""
        self.count += 1
        if isinstance(value, list):
            self.repeats = True
        for child in sampling.choose(value) if isinstance(value, list) else [value]:
            self._look(child, sampling)

    def _look(self, value: Any, sampling: Sampling) -> None:
        kind = _kind(value)
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if isinstance(value, dict):
            self._add_object(value, sampling)
        elif isinstance(value, list):
            self._add_array(value, sampling)
        elif value is not None:
            self._add_scalar(value)

    def _add_object(self, value: dict[str, Any], sampling: Sampling) -> None:
        if not isinstance(value, Node):
            for name, part in value.items():
                self.fields.setdefault(name, _Seen()).add(part, sampling)
            return
        for name, part in value.items():
            self.fields.setdefault(name, _Seen()).add_element(part, sampling)
        for name, text in value.attributes.items():
            self.attributes.setdefault(name, _Seen()).add(text, sampling)

    def _add_array(self, value: list[Any], sampling: Sampling) -> None:
        self.items = self.items or _Seen()
        self.shortest = len(value) if self.shortest is None else min(self.shortest, len(value))
        for item in sampling.choose(value):
            self.items.add(item, sampling)

    def _add_scalar(self, value: Any) -> None:
        shown = _example(value)
        if len(self.examples) < _EXAMPLES and shown not in self.examples:
            self.examples.append(shown)
        if isinstance(value, str):
            fitting = {name for name, pattern in _FORMATS if pattern.fullmatch(value)}
            self.formats = fitting if self.formats is None else self.formats & fitting

    # ---- what it amounts to -----------------------------------------------------------------

    def node(self) -> dict[str, Any]:
        """The schema node of this place."""
        if self.repeats:
            return {"type": "array", "items": self._one(), "cardinality": "1..n"}
        return self._one()

    def _one(self) -> dict[str, Any]:
        options = [self._option(kind) for kind in sorted(_simplified(self.kinds), key=_ORDER.index)]
        if len(options) == 1:
            return options[0]
        if all(set(option) <= {"type", "examples", "format"} for option in options):
            return {"type": [option["type"] for option in options], **self._values()}
        return {"anyOf": options}

    def _option(self, kind: str) -> dict[str, Any]:
        if kind == "object":
            return self._object()
        if kind == "array":
            items = self.items.node() if self.items is not None and self.items.count else {}
            return {"type": "array", "items": items, "cardinality": "1..n" if self.shortest else "0..n"}
        if kind == "null":
            return {"type": "null"}
        return {"type": kind, **self._values()}

    def _values(self) -> dict[str, Any]:
        values: dict[str, Any] = {"examples": self.examples} if self.examples else {}
        if self.formats and "string" in self.kinds:
            values["format"] = sorted(self.formats)[0]
        return values

    def _object(self) -> dict[str, Any]:
        objects = self.kinds["object"]
        node: dict[str, Any] = {"type": "object"}
        if self.attributes:
            node["attributes"] = {name: seen.node() for name, seen in self.attributes.items()}
        node["properties"] = {name: _with_cardinality(seen, objects) for name, seen in self.fields.items()}
        required = [f"@{name}" for name, seen in self.attributes.items() if seen.count == objects]
        required += [name for name, seen in self.fields.items() if seen.count == objects]
        return {**node, "required": required} if required else node


def _with_cardinality(seen: _Seen, objects: int) -> dict[str, Any]:
    node = seen.node()
    optional = seen.count < objects
    if node.get("type") == "array":
        return {**node, "cardinality": "0..n"} if optional else node
    return {**node, "cardinality": "0..1" if optional else "1"}


_ORDER = ("object", "array", "string", "number", "integer", "boolean", "null")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "string"


def _simplified(kinds: dict[str, int]) -> list[str]:
    return [kind for kind in kinds if not (kind == "integer" and "number" in kinds)] or ["null"]


def _example(value: Any) -> Any:
    if isinstance(value, (dt.date, dt.time)):
        return iso_text(value)
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, str) and len(value) > _LONGEST_EXAMPLE:
        return value[:_LONGEST_EXAMPLE] + "…"
    return value


def structure_of_value(value: Any, sampling: Sampling) -> dict[str, Any]:
    """The structure of a document; a bare value is `primitive` with its `valueType`."""
    seen = _Seen()
    seen.add(value, sampling)
    node = seen.node()
    if node["type"] in ("object", "array"):
        return node
    return {**node, "type": "primitive", "valueType": node["type"]}
