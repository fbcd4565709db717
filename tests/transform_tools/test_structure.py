"""The structure of data and schemas in all eight formats."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure
from rolltop.transform.service.execute import execute
from rolltop.transform.structure import describe_source
from rolltop.transform.structure.encodings import decode_source

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)


def structure(text: str, format_: str, mode: str | None = None) -> dict[str, Any]:
    return describe_source(text, format_, mode)["structure"]


def as_schema(node: dict[str, Any]) -> dict[str, Any]:
    """The structure as a JSON Schema validator takes it: formats and examples are no constraints there."""
    return {**node, "type": node["valueType"]} if node.get("type") == "primitive" else node


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(values)
def test_data_fits_the_structure_that_was_seen_in_it(value: Any) -> None:
    jsonschema.validate(value, as_schema(structure(json.dumps(value), "json", "instance")))


def test_an_element_that_occurs_once_or_often_is_an_array() -> None:
    text = "<r><g><i a='1'/></g><g><i a='1'/><i/></g></r>"
    leaves = structure("<r><g><i>1</i></g><g><i>1</i><i>2</i></g></r>", "xml")
    assert leaves["properties"]["r"]["properties"]["g"]["items"]["properties"]["i"]["items"]["type"] == "integer"
    node = structure(text, "xml")["properties"]["r"]["properties"]["g"]["items"]["properties"]["i"]
    assert node["type"] == "array"
    assert node["cardinality"] == "1..n"
    assert "@a" not in node["items"].get("required", [])


def test_wrapper_elements_are_kept() -> None:
    node = structure("<r><Items><Item>1</Item></Items></r>", "xml")
    assert node["properties"]["r"]["properties"]["Items"]["properties"]["Item"]["type"] == "integer"


def test_yaml_and_csv() -> None:
    assert structure("a: 1\nb: [x, y]\n", "yaml")["properties"]["b"]["items"]["type"] == "string"
    columns = structure("a,b\n1,x\n2,\n", "csv")["items"]["properties"]
    assert columns["b"]["type"] == ["string", "null"]


def test_long_arrays_are_sampled_and_it_says_so() -> None:
    answer = describe_source(json.dumps([{"a": n} for n in range(10_000)]), "json")
    assert answer["sampled"] == {"read": 2000, "skipped": 8000}
    assert "2000 of 10000" in answer["summary"]


def test_the_mode_is_found_out() -> None:
    schema = '{"type": "object", "properties": {"a": {"type": "string"}}}'
    assert describe_source(schema, "json")["mode"] == "schema"
    assert describe_source(schema, "json", "instance")["mode"] == "instance"
    assert describe_source('{"type": "order"}', "json")["mode"] == "instance"
    assert describe_source(XSD, "xml")["mode"] == "schema"


def test_modes_that_make_no_sense_are_refused() -> None:
    for format_, mode in (("avro", "instance"), ("csv", "schema")):
        with pytest.raises(InvalidInput):
            describe_source("{}", format_, mode)


XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
  <xs:import namespace="urn:other" schemaLocation="other.xsd"/>
  <xs:element name="Order" type="t:Order"/>
  <xs:complexType name="Base"><xs:sequence><xs:element name="Note" type="xs:string" minOccurs="0"/></xs:sequence>
    <xs:attribute name="id" type="xs:ID" use="required"/></xs:complexType>
  <xs:complexType name="Order"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>
    <xs:element name="Item" maxOccurs="unbounded"><xs:complexType><xs:simpleContent>
      <xs:extension base="xs:decimal"><xs:attribute name="cur" type="t:Currency"/></xs:extension>
    </xs:simpleContent></xs:complexType></xs:element>
    <xs:choice><xs:element name="Card" type="xs:string"/><xs:element name="Cash" type="xs:boolean"/></xs:choice>
    <xs:element name="Part" type="t:Order" minOccurs="0"/>
  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:simpleType name="Currency"><xs:restriction base="xs:string">
    <xs:enumeration value="EUR"/><xs:enumeration value="USD"/></xs:restriction></xs:simpleType>
</xs:schema>"""


def test_an_xsd_with_extension_choice_facets_and_recursion() -> None:
    answer = describe_source(XSD, "xsd")
    order = answer["structure"]["properties"]["Order"]
    assert order["required"] == ["@id", "Item"]
    assert order["properties"]["Note"]["cardinality"] == "0..1"
    item = order["properties"]["Item"]
    assert item["cardinality"] == "1..n"
    assert item["items"]["properties"]["_text"]["type"] == "number"
    assert item["items"]["attributes"]["cur"]["enum"] == ["EUR", "USD"]
    assert order["properties"]["Card"]["cardinality"] == "0..1"
    assert order["properties"]["Part"]["recursive"] == "Order"
    assert "import of other.xsd is not followed" in answer["summary"]


def test_json_schema_references_are_written_out_and_recursion_is_named() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/$defs/Tree",
        "$defs": {
            "Name": {"type": "string", "minLength": 1},
            "Tree": {
                "allOf": [{"type": "object", "properties": {"name": {"$ref": "#/$defs/Name"}}, "required": ["name"]}],
                "properties": {"left": {"$ref": "#/$defs/Tree"}},
            },
        },
    }
    node = structure(json.dumps(schema), "json-schema")
    assert node["properties"]["name"] == {"type": "string", "minLength": 1, "cardinality": "1"}
    assert node["properties"]["left"]["recursive"] == "Tree"


def test_avro_unions_logical_types_and_names() -> None:
    schema = {
        "type": "record", "name": "Order", "namespace": "a.b",
        "fields": [
            {"name": "note", "type": ["null", "string"], "default": None},
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "lines", "type": {"type": "array", "items": {"type": "record", "name": "Line", "fields": []}}},
            {"name": "other", "type": ["null", "Line", "string"]},
            {"name": "tags", "type": {"type": "map", "values": "int"}},
            {"name": "parent", "type": ["null", "Order"]},
        ],
    }  # fmt: skip
    properties = structure(json.dumps(schema), "avro")["properties"]
    assert properties["note"]["type"] == ["string", "null"]
    assert properties["at"]["logicalType"] == "timestamp-millis"
    assert properties["lines"]["items"]["type"] == "object"
    assert [option["type"] for option in properties["other"]["anyOf"]] == ["object", "string", "null"]
    assert properties["tags"]["additionalProperties"]["type"] == "integer"
    assert properties["parent"]["anyOf"][0]["recursive"] == "a.b.Order"


def test_protobuf_nested_messages_maps_and_oneofs() -> None:
    text = """syntax = "proto3"; package shop;
    enum State { A = 0; B = 1; } enum Twin { A = 0; }
    message Order { message Line { string sku = 1; Order order = 2; }
      repeated Line lines = 1; map<string, Line> named = 2; State state = 3;
      oneof pay { string card = 4; bool cash = 5; } }"""
    properties = structure(text, "protobuf")["properties"]
    assert properties["lines"]["items"]["properties"]["order"]["recursive"] == "Order"
    assert properties["named"]["additionalProperties"]["properties"]["sku"]["type"] == "string"
    assert properties["state"]["enum"] == ["A", "B"]
    assert properties["cash"]["oneof"] == "pay"


def test_types_that_use_each_other_often_do_not_grow_without_end() -> None:
    levels = "".join(f"message M{n} {{ M{n + 1} a = 1; M{n + 1} b = 2; }}" for n in range(40))
    text = f'syntax = "proto3"; {levels} message M40 {{ string s = 1; }}'
    assert len(json.dumps(structure(text, "protobuf"))) < 1_000_000


@pytest.mark.parametrize("format_", ["xsd", "json-schema", "avro", "protobuf"])
def test_what_is_no_schema_is_a_read_failure(format_: str) -> None:
    with pytest.raises(ReadFailure):
        describe_source("[1" if format_ != "protobuf" else "message {", format_)


DELIMITED = [
    ('name;amount\nAnn;"1,5"\n', ";"),
    ("name\tamount\nAnn\t1,5\n", "\t"),
    ("name|amount\nAnn|1;5\n", "|"),
    ("name;amount;note\nAnn;1,5;a, b\nBob;2,5;c\n", ";"),
    ('"a,b";c\n1;2\n', ";"),
]


@pytest.mark.parametrize(("text", "delimiter"), DELIMITED)
def test_the_delimiter_of_a_table_is_recognised_and_told(text: str, delimiter: str) -> None:
    answer = describe_source(text, "csv")
    assert len(answer["structure"]["items"]["properties"]) >= 2
    assert answer["options"] == {"delimiter": delimiter}
    assert f"input csv {{ delimiter: {json.dumps(delimiter)} }}" in answer["summary"]
    header = f"%utlx 1.0\ninput csv {{ delimiter: {json.dumps(delimiter)} }}\noutput json\n---\n"
    output = execute(header + "keys($input[0])", text, "csv", "json")["output"]
    assert json.loads(output) == list(answer["structure"]["items"]["properties"])


@pytest.mark.parametrize("text", ["a,b\n1,x;y\n", 'a,b\n"p;q",2\n', "a\n1;2\n", "a;b,c\n1;2,3\n", "", "\n"])
def test_commas_need_not_be_told(text: str) -> None:
    assert "options" not in describe_source(text, "csv")


def test_a_table_without_rows_has_its_columns() -> None:
    answer = describe_source("id;name\n", "csv")
    assert list(answer["structure"]["items"]["properties"]) == ["id", "name"]
    assert answer["summary"].startswith("CSV table with the columns id (any) and name (any); there are no rows")
    assert describe_source("", "csv")["summary"] == "CSV table without columns"


def test_bytes_are_decoded_as_they_say() -> None:
    declared = '<?xml version="1.0" encoding="{}"?><a>Łódź</a>'
    for name in ("utf-8", "iso-8859-2", "windows-1250", "UTF-16"):
        assert "Łódź" in decode_source(declared.format(name).encode(name), "xml")[0]
    assert decode_source("<a>é</a>".encode("utf-16-le"), "xml") == ("<a>é</a>", None)
    assert decode_source("a;é".encode(), "csv") == ("a;é", None)
    assert decode_source("a;é€".encode("cp1252"), "csv") == ("a;é€", "cp1252")
    with pytest.raises(ReadFailure, match="not UTF-8"):
        decode_source('{"a": "é"}'.encode("latin-1"), "json")
    with pytest.raises(ReadFailure, match="unknown encoding"):
        decode_source('<?xml version="1.0" encoding="nope"?><a>é</a>'.encode(), "xml")
