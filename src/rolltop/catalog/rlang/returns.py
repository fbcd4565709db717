"""`@return` as a schema: the fields of `\\describe`, of items, of a list of names or of a table become properties."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolltop.catalog.inference import Schema, array_of, infer_type, leading_type
from rolltop.catalog.prose import described
from rolltop.catalog.rlang.markup import Markup, Node
from rolltop.catalog.rlang.plain import to_text, to_text_with_marks, unmark

__all__ = ["returns_schema"]

# "- `count` (integer): how many"; the name is code, or a plain word where every item begins with one.
_NAMED_ITEM = re.compile(
    r"[-*+]\s+(?:\x00(?P<code>\d+)\x00|(?P<word>\$?[a-z.][\w.]*))\s*(?:\((?P<kind>[^()]*)\))?\s*"
    r"(?:[:\u2013\u2014]|-{1,2}(?=\s))\s*(?P<text>.*)$",
    re.DOTALL,
)
_ITEM = re.compile(r"[-*+]\s")
_CELL_NAME = re.compile(r"\x00(\d+)\x00|(\$?[A-Za-z.][\w.]*)")
_RULE = re.compile(r"\|[\s:|-]+\|$")
_NAME_HEADS = frozenset({"name", "field", "column", "element", "component", "variable", "key", "item", "slot", "value"})
_TYPE_HEADS = frozenset({"type", "class"})

_Fields = dict[str, Schema]


def returns_schema(markup: Markup) -> Schema:
    """The schema of a result. Fields make it an object, or rows of one where it is a data frame."""
    properties, rest = _item_fields(markup)
    text, codes = to_text_with_marks(rest)
    for read in (_listed_fields, _table_fields):
        if not properties:
            properties, text = read(text, codes)
    text = unmark(text, codes)
    if not properties:
        return _field(text)
    if leading_type(text) == array_of("rows"):
        schema: Schema = {"type": "array", "items": {"type": "object", "properties": properties}}
    else:
        schema = {"type": "object", "properties": properties}
    if introduction := re.sub(r"[:,]$", "", described(text)).strip():
        schema = {"type": schema.pop("type"), "description": introduction} | schema
    return schema


def _field(text: str) -> Schema:
    return infer_type(text) | {"description": described(text)}


def _item_fields(markup: Markup) -> tuple[_Fields, Markup]:
    """The fields of `\\describe`, and of `\\item{name}{text}` as Rd has it in the value of a function."""
    properties: _Fields = {}
    rest: list[Node] = []
    for node in markup.nodes:
        if node.name == "describe" and node.arguments:
            properties |= _items(node.arguments[0])
        elif node.name == "item" and len(node.arguments) > 1:
            properties |= _items(Markup((node,)))
        else:
            rest.append(node)
    return properties, Markup(tuple(rest))


def _items(body: Markup) -> _Fields:
    fields: _Fields = {}
    for node in body.nodes:
        if node.name == "item" and len(node.arguments) > 1:
            for name in _names(to_text(node.arguments[0])):
                fields[name] = _field(to_text(node.arguments[1]))
    return fields


def _names(label: str) -> list[str]:
    return [name for part in label.split(",") if (name := part.strip().strip("`$\"'"))]


def _listed_fields(text: str, codes: list[str]) -> tuple[_Fields, str]:
    """Fields written as list items that begin with a name: "- `count`: Integer, how many"."""
    lines = text.splitlines()
    items = [line for line in lines if _ITEM.match(line)]
    takes_words = bool(items) and all(_NAMED_ITEM.match(line) for line in items)
    fields: _Fields = {}
    others: list[str] = []
    for line in lines:
        found = _NAMED_ITEM.match(line)
        if found and (found["code"] or takes_words):
            name = codes[int(found["code"])] if found["code"] else found["word"]
            said = f"{found['kind']}. {found['text']}" if found["kind"] else found["text"]
            fields[name.strip("$\"'")] = _field(unmark(said, codes))
        else:
            others.append(line)
    return fields, "\n".join(others).strip()


def _table_fields(text: str, codes: list[str]) -> tuple[_Fields, str]:
    """Fields written as the rows of a table whose first column has their names."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    others = "\n".join(line for line in text.splitlines() if not line.startswith("|")).strip()
    fields: _Fields = {}
    kind_at: int | None = None
    for cells in _cells(rows):
        head = [cell.lower().rstrip("s") for cell in cells]
        if not fields and head[0] in _NAME_HEADS:
            kind_at = next((at for at, cell in enumerate(head) if cell in _TYPE_HEADS or cell == "clas"), None)
        elif name := _CELL_NAME.fullmatch(cells[0]):
            said = [cells[kind_at]] if kind_at else []
            said += [cell for at, cell in enumerate(cells) if at not in (0, kind_at) and cell]
            key = codes[int(name[1])] if name[1] else name[2]
            fields[key.strip("$\"'")] = _field(unmark(". ".join(said), codes))
    return fields, others if fields else text


def _cells(rows: list[str]) -> Iterator[list[str]]:
    for row in rows:
        if not _RULE.match(row):
            yield [cell.strip() for cell in row.strip("|").split("|")]
