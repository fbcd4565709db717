"""The requirement's own examples, over a real client; every value that follows from the input is compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

ORDER = """<Order id="123">
  <Customer><Name>Ann</Name><Email>ann@example.com</Email></Customer>
  <Items>
    <Item price="10" quantity="2"><Product>Tea</Product><Quantity>2</Quantity><Price>2.5</Price></Item>
    <Item price="5" quantity="1"><Product>Cups</Product><Quantity>1</Quantity><Price>5.0</Price></Item>
  </Items>
</Order>"""
TOTALS = """%utlx 1.0
input json
output json
---
{
  name: $input.customer.name,
  total: sum($input.items |> map(i => i.price))
}"""
CUSTOMER = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ITEM = {"type": "object", "properties": {"price": {"type": "number"}}}
ITEMS_SCHEMA = {
    "type": "object",
    "properties": {"customer": CUSTOMER, "items": {"type": "array", "items": ITEM}},
    "required": ["customer", "items"],
}


@pytest.fixture
async def call(stdio_client: Any, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    async with stdio_client("--toolsets", "transform") as client:

        async def ask(tool: str, **arguments: Any) -> Any:
            answer = await client.call_tool(tool, arguments)
            assert json.loads(answer.content[0].text) == answer.structured_content
            assert answer.is_error is not answer.structured_content["success"]
            return answer.structured_content

        yield ask


async def test_the_input_schema_of_an_order(call: Any, tmp_path: Path) -> None:
    (tmp_path / "order.xml").write_text(ORDER)
    data = (await call("get_input_schema", source="order.xml", format="xml"))["data"]
    order = data["structure"]["properties"]["Order"]
    assert data["format"] == "xml"
    assert data["structure"]["type"] == "object"
    assert order["attributes"]["id"]["type"] == "string"
    customer = order["properties"]["Customer"]["properties"]
    assert {name: node["type"] for name, node in customer.items()} == {"Name": "string", "Email": "string"}
    items = order["properties"]["Items"]["properties"]["Item"]
    assert items["type"] == "array"
    types = {name: node["type"] for name, node in items["items"]["properties"].items()}
    assert types == {"Product": "string", "Quantity": "integer", "Price": "number"}
    assert data["summary"].startswith("XML document with Order root element containing")
    assert all(word in data["summary"] for word in ("Customer", "Name", "Email", "Items"))


async def test_string_functions(call: Any) -> None:
    data = (await call("get_stdlib_functions", category="string", limit=10))["data"]
    assert len(data["functions"]) == 10 <= data["total"]
    assert {function["category"] for function in data["functions"]} == {"string"}
    found = (await call("get_stdlib_functions", search="upper"))["data"]["functions"][0]
    assert "upper" in [found["name"], *found.get("aliases", [])]
    assert found["returnType"] == "String"
    assert found["parameters"][0]["type"] == "String"
    assert found["parameters"][0]["optional"] is False
    replace = (await call("get_stdlib_functions", search="replace"))["data"]["functions"][0]
    assert replace["name"] == "replace"
    assert len(replace["parameters"]) == 3


async def test_an_optional_price_is_warned_about(call: Any) -> None:
    data = (await call("validate_utlx", transformation=TOTALS, inputSchema=ITEMS_SCHEMA))["data"]
    assert data["valid"] is True
    assert data["errors"] == []
    [warning] = data["warnings"]
    assert (warning["line"], warning["column"]) == (7, 40)
    assert warning["message"] == "Consider adding null check for optional field 'price'"
    assert warning["suggestion"] == "Use i.price ?? 0 to provide default value"


async def test_the_output_schema_of_an_order(call: Any) -> None:
    structure = (await call("get_input_schema", source=ORDER, format="xml"))["data"]["structure"]
    transformation = """{
    orderId: $input.Order.@id,
    customerName: $input.Order.Customer.Name,
    total: sum($input.Order.Items.Item |> map(i => i.@price * i.@quantity))
  }"""
    data = (await call("infer_output_schema", transformation=transformation, inputSchema=structure))["data"]
    assert data == {
        "outputSchema": {
            "type": "object",
            "properties": {
                "orderId": {"type": "string"},
                "customerName": {"type": "string"},
                "total": {"type": "number"},
            },
            "required": ["orderId", "customerName", "total"],
        },
        "confidence": "high",
        "summary": "Object with orderId (string), customerName (string), and total (number)",
    }


async def test_executing(call: Any) -> None:
    transformation = """{
    name: $input.customer.name,
    email: $input.customer.email
  }"""
    answer = await call(
        "execute_transformation",
        transformation=transformation,
        inputData='{"customer": {"name": "John", "email": "john@example.com"}}',
        inputFormat="json",
        outputFormat="json",
    )
    assert answer["data"]["success"] is True
    assert json.loads(answer["data"]["output"]) == {"name": "John", "email": "john@example.com"}
    assert 0 < answer["data"]["executionTime"] < 1000


async def test_examples_for_an_invoice(call: Any) -> None:
    answer = await call(
        "get_examples",
        inputFormat="xml",
        outputFormat="json",
        functions=["map", "filter"],
        description="transform order items to invoice",
        limit=3,
    )
    examples = answer["data"]["examples"]
    assert len(examples) == 3
    assert "input xml" in examples[0]["transformation"]
    assert 0 < examples[0]["relevance"] <= 1
    run = await call(
        "execute_transformation",
        transformation=examples[0]["transformation"],
        inputData=examples[0]["input"],
        inputFormat="xml",
        outputFormat="json",
    )
    assert json.loads(run["data"]["output"]) == json.loads(examples[0]["output"])
