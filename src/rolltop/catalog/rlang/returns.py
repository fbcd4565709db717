"""`@return` as a schema: the fields of `\\describe`, or of a list of named items, become properties."""

from __future__ import annotations

import re

from rolltop.catalog.inference import Schema, infer_type
from rolltop.catalog.prose import described
from rolltop.catalog.rlang.markup import Markup, Node
from rolltop.catalog.rlang.plain import to_text, to_text_with_marks, unmark

__all__ = ["returns_schema"]

_NAMED_ITEM = re.compile(r"[-*+]\s+\x00(\d+)\x00\s*(?:[:\u2013\u2014]|-{1,2}(?=\s))\s*(.*)$", re.DOTALL)


def returns_schema(markup: Markup) -> Schema:
    """The schema of a result. Fields make it an object; otherwise its text is read as a parameter's is."""
    properties, rest = _described_fields(markup)
    if not properties:
        properties, text = _listed_fields(markup)
    else:
        text = to_text(rest)
    if not properties:
        return _field(text)
    schema: Schema = {"type": "object"}
    if introduction := re.sub(r"[:,]$", "", described(text)).strip():
        schema["description"] = introduction
    return schema | {"properties": properties}


def _field(text: str) -> Schema:
    return infer_type(text) | {"description": described(text)}


def _described_fields(markup: Markup) -> tuple[dict[str, Schema], Markup]:
    properties: dict[str, Schema] = {}
    rest: list[Node] = []
    for node in markup.nodes:
        if node.name == "describe" and node.arguments:
            properties |= _items(node.arguments[0])
        else:
            rest.append(node)
    return properties, Markup(tuple(rest))


def _items(body: Markup) -> dict[str, Schema]:
    fields: dict[str, Schema] = {}
    for node in body.nodes:
        if node.name == "item" and len(node.arguments) > 1:
            for name in _names(to_text(node.arguments[0])):
                fields[name] = _field(to_text(node.arguments[1]))
    return fields


def _names(label: str) -> list[str]:
    return [name for part in label.split(",") if (name := part.strip().strip("`$\"'"))]


def _listed_fields(markup: Markup) -> tuple[dict[str, Schema], str]:
    """Fields written as list items that begin with a name in code: "- `count`: Integer, how many"."""
    text, codes = to_text_with_marks(markup)
    fields: dict[str, Schema] = {}
    others: list[str] = []
    for line in text.splitlines():
        if found := _NAMED_ITEM.match(line):
            fields[codes[int(found[1])].strip("$\"'")] = _field(unmark(found[2], codes))
        else:
            others.append(line)
    return fields, unmark("\n".join(others).strip(), codes)
