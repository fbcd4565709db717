"""Parse a text of any format, and render a value in one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform import formats
from rolltop.transform.errors import FunctionFailure, ReadFailure, WriteFailure, fail
from rolltop.transform.formats.xml_write import document, element_text
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import Node

__all__ = ["read_text", "write_text"]


def read_text(format_: str, text: str | bytes, options: Mapping[str, Any] | None = None) -> Any:
    try:
        return formats.read(format_, text, options)
    except (ReadFailure, InvalidInput) as error:
        raise FunctionFailure(error.message, hint=error.hint) from None


def write_text(format_: str, value: Any, options: Mapping[str, Any] | None = None) -> str:
    try:
        return formats.write(format_, value, options).text
    except (WriteFailure, InvalidInput) as error:
        raise FunctionFailure(error.message, hint=error.hint) from None


_PRETTY = {"pretty": "Whether to break and indent lines"}
_KEY = re.compile(r'^( *"(?:[^"\\]|\\.)*+"): ', re.MULTILINE)
"""A key, which stands at the start of a line of indented JSON."""


@function(
    "parseJson(text: String): Any",
    category="serialization",
    examples=[
        ('parseJson("{\\"a\\": [1, 2.5, true, null]}")', "{a: [1, 2.5, true, null]}"),
        ('parseJson("{a: 1}")', "error: JSON parse error at 1:2"),
    ],
)
def parse_json(text: str) -> Any:
    """Reads JSON."""
    return read_text("json", text)


@function(
    "renderJson(v: Any, pretty?: Boolean): String",
    category="serialization",
    examples=[
        ("renderJson({a: [1, 2]})", '"{\\"a\\":[1,2]}"'),
        ("renderJson({a: 1}, true)", '"{\\n  \\"a\\" : 1\\n}"'),
    ],
    params={"pretty": "Whether to break and indent lines, with blanks around the colons; default false"},
)
def render_json(v: Any, pretty: bool = False) -> str:
    """Writes a value as JSON; attributes become @name, dates ISO text, binary base64."""
    text = write_text("json", v, {"compact": not pretty})
    return _KEY.sub(r"\1 : ", text) if pretty else text


@function(
    "parseXml(text: String): Object",
    category="serialization",
    examples=[
        ('parseXml("<a><b>1</b><b>2</b></a>").a.b', "[1, 2]"),
        ('parseXml("<a i=\\"1\\">x</a>").a.@i', '"1"'),
        ('parseXml("<a>")', "error: XML parse error"),
    ],
)
def parse_xml(text: str) -> Node:
    """Reads XML: an object with the root element under its name."""
    found = read_text("xml", text)
    assert isinstance(found, Node)
    return found


@function(
    "renderXml(v: Any, pretty?: Boolean): String",
    category="serialization",
    examples=[
        (
            "renderXml({a: {b: [1, 2]}}, false)",
            '"<?xml version=\\"1.0\\" encoding=\\"UTF-8\\"?>\\n<a><b>1</b><b>2</b></a>"',
        ),
        ('contains(renderXml({a: {b: 1}}), "\\n  <b>1</b>")', "true"),
    ],
    params=_PRETTY | {"pretty": "Whether to break and indent lines; default true"},
)
def render_xml(v: Any, pretty: bool = True) -> str:
    """Writes a value as an XML document with its declaration."""
    text = write_text("xml", v)
    return text if pretty else text.partition("\n")[0] + "\n" + _on_one_line(v)


def _on_one_line(value: Any) -> str:
    """The root as the writer chooses it, without white space of ours."""
    try:
        if isinstance(value, Node) and value.name is not None:
            return element_text(value.name, value)
        if isinstance(value, dict) and len(value) == 1 and not isinstance(next(iter(value.values())), list):
            return element_text(*next(iter(value.items())))
        return document(value) if not isinstance(value, dict) else element_text("root", value)
    except WriteFailure as error:
        raise FunctionFailure(error.message, hint=error.hint) from None


@function(
    "parseYaml(text: String): Any",
    category="serialization",
    examples=[('parseYaml("a: 1\\nb: [x, y]")', '{a: 1, b: ["x", "y"]}')],
)
def parse_yaml(text: str) -> Any:
    """Reads the first document of a YAML text."""
    return read_text("yaml", text)


@function(
    "renderYaml(v: Any): String",
    category="serialization",
    examples=[("renderYaml({a: 1, b: [true]})", '"a: 1\\nb:\\n- true\\n"')],
)
def render_yaml(v: Any) -> str:
    """Writes a value as YAML in block style."""
    return write_text("yaml", v)


@function(
    "parseCsv(text: String, options?: Object): Array",
    category="serialization",
    examples=[
        ('parseCsv("a,b\\n1,x")', '[{a: 1, b: "x"}]'),
        ('parseCsv("1;2", {headers: false, delimiter: ";"})', "[[1, 2]]"),
    ],
    params={"options": "headers: whether the first line names the columns (true); delimiter: one character (,)"},
)
def parse_csv(text: str, options: dict[str, Any] | None = None) -> Any:
    """Reads CSV: an array of objects, or of arrays when there are no headers."""
    unknown = set(options or ()) - {"headers", "delimiter"}
    if unknown:
        fail(f"parseCsv has no option {min(unknown)[:40]!r}", hint="Its options are headers and delimiter.")
    return read_text("csv", text, options)


@function(
    "renderCsv(v: Any, headers?: Boolean): String",
    category="serialization",
    examples=[
        ('renderCsv([{a: 1, b: "x,y"}])', '"a,b\\n1,\\"x,y\\"\\n"'),
        ("renderCsv([{a: 1}], false)", '"1\\n"'),
    ],
    params={"headers": "Whether the first line names the columns; default true"},
)
def render_csv(v: Any, headers: bool = True) -> str:
    """Writes an array as CSV."""
    return write_text("csv", v, {"headers": headers})


@function(
    "parseOdata(v: Any): Any",
    category="serialization",
    examples=[('parseOdata("{\\"value\\": [{\\"ID\\": 1}]}")', "[{ID: 1}]")],
    params={"v": "OData JSON text, or the object that parseJson made of it"},
)
def parse_odata(v: Any) -> Any:
    """Reads OData JSON: control information becomes attributes, a collection an array."""
    return read_text("odata", v if isinstance(v, (str, bytes)) else write_text("json", v))


@function(
    "renderOdata(v: Any): String",
    category="serialization",
    examples=[("parseJson(renderOdata([{ID: 1}]))", "{value: [{ID: 1}]}")],
)
def render_odata(v: Any) -> str:
    """Writes a value as OData JSON."""
    return write_text("odata", v)


@function(
    "parse(text: String, format?: String): Any",
    category="serialization",
    examples=[
        ('parse("{\\"a\\": 1}")', "{a: 1}"),
        ('parse("a: 1", "yaml")', "{a: 1}"),
        ('parse("plain words")', '"plain words"'),
    ],
    aliases=("tibco_parse",),
    params={"format": "json, xml, yaml, csv, odata, or auto (the default): JSON and XML by their first character"},
)
def parse(text: str, format_: str = "auto") -> Any:
    """Reads text in a format; with auto, text that is neither JSON nor XML is returned as it is."""
    if format_.lower() != "auto":
        return read_text(format_, text)
    start = text.lstrip("\ufeff \t\r\n")[:1]
    guessed = "json" if start in ("{", "[") else "xml" if start == "<" else ""
    return read_text(guessed, text) if guessed else text


@function(
    "render(v: Any, format: String, pretty?: Boolean): String",
    category="serialization",
    examples=[
        ('render({a: 1}, "json")', '"{\\"a\\":1}"'),
        ('render({a: 1}, "yaml")', '"a: 1\\n"'),
        ('render({a: 1}, "doc")', "error: unknown format"),
    ],
    aliases=("tibco_render",),
    params={"format": "json, xml, yaml, csv or odata", "pretty": "Whether JSON and XML break and indent lines"},
)
def render(v: Any, format_: str, pretty: bool = False) -> str:
    """Writes a value in a format."""
    name = format_.strip().lower()
    if name == "json":
        return render_json(v, pretty)
    return render_xml(v, pretty) if name == "xml" else write_text(name, v)
