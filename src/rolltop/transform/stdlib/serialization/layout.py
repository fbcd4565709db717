"""Lay out JSON, XML and YAML texts anew from their tokens."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import yaml

from rolltop.transform.errors import FunctionFailure, ReadFailure, fail
from rolltop.transform.formats.yaml_read import CoreResolver, read_all
from rolltop.transform.stack import deep_stack
from rolltop.transform.stdlib.serialization.serialize import read_text
from rolltop.transform.stdlib.xml.tokens import Element, Token, attributes_of, tree

__all__ = [
    "check_indent",
    "csv_columns_aligned",
    "csv_trimmed",
    "documents_of",
    "json_compact",
    "json_indented",
    "xml_compact",
    "xml_indented",
    "yaml_relaid",
]

DEEPEST_INDENT = 16
_JSON = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def step(indent: int) -> str:
    if not 0 <= indent <= DEEPEST_INDENT:
        fail(f"cannot indent by {indent}", hint=f"Use 0 to {DEEPEST_INDENT} blanks.")
    return " " * indent


def _json_tokens(text: str) -> list[str]:
    read_text("json", text)  # says where it is wrong
    return _JSON.findall(text)


def json_compact(text: str) -> str:
    return "".join(_json_tokens(text))


def json_indented(text: str, indent: int) -> str:
    unit, depth, out = step(indent), 0, list[str]()
    tokens = _json_tokens(text)
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token in "{[":
            depth += after not in ("}", "]")
            out.append(token if after in ("}", "]") else f"{token}\n{unit * depth}")
        elif token in "}]":
            if tokens[at - 1] not in ("{", "["):
                depth -= 1
                out.append(f"\n{unit * depth}")
            out.append(token)
        else:
            out.append(f",\n{unit * depth}" if token == "," else ": " if token == ":" else token)
    return "".join(out)


def _inline(part: Element | Token) -> str:
    if isinstance(part, Token):
        return part.text
    return part.start.text + "".join(map(_inline, part.children)) + part.end


def _is_blank(part: Element | Token) -> bool:
    return isinstance(part, Token) and part.kind == "text" and not part.text.strip()


def _is_mixed(element: Element) -> bool:
    """Whether white space between the children could mean something."""
    if ("xml:space", '"preserve"') in attributes_of(element.start.text):
        return True
    return any(isinstance(child, Token) and child.kind in ("text", "cdata") and not _is_blank(child)
               for child in element.children)  # fmt: skip


def xml_compact(text: str) -> str:
    parts = [part for part in tree(text, "compactXML") if not _is_blank(part)]
    return "".join(_compact(part) for part in parts)


def _compact(part: Element | Token) -> str:
    if isinstance(part, Token) or _is_mixed(part):
        return _inline(part)
    return part.start.text + "".join(_compact(child) for child in part.children if not _is_blank(child)) + part.end


def xml_indented(text: str, indent: int, *, keep: bool) -> str:
    unit = step(indent)
    lines: list[str] = []
    for part in tree(text, "prettyPrintXML"):
        if not _is_blank(part):
            _indent(part, unit, 0, lines, keep)
    return "\n".join(lines)


def _indent(part: Element | Token, unit: str, depth: int, lines: list[str], keep: bool) -> None:
    lead = unit * depth
    if isinstance(part, Token) or not part.children:
        lines.append(lead + _inline(part).strip())
    elif _is_mixed(part):
        only_text = len(part.children) == 1 and not keep
        inside = "".join(map(_inline, part.children))
        lines.append(f"{lead}{part.start.text}{inside.strip() if only_text else inside}{part.end}")
    elif all(map(_is_blank, part.children)):
        inside = "".join(map(_inline, part.children)) if keep else ""
        lines.append(f"{lead}{part.start.text}{inside}{part.end}")
    else:
        lines.append(lead + part.start.text)
        for child in part.children:
            if not _is_blank(child):
                _indent(child, unit, depth + 1, lines, keep)
        lines.append(lead + part.end)


def _csv_rows(text: str, separator: str) -> list[list[str]]:
    if len(separator) != 1 or separator in '"\r\n':
        fail(f"{separator[:20]!r} cannot separate cells", hint='Use one character, such as ",", ";" or "|".')
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        fail(f"the CSV cannot be read: {error}", hint='A quote inside a quoted cell is written twice: "a ""b""".')
    return [[cell.strip() for cell in row] for row in rows if row]


def csv_trimmed(text: str, separator: str) -> str:
    rows, out = _csv_rows(text, separator), io.StringIO(newline="")
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue().removesuffix("\n")


def csv_columns_aligned(text: str, separator: str, *, align: bool) -> str:
    """Columns of equal width with a line under the header; numbers stand right when aligned."""
    rows = [[cell.replace("\n", " ") for cell in row] for row in _csv_rows(text, separator)]
    if not rows:
        return ""
    width = max(map(len, rows))
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    widths = [max(3, *(len(row[at]) for row in rows)) if align else 3 for at in range(width)]
    lines = [" | ".join(_padded(cell, size) if align else cell for cell, size in zip(row, widths, strict=True)).rstrip()
             for row in rows]  # fmt: skip
    return "\n".join([lines[0], "-+-".join("-" * size for size in widths), *lines[1:]])


def _padded(cell: str, width: int) -> str:
    return cell.rjust(width) if re.fullmatch(r"-?[0-9][0-9.,]*", cell) else cell.ljust(width)


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL, _STRING = "tag:yaml.org,2002:null", "tag:yaml.org,2002:str"


def check_indent(indent: int) -> None:
    if not 2 <= indent <= 9:
        fail(f"YAML cannot be indented by {indent}", hint="Use 2 to 9 blanks.")


def documents_of(text: str) -> list[Any]:
    """The values of all documents of a YAML text."""
    try:
        with deep_stack():
            return read_all(text)
    except ReadFailure as error:
        raise FunctionFailure(error.message, hint=error.hint) from None


def yaml_relaid(text: str, indent: int, *, flow: bool | None) -> str:
    """The text with other indentation, its collections in flow style or not; None leaves them as they are."""
    check_indent(indent)
    documents_of(text)  # says what is wrong, and bounds nesting
    laid: str = yaml.emit(_events(text, flow), indent=indent, allow_unicode=True)
    return laid.removesuffix("...\n") or "null\n"


def _events(text: str, flow: bool | None) -> Iterator[Any]:
    resolver: Any = CoreResolver()
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent) and flow is not None:
            event.flow_style = flow
        elif isinstance(event, (yaml.DocumentStartEvent, yaml.DocumentEndEvent)):
            event.explicit = False
            if isinstance(event, yaml.DocumentStartEvent):
                event.version = event.tags = None  # tags are spelled out already
        elif isinstance(event, yaml.ScalarEvent) and event.tag is None and event.implicit[0]:
            kind = resolver.resolve(yaml.ScalarNode, event.value, (True, False)).replace("int12", "int")
            # Where it cannot stand bare: a text in quotes alone, anything else with what it is.
            event.tag, event.implicit = kind, (True, kind == _STRING)
            if kind == _NULL:
                event.value = event.value or "null"
        yield event
