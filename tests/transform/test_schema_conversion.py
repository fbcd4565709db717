"""What of a schema reaches another format."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from lxml import etree

from rolltop.transform import Document, WriteFailure, compile_program, convert, formats

XSD = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://acme.com/orders/v1"'
    ' xmlns:t="http://acme.com/orders/v1">{}</xs:schema>'
)
LINE = (
    '<xs:complexType name="Line"><xs:sequence><xs:element name="sku" type="xs:string"/></xs:sequence></xs:complexType>'
)
EDM = "{http://docs.oasis-open.org/odata/ns/edm}"


def to_json(text: str, source: str, target: str) -> Any:
    """A schema of JSON that was made from another one; valid if there is a checker for it."""
    schema = json.loads(convert(text, source, target).text)
    if target == "jsch":
        Draft202012Validator.check_schema(schema)
    return schema


def definitions(text: str, source: str) -> Any:
    return to_json(text, source, "jsch")["$defs"]


def avro_types(text: str, source: str) -> dict[str, Any]:
    """The types of the fields of the record."""
    return {field["name"]: field["type"] for field in to_json(text, source, "avro")["fields"]}


def to_proto(text: str, source: str) -> str:
    written = convert(text, source, "proto").text
    assert formats.read("proto", written)["%_diagnostics"] == {"%_status": "complete"}
    return written


def to_xsd(text: str, source: str) -> str:
    """An XSD by way of the description alone, which is what another format would get."""
    program = compile_program("{ %types: $input['%types'] }", inputs={"input": source}, output_format="xsd")
    written = program.run({"input": Document(text)}).text
    etree.XMLSchema(etree.fromstring(written.encode()))
    return written


def to_odata(text: str, source: str) -> etree._Element:
    return etree.fromstring(convert(text, source, "osch").text.encode())


def properties(model: etree._Element, owner: str) -> dict[str, str]:
    parts = model.findall(f".//*[@Name='{owner}']/{EDM}Property")
    return {str(part.get("Name")): str(part.get("Type")) for part in parts}


def accepts(definitions: Any, name: str, value: Any) -> bool:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": definitions}).is_valid(value)


# ---- XSD --------------------------------------------------------------------------------------

PREFIXES = [
    XSD.format(f'{LINE}<xs:complexType name="Order"><xs:sequence><xs:element name="line" type="t:Line" '
               'maxOccurs="unbounded"/></xs:sequence></xs:complexType>'),
    '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="http://acme.com/orders/v1" '
    'xmlns:tns="http://acme.com/orders/v1"><xsd:complexType name="Order"><xsd:sequence><xsd:element name="line" '
    'type="tns:Line" maxOccurs="unbounded"/></xsd:sequence></xsd:complexType><xsd:complexType name="Line">'
    '<xsd:sequence><xsd:element name="sku" type="xsd:string"/></xsd:sequence></xsd:complexType></xsd:schema>',
    '<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="http://acme.com/orders/v1" '
    'xmlns:o="http://acme.com/orders/v1"><complexType name="Order"><sequence><element name="line" type="o:Line" '
    'maxOccurs="unbounded"/></sequence></complexType><complexType name="Line"><sequence><element name="sku" '
    'type="string"/></sequence></complexType></schema>',
]  # fmt: skip


@pytest.mark.parametrize("text", PREFIXES, ids=["xs", "xsd", "default"])
def test_xsd_types_are_found_by_their_prefix(text: str) -> None:
    assert definitions(text, "xsd")["Order"]["properties"]["line"]["items"] == {"$ref": "#/$defs/Line"}
    assert avro_types(text, "xsd")["line"]["items"]["name"] == "Line"
    assert "  repeated Line line = 1;" in to_proto(text, "xsd")
    assert properties(to_odata(text, "xsd"), "Order") == {"line": "Collection(http.acme.com.orders.v1.Line)"}
    assert 'name="line" type="Line"' in to_xsd(text, "xsd")


def test_programs_see_the_type_as_it_is_written_in_the_xsd() -> None:
    field = formats.read("xsd", PREFIXES[0])["%types"]["Order"]["%fields"][0]
    assert (field["%name"], field["%type"], field["%required"], field["%array"]) == ("line", "t:Line", True, True)
    program = """{ "%types": { Order: { "%kind": "structure",
        "%fields": $input["%types"].Order["%fields"] |> map(f => { ...f, "%type": "integer" }) } } }"""
    written = compile_program(program, inputs={"input": "xsd"}, output_format="avro")
    fields = json.loads(written.run({"input": Document(PREFIXES[0])}).text)["fields"]
    assert fields[0]["type"] == {"type": "array", "items": "int"}  # what a program says holds


REFERENCES = XSD.format(
    '<xs:element name="item"><xs:complexType><xs:sequence><xs:element name="sku" type="xs:string"/></xs:sequence>'
    '</xs:complexType></xs:element><xs:element name="n" type="xs:int"/>'
    '<xs:element name="order"><xs:complexType><xs:sequence><xs:element ref="t:item" maxOccurs="unbounded"/>'
    '<xs:element ref="t:n"/><xs:element ref="t:order" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>'
)


def test_xsd_elements_that_are_referred_to_have_their_types() -> None:
    order = definitions(REFERENCES, "xsd")["order_InlineType"]["properties"]
    assert order["item"] == {"type": "array", "items": {"$ref": "#/$defs/item_InlineType"}}
    assert order["n"] == {"type": "integer"}
    assert "order_InlineType order = 3;" in to_proto(REFERENCES, "xsd")
    assert 'name="order" type="order_InlineType"' in to_xsd(REFERENCES, "xsd")  # which is in itself


def test_inline_types_of_elements_of_one_name_are_two() -> None:
    inner = '<xs:complexType><xs:sequence><xs:element name="{}" type="xs:int"/></xs:sequence></xs:complexType>'
    outer = '<xs:element name="{}"><xs:complexType><xs:sequence><xs:element name="item">{}</xs:element></xs:sequence>'
    text = XSD.format(
        "".join(outer.format(name, inner.format(name)) + "</xs:complexType></xs:element>" for name in "ab")
    )
    found = definitions(text, "xsd")
    assert list(found["item_InlineType"]["properties"]) == ["a"]
    assert found["b_InlineType"]["properties"]["item"] == {"$ref": "#/$defs/item_InlineType_2"}
    assert list(found["item_InlineType_2"]["properties"]) == ["b"]


OPTIONAL = XSD.format(
    '<xs:complexType name="P"><xs:sequence><xs:element name="a" type="xs:string" minOccurs="0"/>'
    '<xs:choice><xs:element name="b" type="xs:string"/><xs:element name="c" type="xs:int"/></xs:choice>'
    '<xs:element name="d" type="xs:string"/><xs:element name="e" type="xs:string" nillable="true"/>'
    '<xs:sequence maxOccurs="9"><xs:element name="f" type="xs:string"/></xs:sequence>'
    "</xs:sequence></xs:complexType>"
)


def test_what_may_be_missing_in_xml_may_be_in_avro() -> None:
    fields = {field["name"]: field for field in to_json(OPTIONAL, "xsd", "avro")["fields"]}
    assert fields["a"] == {"name": "a", "type": ["null", "string"], "default": None}
    assert fields["b"]["type"] == ["null", "string"]
    assert fields["c"]["type"] == ["null", "int"]
    assert fields["d"] == {"name": "d", "type": "string"}
    assert fields["e"] == {"name": "e", "type": ["null", "string"]}
    assert fields["f"]["type"] == {"type": "array", "items": "string"}
    assert list(fields) == ["a", "b", "c", "d", "e", "f"]


def test_what_may_be_missing_in_xml_may_be_in_proto() -> None:
    written = to_proto(OPTIONAL, "xsd")
    assert "  optional string a = 1;\n  optional string b = 2;\n  optional int32 c = 3;\n  string d = 4;" in written


def test_an_element_in_two_branches_is_one_field_and_one_that_comes_twice_an_array() -> None:
    element = '<xs:element name="{}" type="xs:int"/>'.format
    branches = f"<xs:sequence>{element('a')}{element('b')}</xs:sequence><xs:sequence>{element('b')}</xs:sequence>"
    content = f"<xs:choice>{branches}</xs:choice>{element('c')}{element('d')}{element('c')}"
    text = XSD.format(f'<xs:complexType name="T"><xs:sequence>{content}</xs:sequence></xs:complexType>')
    found = definitions(text, "xsd")["T"]
    assert found["properties"]["b"] == {"type": "integer"}
    assert found["properties"]["c"] == {"type": "array", "items": {"type": "integer"}}
    assert found["required"] == ["c", "d"]
    assert list(avro_types(text, "xsd")) == ["a", "b", "c", "d"]
    assert "  repeated int32 c = 3;\n  int32 d = 4;" in to_proto(text, "xsd")


SHARED = XSD.format(
    '<xs:group name="g"><xs:sequence><xs:element name="x" type="t:Amount"/><xs:group ref="t:h" minOccurs="0"/>'
    '</xs:sequence></xs:group><xs:group name="h"><xs:choice><xs:element name="y" type="xs:int"/><xs:group ref="t:h"/>'
    '</xs:choice></xs:group><xs:attribute name="lang" type="xs:language"/>'
    '<xs:attributeGroup name="ag"><xs:attribute name="id" type="xs:int" use="required"/><xs:attribute ref="t:lang"/>'
    '<xs:attribute name="old" use="prohibited"/></xs:attributeGroup>'
    '<xs:simpleType name="Amount"><xs:restriction base="xs:decimal"/></xs:simpleType>'
    '<xs:complexType name="Base"><xs:sequence><xs:element name="id" type="xs:string"/></xs:sequence>'
    '<xs:attribute name="v" type="t:Amount"/></xs:complexType>'
    '<xs:complexType name="Sub"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>'
    '<xs:element name="before" type="xs:string"/><xs:group ref="t:g"/><xs:element name="after" type="xs:string"/>'
    '</xs:sequence><xs:attributeGroup ref="t:ag"/></xs:extension></xs:complexContent></xs:complexType>'
    '<xs:complexType name="Price"><xs:simpleContent><xs:extension base="t:Amount"><xs:attribute name="cur" '
    'type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>'
)


def test_groups_bases_and_attributes_of_xsd_reach_other_formats() -> None:
    sub = definitions(SHARED, "xsd")["Sub"]
    assert list(sub["properties"]) == ["id", "before", "x", "y", "after", "@v", "@id", "@lang"]
    assert sub["required"] == ["id", "before", "x", "after", "@id"]
    model = properties(to_odata(SHARED, "xsd"), "Sub")
    assert list(model) == ["id", "before", "x", "y", "after", "v", "id_attribute", "lang"]
    assert (model["x"], model["v"], model["id_attribute"]) == ("Edm.Decimal", "Edm.Decimal", "Edm.Int32")
    written = to_proto(SHARED, "xsd")
    assert "  int32 id_attribute = 7;\n  optional string lang = 8;" in written


def test_groups_that_stand_for_very_many_elements_are_refused() -> None:
    group = '<xs:group name="g{}"><xs:sequence><xs:group ref="t:g{}"/><xs:group ref="t:g{}"/></xs:sequence></xs:group>'
    groups = "".join(group.format(at, at + 1, at + 1) for at in range(40))
    text = XSD.format(f'{groups}<xs:complexType name="T"><xs:group ref="t:g0"/></xs:complexType>')
    diagnostics = formats.read("xsd", text)["%_diagnostics"]
    assert diagnostics["%_warnings"] == ["the groups of the XSD stand for more than 100,000 declarations"]


def test_text_with_attributes_has_a_field_for_the_text() -> None:
    price = definitions(SHARED, "xsd")["Price"]
    assert price["properties"] == {"@cur": {"type": "string"}, "#text": {"$ref": "#/$defs/Amount"}}
    assert properties(to_odata(SHARED, "xsd"), "Price") == {"cur": "Edm.String", "_text": "Edm.Decimal"}
    assert avro_types(SHARED, "xsd") == {"cur": ["null", "string"], "_text": "string"}


def test_attributes_of_xsd_are_attributes_in_xsd() -> None:
    written = etree.fromstring(to_xsd(SHARED, "xsd").encode())
    schema = etree.XMLSchema(etree.fromstring(to_xsd(SHARED, "xsd").replace(
        "</xs:schema>", '<xs:element name="s" type="Sub"/><xs:element name="p" type="Price"/></xs:schema>'
    ).encode()))  # fmt: skip
    whole = '<s id="3" lang="en" v="1.5"><id>a</id><before/><x>1.0</x><after/></s>'
    assert schema.validate(etree.fromstring(whole))
    assert not schema.validate(etree.fromstring(whole.replace(' id="3"', "")))
    assert schema.validate(etree.fromstring('<p cur="EUR">2.50</p>'))
    assert not schema.validate(etree.fromstring('<p cur="EUR">much</p>'))
    assert len(written.findall(".//{http://www.w3.org/2001/XMLSchema}attribute")) == 5


def test_programs_see_the_elements_of_an_xsd_as_fields() -> None:
    types = formats.read("xsd", SHARED)["%types"]
    assert [field["%name"] for field in types["Sub"]["%fields"]] == ["before", "x", "y", "after"]
    assert types["Amount"]["%type"] == "string"


def test_small_types_of_xsd_keep_their_kind() -> None:
    kinds = ("byte", "unsignedInt", "float")
    fields = "".join(f'<xs:element name="{kind}" type="xs:{kind}"/>' for kind in kinds)
    text = XSD.format(f'<xs:complexType name="T"><xs:sequence>{fields}</xs:sequence></xs:complexType>')
    assert avro_types(text, "xsd") == {"byte": "int", "unsignedInt": "long", "float": "float"}


# ---- protobuf ---------------------------------------------------------------------------------

PROTO = """syntax = "proto3";
package acme.v1;
enum Kind { NONE = 0; A = 1; }
message Order {
  message Line { double amount = 1; float part = 2; }
  repeated .acme.v1.Order.Line lines = 2;
  map<string, double> sums = 3;
  oneof pay { string card = 4; Kind cash = 5; }
  optional Kind kind = 6;
  optional int64 big = 7;
  string plain = 8;
  Order parent = 9;
  google.protobuf.StringValue text = 10;
}"""


def test_optional_fields_of_proto_stay_optional() -> None:
    written = to_proto(PROTO, "proto")
    assert "  optional Kind kind = 6;\n  optional int64 big = 7;\n  string plain = 8;\n  Order parent = 9;" in written
    assert formats.read("proto", written)["%types"] == formats.read("proto", PROTO)["%types"]


def test_what_proto_can_tell_to_be_missing_is_null_in_avro() -> None:
    types = avro_types(PROTO, "proto")
    assert types["card"] == ["null", "string"]
    assert types["kind"] == ["null", "acme.v1.Kind"]
    assert types["big"] == ["null", "long"]
    assert types["parent"] == ["null", "acme.v1.Order"]
    assert types["text"] == ["null", "string"]
    assert types["plain"] == "string"


def test_doubles_of_proto_are_doubles_in_avro() -> None:
    types = avro_types(PROTO, "proto")
    line = types["lines"]["items"]["fields"]
    assert [field["type"] for field in line] == ["double", "float"]
    assert types["sums"] == {"type": "map", "values": "double"}
    assert formats.read("proto", PROTO)["%types"]["Order.Line"]["%fields"][0]["%type"] == "number"


def test_names_of_proto_become_names_of_odata() -> None:
    model = to_odata(PROTO, "proto")
    assert properties(model, "Order")["lines"] == "Collection(acme.v1.Order_Line)"
    assert [part.get("Name") for part in model.iter(f"{EDM}ComplexType")] == ["Order_Line", "Order_sums"]
    assert [part.get("Name") for part in model.iter(f"{EDM}EntitySet")] == ["Orders"]


# ---- JSON Schema ------------------------------------------------------------------------------

JSON_SCHEMA = json.dumps(
    {
        "title": "Order", "type": "object", "required": ["customer", "nothing"],
        "properties": {
            "customer": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"}, "address": {"type": "object", "properties": {"zip": {"type": "string"}}},
            }},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
            "stock": {"type": "object", "additionalProperties": {"type": "integer"}},
            "by": {"type": "object", "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/A%20b"}}},
            "matrix": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "nothing": {"anyOf": [{"$ref": "#/$defs/A%20b"}, {"type": "null"}]},
            "gaps": {"type": "array", "items": {"type": ["number", "null"]}},
            "named": {"$ref": "#/$defs/Prices"},
            "state": {"enum": ["on", "off"]},
            "parent": {"$ref": "#"},
        },
        "$defs": {
            "A b": {"type": "object", "properties": {"x": {"type": "integer", "format": "int64"}}},
            "Prices": {"type": "object", "additionalProperties": {"type": "number"}},
        },
    }
)  # fmt: skip


def test_json_schema_keeps_what_is_in_objects_arrays_and_maps() -> None:
    types = avro_types(JSON_SCHEMA.replace("A%20b", "Ab").replace("A b", "Ab"), "jsch")
    customer = types["customer"]
    assert [field["name"] for field in customer["fields"]] == ["name", "address"]
    assert customer["fields"][1]["type"][1]["fields"][0]["name"] == "zip"
    assert types["lines"][1]["items"]["fields"] == [{"name": "sku", "type": ["null", "string"], "default": None}]
    assert types["stock"][1] == {"type": "map", "values": "int"}
    assert types["by"][1]["values"]["items"]["fields"][0]["type"] == ["null", "long"]
    assert types["matrix"][1] == {"type": "array", "items": {"type": "array", "items": "double"}}
    assert types["either"] == ["null", "string", "int"]
    assert types["nothing"] == ["null", "Ab"]
    assert types["gaps"][1] == {"type": "array", "items": ["null", "double"]}
    assert types["named"][1] == {"type": "map", "values": "double"}
    assert types["parent"] == ["null", "Order"]


def test_objects_of_json_schema_become_types_everywhere() -> None:
    assert 'name="customer" type="Order_customer"' in to_xsd(JSON_SCHEMA, "jsch")
    written = to_proto(JSON_SCHEMA, "jsch")
    assert (
        "  Order_customer customer = 1;\n  repeated Order_lines lines = 2;\n  map<string, int32> stock = 3;" in written
    )
    assert (
        "  map<string, google.protobuf.ListValue> by = 4;\n  repeated google.protobuf.ListValue matrix = 5;" in written
    )
    model = to_odata(JSON_SCHEMA, "jsch")
    assert properties(model, "Order")["customer"] == "Default.Order_customer"
    assert properties(model, "Order_customer") == {"name": "Edm.String", "address": "Default.Order_customer_address"}


def test_a_json_schema_from_its_description_accepts_the_same() -> None:
    program = compile_program("{ %types: $input['%types'] }", inputs={"input": "jsch"}, output_format="jsch")
    made = json.loads(program.run({"input": Document(JSON_SCHEMA)}).text)["$defs"]
    good = {
        "customer": {"name": "n", "address": {"zip": "1"}}, "lines": [{"sku": "s"}], "stock": {"a": 1},
        "by": {"k": [{"x": 1}]}, "matrix": [[1.5]], "either": 1, "nothing": None, "gaps": [1, None],
        "named": {"a": 0.5}, "state": "on", "parent": {"customer": {"name": "m"}, "nothing": {"x": 1}},
    }  # fmt: skip
    wrong: dict[str, Any] = {
        "customer": {"address": {}}, "lines": [{"sku": 1}], "stock": {"a": "b"}, "by": {"k": [{"x": "y"}]},
        "matrix": [["a"]], "either": [], "nothing": 3, "gaps": ["a"], "named": {"a": "b"}, "state": "up", "parent": {},
    }  # fmt: skip
    assert accepts(made, "Order", good)
    assert [key for key, value in wrong.items() if accepts(made, "Order", {**good, key: value})] == []
    own = Draft202012Validator(json.loads(JSON_SCHEMA))
    assert own.is_valid(good)
    assert [key for key, value in wrong.items() if own.is_valid({**good, key: value})] == []


def test_programs_see_objects_of_json_schema_as_before() -> None:
    fields = {field["%name"]: field for field in formats.read("jsch", JSON_SCHEMA)["%types"]["Order"]["%fields"]}
    assert list(formats.read("jsch", JSON_SCHEMA)["%types"]) == ["A b", "Prices", "Order"]
    assert fields["customer"]["%type"] == "object"
    assert (fields["lines"]["%type"], fields["lines"]["%array"]) == ("object", True)
    assert (fields["matrix"]["%type"], fields["matrix"]["%array"]) == ("array", True)
    assert fields["either"]["%type"] == "any"


def test_a_json_schema_that_is_nested_too_deeply_is_said_to_be() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(150):
        schema = {"type": "object", "properties": {"a": schema}}
    diagnostics = formats.read("jsch", json.dumps(schema))["%_diagnostics"]
    assert diagnostics["%_status"] == "failed"
    assert "deep" in diagnostics["%_warnings"][0]
    with pytest.raises(WriteFailure, match="nested more than 100 deep"):
        convert(json.dumps(schema), "jsch", "proto")


def test_arrays_that_are_in_themselves_are_written_or_refused() -> None:
    nested = {"type": "array", "items": {"$ref": "#/$defs/A"}}
    schema = {"title": "R", "type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": nested}}
    text = json.dumps(schema)
    assert 'name="a" type="xs:anyType" minOccurs="0" maxOccurs="unbounded"' in to_xsd(text, "jsch")
    assert "repeated google.protobuf.ListValue a = 1;" in to_proto(text, "jsch")
    assert properties(to_odata(text, "jsch"), "R") == {"a": "Collection(Edm.String)"}
    with pytest.raises(WriteFailure, match=r"in themselves \(A\)"):
        convert(text, "jsch", "avro")


def test_names_with_dots_are_referred_to_as_avro_reads_them() -> None:
    part = {"type": "object", "properties": {"n": {"$ref": "#/$defs/io.k8s.N"}}}
    used = {name: {"$ref": f"#/$defs/{name}"} for name in ("io.k8s.N", "io.k8s.P")}
    fields = {"a": used["io.k8s.P"], "b": used["io.k8s.N"], "c": used["io.k8s.P"]}
    schema = {"title": "R", "type": "object", "properties": fields}
    schema["$defs"] = {"io.k8s.N": {"type": "object", "properties": {}}, "io.k8s.P": part}
    types = avro_types(json.dumps(schema), "jsch")
    assert types["a"][1]["name"] == "io.k8s.P"
    assert (types["b"][1], types["c"][1]) == ("io.k8s.N", "io.k8s.P")


# ---- Avro -------------------------------------------------------------------------------------

AVRO = json.dumps(
    {
        "type": "record", "name": "Order", "namespace": "com.acme",
        "fields": [
            {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
            {"name": "by", "type": {"type": "map", "values": {
                "type": "record", "name": "Cust", "fields": [{"name": "boss", "type": ["null", "com.acme.Cust"]}],
            }}},
            {"name": "grid", "type": {"type": "array", "items": {"type": "array", "items": "int"}}},
            {"name": "maps", "type": {"type": "array", "items": {"type": "map", "values": "com.acme.Cust"}}},
            {"name": "either", "type": ["null", "string", {"type": "array", "items": "double"}]},
            {"name": "gaps", "type": {"type": "array", "items": ["null", "string"]}},
        ],
    }
)  # fmt: skip


def test_what_is_in_what_of_avro_reaches_json_schema() -> None:
    found = definitions(AVRO, "avro")
    order = found["Order"]["properties"]
    assert order["amount"] == {"type": "string", "format": "decimal"}
    assert order["by"] == {"type": "object", "additionalProperties": {"$ref": "#/$defs/Cust"}}
    assert order["grid"] == {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    assert order["maps"]["items"] == {"type": "object", "additionalProperties": {"$ref": "#/$defs/Cust"}}
    assert order["either"]["anyOf"][1] == {"type": "array", "items": {"type": "number"}}
    assert order["gaps"]["items"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert found["Cust"]["properties"]["boss"] == {"$ref": "#/$defs/Cust"}


def test_decimals_and_maps_of_avro_reach_odata() -> None:
    model = to_odata(AVRO, "avro")
    amount = model.find(f".//{EDM}Property[@Name='amount']")
    assert amount is not None
    assert dict(amount.attrib) == {
        "Name": "amount", "Type": "Edm.Decimal", "Nullable": "false", "Precision": "10", "Scale": "2",
    }  # fmt: skip
    assert properties(model, "Order")["by"] == "com.acme.Order_by"
    opened = model.find(f".//{EDM}ComplexType[@Name='Order_by']")
    assert opened is not None
    assert opened.get("OpenType") == "true"
    assert properties(model, "Cust") == {"boss": "com.acme.Cust"}


def test_avro_by_way_of_its_description_is_the_same() -> None:
    program = compile_program(
        "{ %types: $input['%types'], %namespace: 'com.acme' }", inputs={"input": "avro"}, output_format="avro"
    )
    fields = json.loads(program.run({"input": Document(AVRO)}).text)["fields"]
    for made, read in zip(fields, json.loads(AVRO)["fields"], strict=True):
        if made["name"] != "by":
            assert made["type"] == read["type"]


def test_namespaces_that_are_addresses_become_names() -> None:
    schema = to_json(PREFIXES[0], "xsd", "avro")
    assert schema["namespace"] == "http.acme.com.orders.v1"
    assert to_odata(PREFIXES[0], "xsd").find(f".//{EDM}Schema[@Namespace='http.acme.com.orders.v1']") is not None


@pytest.mark.parametrize("union", [["null", ["string", "int"]], ["string", "string"]])
def test_unions_that_avro_does_not_have_are_refused(union: list[Any]) -> None:
    with pytest.raises(WriteFailure, match="union"):
        formats.write("avro", {"type": "record", "name": "R", "fields": [{"name": "u", "type": union}]})


# ---- OData ------------------------------------------------------------------------------------

ODATA = """<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"><edmx:DataServices>
<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Acme" Alias="Self">
<EntityType Name="Thing" Abstract="true"><Key><PropertyRef Name="Id"/></Key>
<Property Name="Id" Type="Edm.Int64" Nullable="false"/></EntityType>
<EntityType Name="Order" BaseType="Self.Thing"><Property Name="Ship" Type="Acme.Address"/>
<Property Name="Alt" Type="Collection(Self.Address)"/><Property Name="Tags" Type="Collection(Edm.String)"/>
<Property Name="Kind" Type="Acme.Kind" Nullable="false"/><Property Name="Rate" Type="Edm.Double" Nullable="false"/>
<Property Name="Amount" Type="Edm.Decimal" Precision="10" Scale="2"/>
<NavigationProperty Name="Customer" Type="Acme.Customer" Partner="Orders"/></EntityType>
<EntityType Name="Customer"><Key><PropertyRef Name="Id"/></Key><Property Name="Id" Type="Edm.Guid" Nullable="false"/>
<NavigationProperty Name="Orders" Type="Collection(Acme.Order)" Partner="Customer"/></EntityType>
<ComplexType Name="Address"><Property Name="Street" Type="Edm.String" MaxLength="50"/></ComplexType>
<EnumType Name="Kind"><Member Name="A" Value="0"/><Member Name="B" Value="5"/></EnumType>
</Schema></edmx:DataServices></edmx:Edmx>"""


def test_enumerations_references_and_collections_of_odata_reach_json_schema() -> None:
    found = definitions(ODATA, "osch")
    good = {"Id": 1, "Ship": {"Street": "s"}, "Alt": [{"Street": "t"}], "Kind": "A", "Rate": 1.5, "Amount": 2.5}
    assert accepts(found, "Order", good)
    assert accepts(found, "Order", {**good, "Customer": {"Id": "x", "Orders": [good]}})
    wrong: dict[str, Any] = {"Kind": "C", "Ship": {"Street": 1}, "Alt": [1], "Tags": [1], "Customer": {}}
    assert [key for key, value in wrong.items() if accepts(found, "Order", {**good, key: value})] == []
    assert not accepts(found, "Order", {key: value for key, value in good.items() if key != "Id"})


def test_enumerations_references_and_collections_of_odata_reach_the_others() -> None:
    written = to_xsd(ODATA, "osch")
    assert 'name="Alt" type="Address" minOccurs="0" maxOccurs="unbounded"' in written
    assert 'name="Kind" type="Kind"' in written
    assert 'name="Amount" type="xs:decimal"' in written
    proto = to_proto(ODATA, "osch")
    assert "enum Kind {\n  A = 0;\n  B = 5;\n}" in proto
    assert "  repeated Address Alt = 3;\n  repeated string Tags = 4;\n  Kind Kind = 5;\n  double Rate = 6;" in proto


def test_avro_has_the_entity_of_odata_that_leads_to_all_others() -> None:
    customer = avro_types(ODATA, "osch")
    types = {field["name"]: field["type"] for field in customer["Orders"][1]["items"]["fields"]}
    assert types["Ship"][1]["name"] == "Address"
    assert types["Alt"][1] == {"type": "array", "items": "Acme.Address"}
    assert types["Kind"]["symbols"] == ["A", "B"]
    assert (types["Id"], types["Rate"], types["Amount"]) == ("long", "double", ["null", "string"])
    assert types["Customer"] == ["null", "Acme.Customer"]


def test_odata_from_its_description_is_the_same() -> None:
    program = compile_program(
        "{ %types: $input['%types'], %namespace: 'New' }", inputs={"input": "osch"}, output_format="osch"
    )
    model = etree.fromstring(program.run({"input": Document(ODATA)}).text.encode())
    assert properties(model, "Order")["Alt"] == "Collection(New.Address)"
    assert properties(model, "Order")["Amount"] == "Edm.Decimal"
    order = model.find(f".//{EDM}EntityType[@Name='Order']")
    assert order is not None
    assert order.get("BaseType") == "New.Thing"
    assert [part.get("Type") for part in model.iter(f"{EDM}NavigationProperty")] == [
        "New.Customer",
        "Collection(New.Order)",
    ]


# ---- Table Schema -----------------------------------------------------------------------------


def test_columns_say_what_they_hold() -> None:
    types = formats.read("osch", ODATA)["%types"]
    wanted = {"%types": {name: types[name] for name in ("Order", "Address", "Kind")}}
    columns = {column["name"]: column for column in json.loads(formats.write("tsch", wanted).text)["fields"]}
    assert (columns["Ship"]["type"], columns["Alt"]["type"]) == ("object", "array")
    assert columns["Kind"] == {"name": "Kind", "type": "string", "constraints": {"required": True, "enum": ["A", "B"]}}
    assert "Customer" not in columns


def test_numbers_of_a_table_are_doubles_in_avro() -> None:
    table = json.dumps({"fields": [{"name": "n", "type": "number", "constraints": {"required": True}}]})
    assert avro_types(table, "tsch") == {"n": "double"}


# ---- whatever readers note --------------------------------------------------------------------

WORDS = st.sampled_from(["string", "integer", "number", "decimal", "datetime", "any", "object", "null", "T1", "T2"])


def _held(item: dict[str, Any]) -> str:
    return "array" if "%array" in item else str(item["%type"])


def _fields(shapes: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[dict[str, Any]]]:
    known = st.sampled_from([{}, {"%required": True}, {"%required": False}, {"%optional": True}, {"%nullable": True}])
    field = st.tuples(st.sampled_from(["a", "b", "T1"]), shapes, known)
    return st.lists(field, max_size=3, unique_by=lambda parts: parts[0]).map(
        lambda found: [{"%name": name, **shape, **said} for name, shape, said in found]
    )


SHAPES = st.recursive(
    WORDS.map(lambda word: {"%type": word}),
    lambda inner: st.one_of(
        inner.map(lambda item: {"%type": _held(item), "%array": True, "%items": item}),
        inner.map(lambda item: {"%type": "object", "%map": True, "%itemType": _held(item), "%items": item}),
        _fields(inner).map(lambda fields: {"%type": "object", "%fields": fields}),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda union: {"%type": "any", "%means": {"any": "union"}, "%unionTypes": union}
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(_fields(SHAPES), _fields(SHAPES), _fields(SHAPES), st.booleans())
def test_whatever_readers_note_is_written_as_a_valid_schema(
    first: list[dict[str, Any]], second: list[dict[str, Any]], attributes: list[dict[str, Any]], extends: bool
) -> None:
    types: dict[str, Any] = {
        "T1": {"%kind": "structure", "%fields": first, "%attributes": attributes},
        "T2": {"%kind": "structure", "%fields": second, **({"%extends": "T1"} if extends else {})},
    }
    value = {"%namespace": "urn:x", "%types": types}
    etree.XMLSchema(etree.fromstring(formats.write("xsd", value).text.encode()))
    Draft202012Validator.check_schema(json.loads(formats.write("jsch", value).text))
    for target in ("avro", "proto", "osch", "tsch"):  # Avro is checked when it is written
        assert formats.read(target, formats.write(target, value).text)["%_diagnostics"] == {"%_status": "complete"}


def test_a_json_schema_of_an_xsd_keeps_the_root_element() -> None:
    schema = (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="Order" type="T"/>'
        '<xs:complexType name="T"><xs:sequence><xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType>'
        "</xs:schema>"
    )
    made = json.loads(convert(schema, "xsd", "jsch").text)
    validator = Draft202012Validator(made)
    assert validator.is_valid({"Order": {"id": 5}})
    assert not validator.is_valid(5)
    assert not validator.is_valid({"Other": {}})


def test_an_xsd_of_a_json_schema_has_a_global_element() -> None:
    schema = {"title": "Order", "type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    made = convert(json.dumps(schema), "jsch", "xsd").text
    xsd = etree.XMLSchema(etree.fromstring(made.encode()))
    assert xsd.validate(etree.fromstring("<Order><id>5</id></Order>"))
    assert not xsd.validate(etree.fromstring("<Other/>"))
