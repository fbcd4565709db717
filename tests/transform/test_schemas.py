"""Schema formats: the uniform description, generation from it, and the way between formats."""

from __future__ import annotations

import contextlib
import json
import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from lxml import etree

from rolltop.errors import InvalidInput
from rolltop.transform import Document, ReadFailure, WriteFailure, compile_program, formats
from rolltop.transform.schemas.xsd_read import Counts

PERSON: dict[str, Any] = {
    "%namespace": "com.example",
    "%types": {
        "Status": {"%kind": "enumeration", "%values": ["ACTIVE", "GONE"]},
        "Person": {
            "%kind": "structure",
            "%documentation": "A person",
            "%fields": [
                {"%name": "id", "%type": "integer", "%required": True},
                {"%name": "status", "%type": "Status", "%required": False},
                {"%name": "tags", "%type": "string", "%array": True, "%required": True},
            ],
        },
    },
}
SCHEMA_FORMATS = ["xsd", "jsch", "avro", "proto", "osch", "tsch"]


def described(format_: str, text: str) -> Any:
    return formats.read(format_, text)


def field_names(value: Any) -> list[str]:
    structure = next(t for t in value["%types"].values() if t["%kind"] == "structure")
    return [field["%name"] for field in structure["%fields"]]


@pytest.mark.parametrize("format_", SCHEMA_FORMATS)
def test_fields_survive_every_format(format_: str) -> None:
    value = described(format_, formats.write(format_, PERSON).text)
    assert value["%_diagnostics"] == {"%_status": "complete"}
    assert field_names(value) == ["id", "status", "tags"]


@pytest.mark.parametrize("source", SCHEMA_FORMATS)
@pytest.mark.parametrize("target", SCHEMA_FORMATS)
def test_every_schema_format_becomes_every_other(source: str, target: str) -> None:
    program = compile_program("{ %types: $input['%types'] }", inputs={"input": source}, output_format=target)
    text = program.run({"input": Document(formats.write(source, PERSON).text)}).text
    assert field_names(described(target, text)) == ["id", "status", "tags"]


def test_xsd_reader_gives_the_schema_element_with_metadata() -> None:
    text = (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">'
        '<xs:element name="order"><xs:complexType><xs:sequence>'
        '<xs:element name="line" type="xs:decimal" minOccurs="0" maxOccurs="unbounded"/>'
        "</xs:sequence></xs:complexType></xs:element></xs:schema>"
    )
    program = """let e = $input['xs:element']
    { n: e.@name, s: $input.^schemaType, p: $input.^xsdPattern, g: e.^scope }"""
    value = compile_program(program).evaluate({"input": described("xsd", text)})
    assert value == {"n": "order", "s": "xsd-schema", "p": "russian-doll", "g": "global"}
    assert described("xsd", text)["%types"]["order_InlineType"]["%fields"] == [
        {"%name": "line", "%type": "decimal", "%optional": True, "%array": True}
    ]


PATTERNS = [
    ((1, 0, 2), "russian-doll"), ((3, 1, 0), "swiss-army-knife"), ((6, 6, 0), "garden-of-eden"),
    ((1, 1, 1), "chameleon-schema"), ((2, 1, 1), "bologna-sandwich"), ((5, 0, 1), "salami-slice"),
    ((0, 2, 0), "venetian-blind"), ((0, 0, 0), "undetectable"),
]  # fmt: skip


@pytest.mark.parametrize(("counts", "pattern"), PATTERNS)
def test_xsd_patterns(counts: tuple[int, int, int], pattern: str) -> None:
    assert Counts(*counts).pattern == pattern


def test_xsd_writer_writes_enumerations_dates_and_documentation() -> None:
    text = formats.write(
        "xsd",
        {
            "%types": {
                "Kind": {"%kind": "enumeration", "%values": ["a"]},
                "T": {
                    "%kind": "structure",
                    "%fields": [{"%name": "at", "%type": "datetime", "%required": True, "%description": "When"}],
                },
            }
        },
    ).text
    assert '<xs:element name="at" type="xs:dateTime">' in text
    assert "<xs:documentation>When</xs:documentation>" in text
    assert '<xs:enumeration value="a"/>' in text
    with pytest.raises(WriteFailure, match="russian-doll"):
        formats.write("xsd", PERSON, {"pattern": "russian-doll"})


def test_raw_schemas_are_written_as_they_are() -> None:
    raw = {"type": "record", "name": "R", "fields": [{"name": "f", "type": "int"}]}
    assert formats.read("json", formats.write("avro", raw).text) == raw
    schema = {"type": "object", "properties": {"a": {"type": "string", "_description": "An a"}}}
    written = formats.read("json", formats.write("jsch", schema).text)
    assert written["$schema"].endswith("2020-12/schema")
    assert written["properties"]["a"] == {"type": "string", "description": "An a"}
    text = formats.write("xsd", {"xs:element": {"_documentation": "Doc"}}).text
    assert "<xs:annotation>" in text
    assert text.count("xs:schema") == 2


def test_avro_references_and_optional_fields() -> None:
    value = formats.read("json", formats.write("avro", PERSON).text)
    assert value["fields"][1] == {
        "name": "status",
        "type": ["null", {"type": "enum", "name": "Status", "symbols": ["ACTIVE", "GONE"]}],
        "default": None,
    }
    with pytest.raises(WriteFailure, match="not a valid name"):
        formats.write("avro", {"%types": {"a b": {"%kind": "structure", "%fields": []}}})


def test_proto_nested_messages_and_reserved_numbers() -> None:
    text = 'syntax = "proto3"; message A { reserved 3, 5 to 7; message B { int64 x = 1; } // the b\n B b = 2; }'
    types = described("proto", text)["%types"]
    assert types["A"]["%fields"][0]["%type"] == "A.B"
    assert types["A"]["%reserved"] == [3, {"from": 5, "to": 7}]
    assert types["A.B"]["%fields"][0] == {"%name": "x", "%type": "integer", "%size": 64, "%fieldNumber": 1}
    with pytest.raises(ReadFailure, match="proto2"):
        described("proto", 'syntax = "proto2";')


@pytest.mark.parametrize(
    ("target", "wide", "times"), [("avro", '"long"', 3), ("osch", "Edm.Int64", 2), ("proto", "int64", 3)]
)
def test_wide_integers_of_proto_stay_wide(target: str, wide: str, times: int) -> None:
    text = (
        'syntax = "proto3"; message A { int64 a = 1; repeated uint64 b = 2; map<string, sint64> c = 3; int32 d = 4; }'
    )
    read = formats.read("proto", text)
    written = formats.write(target, read)
    assert written.text.count(wide) == times


@pytest.mark.parametrize("number", [0, 19_500, 536_870_912])
def test_proto_field_numbers_are_checked(number: int) -> None:
    fields = [{"%name": "a", "%type": "string", "%fieldNumber": number}]
    with pytest.raises(WriteFailure, match="no field number"):
        formats.write("proto", {"%types": {"M": {"%kind": "structure", "%fields": fields}}})


def test_json_schema_metadata_and_drafts() -> None:
    schema = described(
        "jsch", '{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "string"}}}'
    )
    assert (schema.metadata["version"], schema["properties"]["a"].metadata["schemaType"]) == (
        "draft-07",
        "jsch-property",
    )
    assert "definitions" in formats.write("jsch", PERSON, {"draft": "draft-07"}).text
    with pytest.raises(InvalidInput, match="draft"):
        formats.write("jsch", PERSON, {"draft": "draft-03"})


@pytest.mark.parametrize("format_", SCHEMA_FORMATS)
def test_what_is_no_schema_is_refused_by_the_writer(format_: str) -> None:
    with pytest.raises(WriteFailure):
        formats.write(format_, {"hello": "world"})


SAME_RECORD = {
    "avro": '{"type": "record", "name": "Trip", "fields": [{"name": "to", "type": "string"}]}',
    "jsch": '{"title": "Trip", "type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}',
    "tsch": '{"fields": [{"name": "to", "type": "string"}]}',
}


@pytest.mark.parametrize(("source", "target"), list(permutations(SAME_RECORD, 2)))
def test_a_schema_is_converted_by_passing_it_through(source: str, target: str) -> None:
    program = compile_program("$input", inputs={"input": source}, output_format=target)
    written = json.loads(program.run({"input": Document(SAME_RECORD[source])}).text)
    wanted = {"avro": "fields", "tsch": "fields", "jsch": "$defs"}[target]
    assert wanted in written
    assert not any(key.startswith("%") for key in written)
    assert written.get("type") == ("record" if target == "avro" else None)


NESTED = """
syntax = "proto3";
package shop.v1;
message Order {
  enum State { OPEN = 0; DONE = 1; }
  message Item { message Part { string id = 1; } repeated Part parts = 1; string sku = 2; }
  repeated Item items = 1;
  State state = 2;
  Item gift = 3;
  uint64 big = 4;
  fixed32 small = 5;
}
"""


def test_proto_types_inside_messages_are_written_there_and_integers_as_they_were() -> None:
    written = formats.write("proto", formats.read("proto", NESTED)).text
    again = formats.read("proto", written)
    assert again["%types"] == formats.read("proto", NESTED)["%types"]
    assert "  message Item {\n    message Part {" in written
    assert "  enum State {\n" in written
    assert "  uint64 big = 4;\n  fixed32 small = 5;" in written


def test_proto_becomes_the_avro_record_that_no_other_is_in() -> None:
    schema = json.loads(formats.write("avro", formats.read("proto", NESTED)).text)
    assert (schema["name"], schema["namespace"]) == ("Order", "shop.v1")
    types = {field["name"]: field["type"] for field in schema["fields"]}
    assert types["items"]["items"]["name"] == "Order_Item"
    assert types["gift"] == ["null", "shop.v1.Order_Item"]
    assert (types["big"], types["small"]) == ("long", "long")


def test_names_of_other_formats_become_names_of_proto() -> None:
    value = {
        "%namespace": "urn:example:order-v1",
        "%types": {"a.b-c": {"%kind": "structure", "%fields": [{"%name": "x-y", "%type": "string"}]}},
    }
    written = formats.write("proto", value).text
    assert "package urn.example.order.v1;" in written
    assert "message a_b_c {\n  string x_y = 1;\n}" in written


AVRO = (
    '{"type": "record", "name": "User", "namespace": "a.b", "fields": ['
    '{"name": "adr", "type": {"type": "record", "name": "Adr", "fields": [{"name": "city", "type": "string"}]}},'
    '{"name": "n", "type": {"type": "map", "values": "int"}}]}'
)


@pytest.mark.parametrize(("source", "text"), [("avro", AVRO), ("proto", NESTED)])
def test_an_xsd_with_a_namespace_finds_its_own_types(source: str, text: str) -> None:
    written = formats.write("xsd", formats.read(source, text)).text
    etree.XMLSchema(etree.fromstring(written.encode()))
    if source == "avro":
        assert '<xs:element name="n" type="xs:anyType"/>' in written


CHOICE = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="r"><xs:complexType><xs:sequence>
<xs:element name="a" type="xs:string"/>
<xs:choice><xs:element name="b" type="xs:string"/><xs:element name="c" type="xs:string"/></xs:choice>
<xs:element name="d" type="xs:string"/></xs:sequence></xs:complexType></xs:element></xs:schema>"""


def test_an_xsd_that_is_passed_through_keeps_the_order_of_its_parts() -> None:
    written = formats.write("xsd", formats.read("xsd", CHOICE)).text
    document = etree.fromstring(b"<r><a/><b/><d/></r>")
    for schema in (CHOICE, written):
        assert etree.XMLSchema(etree.fromstring(schema.encode())).validate(document)


def test_one_of_the_branches_of_a_choice_is_not_required() -> None:
    schema = json.loads(formats.write("jsch", formats.read("xsd", CHOICE)).text)
    assert schema["$defs"]["r_InlineType"]["required"] == ["a", "d"]


BUILTINS = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:complexType name="A"><xs:sequence><xs:element name="link" type="xs:anyURI"/>
<xs:element name="code" type="xs:token"/><xs:element name="s" type="S"/>
<xs:element name="t" type="T"/></xs:sequence></xs:complexType>
<xs:simpleType name="S"><xs:restriction base="xs:string"><xs:enumeration value="in progress"/>
<xs:enumeration value="1st"/><xs:enumeration value="A"/></xs:restriction></xs:simpleType>
<xs:simpleType name="T"><xs:restriction base="xs:string"><xs:enumeration value="1st"/></xs:restriction></xs:simpleType>
</xs:schema>"""


def test_proto_has_legal_constants_and_types() -> None:
    written = formats.write("proto", formats.read("xsd", BUILTINS)).text
    assert formats.read("proto", written)["%_diagnostics"] == {"%_status": "complete"}
    assert "  string link = 1;\n  string code = 2;\n  S s = 3;\n  T t = 4;" in written
    assert "  in_progress = 0;\n  S__1st = 1;\n  S_A = 2;" in written  # A is a message, _1st stands in both enums
    assert "  T__1st = 0;" in written


def test_what_protobuf_has_no_word_for_becomes_a_type_that_comes_with_it() -> None:
    schema = {"type": "object", "title": "R", "properties": {"o": {"type": "object"}, "l": {"type": "array"}}}
    written = formats.write("proto", formats.read("jsch", json.dumps(schema))).text
    assert 'import "google/protobuf/struct.proto";' in written
    assert "  google.protobuf.Struct o = 1;" in written
    union = '{"type": "record", "name": "U", "fields": [{"name": "u", "type": ["string", "int"]}]}'
    assert "  google.protobuf.Value u = 1;" in formats.write("proto", formats.read("avro", union)).text
    json_schema = json.loads(formats.write("jsch", formats.read("avro", union)).text)
    assert json_schema["$defs"]["U"]["properties"]["u"] == {"anyOf": [{"type": "string"}, {"type": "integer"}]}


def test_types_that_come_with_protobuf_reach_other_formats_as_what_they_are() -> None:
    text = 'syntax = "proto3";\nmessage A {\n  google.protobuf.Timestamp at = 1;\n}'
    read = formats.read("proto", text)
    assert 'import "google/protobuf/timestamp.proto";' in formats.write("proto", read).text
    assert 'name="at" type="xs:dateTime"' in formats.write("xsd", read).text
    assert json.loads(formats.write("jsch", read).text)["$defs"]["A"]["properties"]["at"]["format"] == "date-time"


@pytest.mark.parametrize("target", ["proto", "xsd"])
def test_a_type_that_is_nowhere_is_named(target: str) -> None:
    with pytest.raises(WriteFailure, match=r"'other\.Money' is not declared"):
        formats.write(target, formats.read("proto", 'syntax = "proto3";\nmessage A { other.Money m = 1; }'))


def test_a_comment_at_the_end_of_a_line_is_about_that_line() -> None:
    text = """syntax = "proto3";
message A { // about A
  string id = 1; // the id
  // about b
  string b = 2; // not this
  string c = 3;
}
enum E {
  X = 0; // first
  Y = 1;
}"""
    types = formats.read("proto", text)["%types"]
    assert [field.get("%documentation") for field in types["A"]["%fields"]] == ["the id", "about b", None]
    assert [value.get("%documentation") for value in types["E"]["%values"]] == ["first", None]


def test_a_table_has_the_columns_of_what_the_schema_is_called_after() -> None:
    schema = {
        "title": "Order", "type": "object", "description": "An order", "properties": {"id": {"type": "integer"}},
        "$defs": {"Line": {"type": "object", "properties": {"sku": {"type": "string"}}}},
    }  # fmt: skip
    table = json.loads(formats.write("tsch", formats.read("jsch", json.dumps(schema))).text)
    assert [column["name"] for column in table["fields"]] == ["id"]
    assert table["title"] == "Order"


NAMES = st.text("abcXY_0", min_size=1, max_size=6).map(lambda name: f"n{name}")
TYPE_NAMES = st.one_of(NAMES, st.sampled_from(["My Type", "a/b", "x-y", "a.b", "1st", "Größe"]))
SIMPLE = [
    "string", "integer", "number", "boolean", "decimal", "date", "datetime", "time", "any", "object", "array", "long",
    "double", "float", "binary", "anyURI", "token", "gYear", "hexBinary", "unsignedByte", "google.protobuf.Timestamp",
]  # fmt: skip


@st.composite
def descriptions(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(TYPE_NAMES, min_size=1, max_size=4, unique=True))
    types: dict[str, Any] = {}
    for name in names:
        kind = draw(st.sampled_from(["structure", "structure", "enumeration", "primitive", "array", "union"]))
        pick = st.sampled_from([*SIMPLE, *types])
        if kind == "structure":
            fields = [
                {"%name": field, "%type": draw(pick), "%required": draw(st.booleans()), "%array": draw(st.booleans())}
                for field in draw(st.lists(NAMES, max_size=4, unique=True))
            ]
            types[name] = {"%kind": kind, "%fields": fields}
        elif kind == "enumeration":
            values = draw(st.lists(st.sampled_from(["A", "b", "in progress", "1st", "n0"]), min_size=1, unique=True))
            types[name] = {"%kind": kind, "%values": values}
        elif kind == "union":
            types[name] = {"%kind": kind, "%unionTypes": ["string", "integer"]}
        else:
            types[name] = {"%kind": kind, ("%type" if kind == "primitive" else "%itemType"): draw(pick)}
    types["Root"] = {"%kind": "structure", "%fields": [{"%name": "all", "%type": name} for name in names[:1]]}
    return {"%types": types}


@given(descriptions())
def test_whatever_is_described_is_written_as_a_valid_schema(value: dict[str, Any]) -> None:
    """By the formats' own checkers where there are some, else by our readers."""
    xsd = formats.write("xsd", value).text
    etree.XMLSchema(etree.fromstring(xsd.encode()))
    Draft202012Validator.check_schema(json.loads(formats.write("jsch", value).text))
    proto = formats.read("proto", formats.write("proto", value).text)
    assert proto["%_diagnostics"] == {"%_status": "complete"}
    with contextlib.suppress(WriteFailure):  # names that Avro does not have are refused
        formats.read("avro", formats.write("avro", value).text)


def one_type(**directives: Any) -> dict[str, Any]:
    return {"%types": {"Order": {"%" + name: value for name, value in directives.items()}}}


MISSHAPEN = [
    (one_type(kind="enumeration", values=1.5), "Order: %values must be an array, not a number"),
    (one_type(kind="union", unionTypes=True), "Order: %unionTypes must be an array, not a boolean"),
    (one_type(fields=[{"%name": "id", "%type": []}]), "Order.id: %type must be text, not an array"),
    (one_type(fields=[], reserved=1), "Order: %reserved must be an array, not a number"),
    (one_type(fields="id"), "Order: %fields must be an array, not a string"),
    (one_type(fields=[], navigation="Lines"), "Order: %navigation must be an array, not a string"),
    (one_type(fields=[], navigation=["Lines"]), "Order: every entry of %navigation needs a %name"),
    (one_type(fields=[{"%name": "a", "%items": {"%type": {}}}]), "Order.a: %type must be text, not an object"),
]


@pytest.mark.parametrize(("value", "message"), MISSHAPEN)
@pytest.mark.parametrize("format_", SCHEMA_FORMATS)
def test_directives_of_the_wrong_kind_are_named_with_their_place(format_: str, value: Any, message: str) -> None:
    with pytest.raises(WriteFailure, match=re.escape(message)):
        formats.write(format_, value)


@pytest.mark.parametrize("format_", ["xsd", "jsch", "proto", "osch"])
def test_a_schema_that_was_read_with_a_part_of_the_wrong_kind_is_refused_by_name(format_: str) -> None:
    avro = described("avro", '{"type": "enum", "name": "Status", "symbols": 1}')
    with pytest.raises(WriteFailure, match="Status: %values must be an array"):
        formats.write(format_, avro)


def test_one_navigation_property_may_stand_without_its_list() -> None:
    link = {"%name": "lines", "%target": "Line"}
    value = {
        "%types": {
            "Order": {"%kind": "structure", "%entityType": True, "%fields": [], "%navigation": link},
            "Line": {"%kind": "structure", "%entityType": True, "%fields": []},
        }
    }
    assert (
        formats.write("osch", value).text
        == formats.write(
            "osch", {"%types": {**value["%types"], "Order": {**value["%types"]["Order"], "%navigation": [link]}}}
        ).text
    )
