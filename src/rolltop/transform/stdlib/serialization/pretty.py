"""Pretty-printed and compact forms of JSON, XML, YAML and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from rolltop.transform.errors import fail
from rolltop.transform.formats.auto import detect
from rolltop.transform.formats.plain import plain
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.layout import (
    check_indent,
    csv_columns_aligned,
    csv_trimmed,
    json_compact,
    json_indented,
    step,
    xml_compact,
    xml_indented,
    yaml_relaid,
)
from rolltop.transform.stdlib.serialization.serialize import write_text
from rolltop.transform.values import Node, kind_of, scalar_text

__all__ = ["described", "parts"]

LONGEST = 80


def described(value: Any) -> str:
    """The type of a value with its size or its text."""
    kind = kind_of(value)
    if isinstance(value, (dict, list)):
        named = f" <{value.name}>" if isinstance(value, Node) and value.name else ""
        return f"{kind}({len(value)}){named}"
    if value is None or kind == "function":
        return kind
    if isinstance(value, bytes):
        return f"binary of {len(value)} bytes"
    text = scalar_text(value) or ""
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    return f'{kind} "{shown}"' if kind == "string" else f"{kind} {shown}"


def parts(value: Any) -> list[tuple[str, Any]]:
    """What is inside: attributes, properties, elements."""
    if isinstance(value, list):
        return [(f"[{at}]", item) for at, item in enumerate(value)]
    if not isinstance(value, dict):
        return []
    attributes = getattr(value, "attributes", {})
    return [*((f"@{name}", text) for name, text in attributes.items()), *value.items()]


_INDENT = {"indent": "Blanks per level, 0 to 16; default 2"}


@function(
    "prettyPrintJSON(text: String, indent?: Integer): String",
    category="serialization",
    examples=[('prettyPrintJSON("{\\"a\\":[1,{}]}")', '"{\\n  \\"a\\": [\\n    1,\\n    {}\\n  ]\\n}"')],
    params=_INDENT,
)
def pretty_print_json(text: str, indent: int = 2) -> str:
    """JSON text with one value per line; numbers and texts keep their spelling."""
    return json_indented(text, indent)


@function(
    "compactJSON(text: String): String",
    category="serialization",
    examples=[('compactJSON("{ \\"a b\\": [1, 2.50] }")', '"{\\"a b\\":[1,2.50]}"')],
)
def compact_json(text: str) -> str:
    """JSON text without blanks between its parts; those inside texts stay."""
    return json_compact(text)


@function(
    "prettyPrintXML(text: String, indent?: Integer, keepBlanks?: Boolean): String",
    category="serialization",
    examples=[
        ('prettyPrintXML("<a><b>x</b><c/></a>")', '"<a>\\n  <b>x</b>\\n  <c/>\\n</a>"'),
        ('prettyPrintXML("<a>mixed <b>x</b></a>", 4)', '"<a>mixed <b>x</b></a>"'),
    ],
    params=_INDENT | {"keepBlanks": "Keep blanks at the ends of an element's text; default false"},
)
def pretty_print_xml(text: str, indent: int = 2, keep_blanks: bool = False) -> str:
    """XML text with one element per line; elements that mix text and children stay on one."""
    return xml_indented(text, indent, keep=keep_blanks)


@function(
    "compactXML(text: String): String",
    category="serialization",
    examples=[('compactXML("<a>\\n  <b>x y</b>\\n</a>")', '"<a><b>x y</b></a>"')],
)
def compact_xml(text: str) -> str:
    """XML text without white space between tags where it means nothing."""
    return xml_compact(text)


def _yaml(value: Any, indent: int, flow: bool) -> str:
    check_indent(indent)
    dumped: str = yaml.safe_dump(
        plain(value), indent=indent, default_flow_style=flow, sort_keys=False, allow_unicode=True
    )
    return dumped.removesuffix("...\n")


_YAML = {"indent": "Blanks per level, 2 to 9; default 2", "flow": "Write {a: 1} on one line; default false"}


@function(
    "prettyPrintYAML(text: String, indent?: Integer, flow?: Boolean): String",
    category="serialization",
    examples=[
        ('prettyPrintYAML("{a: {b: 1}}", 4)', '"a:\\n    b: 1\\n"'),
        ('prettyPrintYAML("a: [1, 2]", 2, true)', '"{a: [1, 2]}\\n"'),
        ('prettyPrintYAML("{a: 12:30}\\n---\\n{b: .inf}")', '"a: 12:30\\n---\\nb: .inf\\n"'),
    ],
    params=_YAML,
)
def pretty_print_yaml(text: str, indent: int = 2, flow: bool = False) -> str:
    """YAML text laid out anew, all its documents; comments are lost."""
    return yaml_relaid(text, indent, flow=flow)


@function(
    "prettyPrintCSV(text: String, separator?: String, align?: Boolean): String",
    category="serialization",
    examples=[('prettyPrintCSV("id,name\\n1,Ann")', '"id  | name\\n----+-----\\n  1 | Ann"')],
    params={"separator": "Default ,", "align": "Pad the cells to columns; default true"},
)
def pretty_print_csv(text: str, separator: str = ",", align: bool = True) -> str:
    """CSV text as a table for people, with a line under the header."""
    return csv_columns_aligned(text, separator, align=align)


@function(
    "compactCSV(text: String, separator?: String): String",
    category="serialization",
    examples=[('compactCSV("a , b\\n1 ,  2")', '"a,b\\n1,2"')],
    params={"separator": "Default ,"},
)
def compact_csv(text: str, separator: str = ",") -> str:
    """CSV text without blanks around cells and without empty lines."""
    return csv_trimmed(text, separator)


@function(
    "prettyPrint(text: String, indent?: Integer): String",
    category="serialization",
    examples=[('prettyPrint("<a><b/></a>")', '"<a>\\n  <b/>\\n</a>"'), ('prettyPrint("[1]", 0)', '"[\\n1\\n]"')],
    params=_INDENT,
)
def pretty_print(text: str, indent: int = 2) -> str:
    """Text laid out anew in whatever format it is in."""
    format_ = detect(text)
    if format_ == "json" and not text.lstrip("\ufeff \t\r\n").startswith(_JSON_STARTS):
        fail("the format of the text cannot be told", hint='Name it: prettyPrintFormat(text, "yaml").')
    return _pretty(text, format_, indent)


_JSON_STARTS = ("{", "[", '"', "-", "true", "false", "null", *"0123456789")


def _pretty(text: str, format_: str, indent: int) -> str:
    if format_ == "json":
        return json_indented(text, indent)
    if format_ == "xml":
        return xml_indented(text, indent, keep=False)
    if format_ == "yaml":
        return pretty_print_yaml(text, indent)
    if format_ == "csv":
        return csv_columns_aligned(text, ",", align=True)
    fail(f"there is no layout for {format_[:20]!r}", hint="Use json, xml, yaml or csv.")


@function(
    "prettyPrintFormat(v: Any, format: String, indent?: Integer): String",
    category="serialization",
    examples=[
        ('prettyPrintFormat({a: 1}, "json")', '"{\\n  \\"a\\": 1\\n}"'),
        ('prettyPrintFormat("[1]", "json", 1)', '"[\\n 1\\n]"'),
    ],
    params=_INDENT | {"v": "A value, or text in the format", "format": "json, xml, yaml or csv"},
)
def pretty_print_format(v: Any, format_: str, indent: int = 2) -> str:
    """A value, or text, laid out in a format."""
    name = format_.strip().lower()
    return _pretty(v if isinstance(v, str) else write_text(name, v), name, indent)


@function(
    "udmToJSON(v: Any, indent?: Integer): String",
    category="serialization",
    examples=[("udmToJSON({a: 1})", '"{\\n  \\"a\\": 1\\n}"')],
    params=_INDENT,
)
def udm_to_json(v: Any, indent: int = 2) -> str:
    """A value as indented JSON."""
    text = write_text("json", v)
    return text if indent == 2 else json_indented(text, indent)


@function(
    "udmToXML(v: Any, indent?: Integer, keepBlanks?: Boolean): String",
    category="serialization",
    examples=[("udmToXML({a: {b: 1}})", '"<a>\\n  <b>1</b>\\n</a>"')],
    params=_INDENT | {"keepBlanks": "Keep blanks at the ends of an element's text; default false"},
)
def udm_to_xml(v: Any, indent: int = 2, keep_blanks: bool = False) -> str:
    """A value as indented XML without a declaration."""
    return xml_indented(write_text("xml", v).partition("\n")[2], indent, keep=keep_blanks)


@function(
    "udmToYAML(v: Any, indent?: Integer, flow?: Boolean): String",
    category="serialization",
    examples=[("udmToYAML({a: [1]})", '"a:\\n- 1\\n"'), ("udmToYAML({a: 1}, 2, true)", '"{a: 1}\\n"')],
    params=_YAML,
)
def udm_to_yaml(v: Any, indent: int = 2, flow: bool = False) -> str:
    """A value as YAML."""
    return _yaml(v, indent, flow)


@function(
    "debugPrint(v: Any, indent?: Integer, depth?: Integer): String",
    category="serialization",
    examples=[
        ("debugPrint({a: [1]})", '"object(1)\\n  a: array(1)\\n    [0]: number 1"'),
        ("debugPrint({a: {b: 1}}, 2, 1)", '"object(1)\\n  a: object(1) …"'),
    ],
    params=_INDENT | {"depth": "How many levels to show; default 10"},
)
def debug_print(v: Any, indent: int = 2, depth: int = 10) -> str:
    """A value with its types, one part per line, attributes and element names included."""
    unit = step(indent)
    return "\n".join(unit * level + text for level, text in _dump("", v, 0, depth))


def _dump(label: str, value: Any, level: int, depth: int) -> Iterator[tuple[int, str]]:
    """Lines and how deep they stand."""
    inner = parts(value)
    if inner and level >= depth:
        yield level, f"{label}{described(value)} …"
        return
    yield level, label + described(value)
    for name, item in inner:
        yield from _dump(f"{name}: ", item, level + 1, depth)


@function(
    "debugPrintCompact(v: Any, max?: Integer): String",
    category="serialization",
    examples=[("debugPrintCompact({a: [1, 2]})", '"{\\"a\\":[1,2]}"'), ('debugPrintCompact("abcdef", 4)', '"\\"ab…"')],
    params={"max": "The longest result, in characters; default 200"},
)
def debug_print_compact(v: Any, most: int = 200) -> str:
    """A value on one line, cut to a length."""
    text = "<function>" if callable(v) else write_text("json", v, {"compact": True})
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"
