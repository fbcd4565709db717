"""Schemas as they are found in the world: spread over files, with namespaces, substitutes and old syntax."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import signxml

from mcp_core import ClientInfo
from rolltop.server.application import Application
from rolltop.settings import load
from rolltop.transform.structure import describe_source
from rolltop.transform.structure.references import Files, collect

ORDER = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:o="urn:order" xmlns:p="urn:party"
    targetNamespace="urn:order">
  <xs:include schemaLocation="common/items.xsd"/>
  <xs:import namespace="urn:party" schemaLocation="./party.xsd"/>
  <xs:element name="Order"><xs:complexType><xs:sequence>
    <xs:element name="Buyer" type="p:Name"/>
    <xs:element name="Number" type="o:Name"/>
    <xs:element ref="o:Item" maxOccurs="unbounded"/>
    <xs:element ref="o:Payment"/>
  </xs:sequence></xs:complexType></xs:element>
  <xs:simpleType name="Name"><xs:restriction base="xs:string"><xs:maxLength value="9"/></xs:restriction></xs:simpleType>
</xs:schema>"""
ITEMS = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="../order.xsd"/>
  <xs:element name="Item" type="Sku"/>
  <xs:simpleType name="Sku">
    <xs:restriction base="xs:string"><xs:pattern value="[A-Z]+"/></xs:restriction>
  </xs:simpleType>
  <xs:element name="Payment" abstract="true" type="PaymentType"/>
  <xs:complexType name="PaymentType">
    <xs:sequence><xs:element name="Amount" type="xs:decimal"/></xs:sequence>
  </xs:complexType>
  <xs:element name="Card" substitutionGroup="Payment" type="PaymentType"/>
  <xs:element name="Cash" substitutionGroup="Payment" type="PaymentType"/>
</xs:schema>"""
PARTY = """<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:party" xmlns="urn:party">
  <xsd:complexType name="Name"><xsd:sequence>
    <xsd:element name="First" type="xsd:string"/>
    <xsd:element name="Partner" type="Name" minOccurs="0"/>
  </xsd:sequence></xsd:complexType>
</xsd:schema>"""
TREE = {"order.xsd": ORDER, "common/items.xsd": ITEMS, "party.xsd": PARTY}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Application]:
    (tmp_path / "root").mkdir()
    env = {"ROLLTOP_WORKSPACE": str(tmp_path / "ws"), "ROLLTOP_ROOTS": str(tmp_path / "root"), "HOME": str(tmp_path)}
    desk = Application(load(env={**env, "XDG_CONFIG_HOME": str(tmp_path)}))
    yield desk
    desk.close()


def put(desk: Application, files: dict[str, str]) -> Path:
    root = desk.settings.roots[0]
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


async def described(desk: Application, source: Path | str, format_: str) -> dict[str, Any]:
    arguments = {"source": str(source), "format": format_}
    answer = (await desk.dispatcher.call("get_input_schema", arguments, desk.context(ClientInfo()))).structured
    assert answer["success"], answer
    data: dict[str, Any] = answer["data"]
    return data


@pytest.mark.anyio
async def test_an_xsd_with_includes_imports_and_substitution_groups(desk: Application) -> None:
    answer = await described(desk, put(desk, TREE) / "order.xsd", "xsd")
    order = answer["structure"]["properties"]["Order"]
    assert list(answer["structure"]["properties"]) == ["Order"]
    assert order["properties"]["Buyer"]["properties"]["First"]["type"] == "string"
    assert order["properties"]["Buyer"]["properties"]["Partner"]["recursive"] == "Name"
    assert order["properties"]["Number"]["maxLength"] == 9
    assert order["properties"]["Item"]["items"]["pattern"] == "[A-Z]+"
    assert [name for name in order["properties"] if name in ("Payment", "Card", "Cash")] == ["Card", "Cash"]
    assert order["properties"]["Card"]["cardinality"] == "0..1"
    assert "not followed" not in answer["summary"]


@pytest.mark.anyio
async def test_json_schema_references_to_files(desk: Application) -> None:
    root = put(
        desk,
        {
            "order.json": json.dumps({"type": "object", "properties": {"to": {"$ref": "defs/person.json#/$defs/P"}}}),
            "defs/person.json": json.dumps(
                {
                    "$defs": {
                        "P": {
                            "type": "object",
                            "properties": {"age": {"$ref": "#/$defs/A"}, "at": {"$ref": "place.json"}},
                        },
                        "A": {"type": "integer", "minimum": 0},
                    }
                }
            ),
            "defs/place.json": json.dumps({"type": "object", "properties": {"back": {"$ref": "../order.json"}}}),
        },
    )
    answer = await described(desk, root / "order.json", "json-schema")
    person = answer["structure"]["properties"]["to"]["properties"]
    assert (person["age"]["type"], person["age"]["minimum"]) == ("integer", 0)
    assert person["at"]["properties"]["back"]["properties"]["to"]["recursive"] == "P"


def test_anchors_and_identifiers() -> None:
    schema = {
        "$id": "https://example.com/a.json",
        "properties": {
            "x": {"$ref": "#here"},
            "y": {"$ref": "https://example.com/a.json#/$defs/h"},
            "z": {"$ref": "b"},
        },
        "$defs": {"h": {"$anchor": "here", "type": "integer"}, "b": {"$id": "b", "type": "boolean"}},
    }
    found = describe_source(json.dumps(schema), "json-schema")["structure"]["properties"]
    assert [found[name]["type"] for name in "xyz"] == ["integer", "integer", "boolean"]


@pytest.mark.anyio
async def test_protobuf_imports_and_what_compilers_refuse(desk: Application) -> None:
    root = put(
        desk,
        {
            "shop.proto": 'import "base.proto";\nimport "missing.proto";\npackage shop.v1;\n'
            "option java_package = 'x';\noption (custom) = { a: [1, 2] };\n"
            "message Order {\n  extensions 100 to 199 [declaration = { number: 100 }];\n"
            "  optional group Line = 1 { required string sku = 1; }\n"
            "  base.Money total = 2 [deprecated = true];\n  .shop.v1.State state = 3;\n"
            "  map<string, base.Money> taxes = 4;\n  oneof how { string card = 5; bool cash = 6; }\n}\n"
            "enum State { OPEN = 0; DONE = 1; OPEN = 2; }\nextend Order { optional int32 more = 100; }\n",
            "base.proto": "package base;\nmessage Money { int64 units = 1; }\n",
        },
    )
    order = (await described(desk, root / "shop.proto", "protobuf"))["structure"]
    parts = order["properties"]
    assert order["title"] == "Order"
    assert parts["line"]["required"] == ["sku"]
    assert parts["total"]["properties"]["units"]["type"] == "integer"
    assert parts["taxes"]["additionalProperties"]["properties"]["units"]["type"] == "integer"
    assert parts["state"]["enum"] == ["OPEN", "DONE"]
    assert parts["cash"]["oneof"] == "how"


def test_a_file_of_enums_only() -> None:
    assert describe_source("enum Day { MON = 0; }", "protobuf")["structure"]["enum"] == ["MON"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "location",
    ["../secret.xsd", "/etc/passwd", "%2e%2e/secret.xsd", "link.xsd", "file:///etc/passwd", "http://127.0.0.1:1/x.xsd"],
)
async def test_nothing_outside_of_the_roots_is_drawn_in(desk: Application, location: str) -> None:
    root = put(desk, {"main.xsd": ORDER.replace("common/items.xsd", location)})
    secret = root.parent / "secret.xsd"
    secret.write_text(ITEMS.replace("Card", "TopSecret"))
    (root / "link.xsd").symlink_to(secret)
    answer = await described(desk, root / "main.xsd", "xsd")
    assert "TopSecret" not in json.dumps(answer)
    assert f"include of {location} is not followed" in answer["summary"]


@pytest.mark.anyio
async def test_inline_schemas_draw_in_nothing(desk: Application) -> None:
    put(desk, TREE)
    assert "include of common/items.xsd is not followed" in (await described(desk, ORDER, "xsd"))["summary"]


def test_circles_many_files_and_long_texts_end() -> None:
    include = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{}<xs:element name="e{}"/></xs:schema>'
    numbers = range(300)
    texts = {
        f"/d/{at}.xsd": include.format(f'<xs:include schemaLocation="{(at + 1) % 300}.xsd"/>' * 2, at) for at in numbers
    }
    drawn = collect("/d/0.xsd", texts["/d/0.xsd"], "xsd", texts.get)
    assert len(drawn) == 100
    answer = describe_source(texts["/d/0.xsd"], "xsd", None, Files("/d/0.xsd", drawn))
    assert len(answer["structure"]["properties"]) == 101
    for text, format_ in (
        ("<include " * 300_000, "xsd"),
        ("\n" * 3_000_000, "protobuf"),
        ('"$ref":' * 500_000, "json"),
    ):
        assert collect("/d/a", text, format_, lambda _: None) == {}


def test_groups_that_use_each_other_often_do_not_grow_without_end() -> None:
    groups = "".join(
        f'<xs:attributeGroup name="g{at}"><xs:attributeGroup ref="g{at + 1}"/><xs:attributeGroup ref="g{at + 1}"/>'
        f'<xs:attribute name="a{at}"/></xs:attributeGroup>'
        for at in range(40)
    )
    text = (
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{groups}<xs:element name="e"><xs:complexType>'
        f'<xs:attributeGroup ref="g0"/></xs:complexType></xs:element></xs:schema>'
    )
    assert "a0" in describe_source(text, "xsd")["structure"]["properties"]["e"]["attributes"]


SIGNATURES = sorted(Path(str(signxml.__file__)).parent.rglob("XAdES*.xsd"))


@pytest.mark.parametrize("path", SIGNATURES, ids=lambda path: path.name)
def test_schemas_of_the_world(path: Path) -> None:
    def read(place: str) -> str | None:
        return Path(place).read_text("utf-8") if Path(place).is_file() else None

    text = path.read_text("utf-8")
    answer = describe_source(text, "xsd", None, Files(str(path), collect(str(path), text, "xsd", read)))
    assert answer["structure"]["properties"]


def test_there_are_schemas_of_the_world() -> None:
    assert len(SIGNATURES) >= 5
