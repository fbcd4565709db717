"""Schemas from and to text inside a program, by way of the universal schema form (`%types` and its like)."""

from __future__ import annotations

from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.stdlib.serialization.layout import json_compact, xml_compact
from rolltop.transform.stdlib.serialization.serialize import read_text, write_text

_UNIVERSAL = (
    '{"%types": {Person: {"%kind": "structure", "%fields": [{"%name": "age", "%type": "integer", "%required": true}]}}}'
)
_SCHEMA = {"schema": "An object with %types: { Name: { %kind, %fields: [ { %name, %type, %required } ] } }"}
_PRETTY = _SCHEMA | {"pretty": "Whether to break and indent lines; default true"}


def _described(format_: str, text: str) -> dict[str, Any]:
    """The directives of a schema without its raw keywords."""
    found = read_text(format_, text)
    if not isinstance(found, dict):
        fail(f"this {format_} schema has no types to describe", hint="It is a bare type or a truth value.")
    diagnostics = found.get("%_diagnostics", {})
    if diagnostics.get("%_status") == "failed":
        fail(f"the schema cannot be described: {diagnostics['%_warnings'][0]}", hint="Read it as plain XML or JSON.")
    return {key: value for key, value in found.items() if key.startswith("%") and key != "%_diagnostics"}


def _universal(schema: dict[str, Any], function_name: str) -> dict[str, Any]:
    """Only the directives, so that writers generate from them."""
    if "%types" not in schema:
        fail(f"{function_name} needs %types", hint='For example {"%types": {Person: {"%kind": "structure", …}}}.')
    return {key: value for key, value in schema.items() if key.startswith("%")}


@function(
    "parseXSDSchema(text: String): Object",
    category="serialization",
    examples=[
        (
            'parseXSDSchema("<xs:schema xmlns:xs=\\"http://www.w3.org/2001/XMLSchema\\"><xs:complexType name=\\"P\\">'
            '<xs:sequence><xs:element name=\\"age\\" type=\\"xs:int\\"/></xs:sequence></xs:complexType></xs:schema>")'
            '["%types"].P["%fields"][0]["%type"]',
            '"integer"',
        ),
        ('parseXSDSchema("<a/>")', "error: xs:schema"),
    ],
)
def parse_xsd_schema(text: str) -> dict[str, Any]:
    """Describes an XML Schema in the universal form."""
    return _described("xsd", text)


@function(
    "parseJSONSchema(text: String): Object",
    category="serialization",
    examples=[
        (
            'parseJSONSchema("{\\"title\\": \\"P\\", \\"type\\": \\"object\\", \\"properties\\": '
            '{\\"age\\": {\\"type\\": \\"integer\\"}}}")["%types"].P["%kind"]',
            '"structure"',
        )
    ],
)
def parse_json_schema(text: str) -> dict[str, Any]:
    """Describes a JSON Schema in the universal form."""
    return _described("jsch", text)


@function(
    "parseAvroSchema(text: String): Object",
    category="serialization",
    examples=[
        (
            'parseAvroSchema("{\\"type\\": \\"record\\", \\"name\\": \\"P\\", \\"fields\\": [{\\"name\\": \\"age\\", '
            '\\"type\\": \\"int\\"}]}")["%types"].P["%fields"][0]["%name"]',
            '"age"',
        )
    ],
)
def parse_avro_schema(text: str) -> dict[str, Any]:
    """Describes an Avro schema in the universal form."""
    return _described("avro", text)


@function(
    "parseProtobufSchema(text: String): Object",
    category="serialization",
    examples=[
        (
            'parseProtobufSchema("syntax = \\"proto3\\"; message P { int32 age = 1; }")["%types"].P["%kind"]',
            '"structure"',
        )
    ],
)
def parse_protobuf_schema(text: str) -> dict[str, Any]:
    """Reads a proto3 file: its messages and enums, and their description in the universal form."""
    found = read_text("proto", text)
    assert isinstance(found, dict)
    return {key: value for key, value in found.items() if key != "%_diagnostics"}


@function(
    "renderXSDSchema(schema: Object, pretty?: Boolean, keepPattern?: Boolean): String",
    category="serialization",
    examples=[
        (
            f'contains(renderXSDSchema({_UNIVERSAL}), "<xs:element name=\\"age\\" type=\\"xs:integer\\"/>")',
            "true",
        ),
        ("renderXSDSchema({a: 1})", "error: needs %types"),
    ],
    params=_PRETTY | {"keepPattern": "Whether types that stood inside an element stay there (true), or get names"},
)
def render_xsd_schema(schema: dict[str, Any], pretty: bool = True, keep_pattern: bool = True) -> str:
    """Writes an XML Schema from the universal form."""
    ready = _universal(schema, "renderXSDSchema")
    if not keep_pattern:
        ready["%types"] = {name: _named(type_) for name, type_ in ready["%types"].items()}
    text = write_text("xsd", ready)
    return text if pretty else xml_compact(text)


def _named(type_: Any) -> Any:
    """A type without the marks of the place that it was read from."""
    if not isinstance(type_, dict):
        return type_
    return {key: value for key, value in type_.items() if key not in ("%xsdInline", "%xsdElement", "%xsdPattern")}


@function(
    "renderJSONSchema(schema: Object, pretty?: Boolean): String",
    category="serialization",
    examples=[(f'parseJson(renderJSONSchema({_UNIVERSAL}))["$defs"].Person.required', '["age"]')],
    params=_PRETTY,
)
def render_json_schema(schema: dict[str, Any], pretty: bool = True) -> str:
    """Writes a JSON Schema from the universal form."""
    text = write_text("jsch", _universal(schema, "renderJSONSchema"))
    return text if pretty else json_compact(text)


@function(
    "renderAvroSchema(schema: Object, pretty?: Boolean): String",
    category="serialization",
    examples=[(f"parseJson(renderAvroSchema({_UNIVERSAL}, false)).name", '"Person"')],
    params=_PRETTY,
)
def render_avro_schema(schema: dict[str, Any], pretty: bool = True) -> str:
    """Writes an Avro schema from the universal form."""
    text = write_text("avro", _universal(schema, "renderAvroSchema"))
    return text if pretty else json_compact(text)


@function(
    "renderProtobufSchema(schema: Object): String",
    category="serialization",
    examples=[(f'contains(renderProtobufSchema({_UNIVERSAL}), "int32 age = 1;")', "true")],
    params=_SCHEMA,
)
def render_protobuf_schema(schema: dict[str, Any]) -> str:
    """Writes a proto3 file from the universal form."""
    return write_text("proto", _universal(schema, "renderProtobufSchema"))
