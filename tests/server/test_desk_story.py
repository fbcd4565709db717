"""What one tool makes is what the next one takes: a story with a real client, and what is refused on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

FEED = (
    '<?xml version="1.0" encoding="ISO-8859-1"?>'
    '<orders><o id="1"><who>Zo\xeb</who></o><o id="2"><who>Bo</who></o></orders>'
)
PROGRAM = "$input.orders.o |> map(o => { id: o.@id, who: o.who })"


def links(answer: Any) -> list[str]:
    return [block.uri for block in answer.content if block.type == "resource_link"]


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    return answer


async def test_a_feed_becomes_a_table_a_report_and_a_stored_page(stdio_client: Any, tmp_path: Path) -> None:
    feed = tmp_path / "feed.xml"
    feed.write_bytes(FEED.encode("iso-8859-1"))
    async with stdio_client(env={"ROLLTOP_ROOTS": str(tmp_path), "MCP_TOOL_PREFIX": ""}) as client:
        stored = (await call(client, "store_document", path=str(feed))).structured_content
        await call(client, "store_text", name="orders.utlx", content=PROGRAM)

        shape = await call(client, "get_input_schema", source="doc://feed.xml", format="xml")
        assert "orders" in str(shape.structured_content["data"]["structure"])

        made = await call(
            client,
            "execute_transformation",
            transformation="doc://orders.utlx",
            inputData="doc://feed.xml",
            inputFormat="xml",
            outputFormat="csv",
            keep={"name": "made/orders.csv", "tags": ["orders"], "metadata": {"step": 1}},
        )
        assert links(made) == ["doc://made/orders.csv"]
        assert made.structured_content["data"]["kept"]["uri"] == "doc://made/orders.csv"
        kept = (await call(client, "get_by_name", name="made/orders.csv")).structured_content
        assert kept["content"] == made.structured_content["data"]["output"]
        assert "Zo\xeb" in kept["content"]
        found = (await call(client, "search_by_tag", tags=["orders"])).structured_content
        assert [each["path"] for each in found["documents"]] == ["made/orders.csv"]

        by_hash = await call(
            client,
            "transform_batch",
            transformation="doc://orders.utlx",
            inputs=[f"doc://{stored['hash']}", "doc://feed.xml@1"],
            inputFormat="xml",
            outputFormat="json",
            keep="json",
        )
        assert by_hash.structured_content["data"]["succeeded"] == 2
        assert len(links(by_hash)) == 2

        text = "```{r}\nnames(read.csv('orders.csv'))\n```"
        await call(client, "create_rmd", filename="orders", title="Orders", content=text)
        await call(client, "attach_rmd_file", filename="orders", name="orders.csv", source="doc://made/orders.csv")
        page = await call(client, "render_rmd", filename="orders", engine="fast", keep="reports/orders")
        assert links(page) == ["rmd-output:///orders.html", "doc://reports/orders.html"]
        assert page.structured_content["kept"][0]["uri"] == "doc://reports/orders.html"
        whole = await call(client, "grep_documents", pattern="who", paths=["reports/"], count=True)
        assert "reports/orders.html" in str(whole.structured_content)


async def test_what_is_no_reference_is_data_and_what_is_wrong_is_told(stdio_client: Any) -> None:
    plain = {"inputFormat": "json", "outputFormat": "json", "transformation": "$input"}
    async with stdio_client("--toolsets", "transform,store") as client:
        said = '"see doc://a.json"'
        answer = await call(client, "execute_transformation", inputData=said, **plain)
        assert answer.structured_content["data"]["output"].strip() == said
        missing = await client.call_tool("execute_transformation", {"inputData": "doc://a.json", **plain})
        assert missing.is_error
        assert "no document is called" in missing.content[0].text
        await call(client, "store_text", name="a.json", content="[1]")
        await call(client, "store_text", name="a.json", content="[2]")
        old = await call(client, "execute_transformation", inputData="doc://a.json@1", **plain)
        assert "1" in old.structured_content["data"]["output"]
        unknown = await client.call_tool("execute_transformation", {"inputData": "doc://a.json@9", **plain})
        assert "has no version 9" in unknown.content[0].text
        for keep in ({"name": ""}, {"title": "x"}, {"name": "x", "tags": "y"}):
            refused = await client.call_tool("execute_transformation", {"inputData": "1", "keep": keep, **plain})
            assert refused.is_error


async def test_a_server_that_only_reads_transforms_and_keeps_nothing(stdio_client: Any) -> None:
    plain = {"inputFormat": "json", "outputFormat": "json", "transformation": "$input", "inputData": "1"}
    async with stdio_client("--read-only", "--toolsets", "transform,store") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["execute_transformation"].annotations.read_only_hint
        await call(client, "execute_transformation", **plain)
        refused = await client.call_tool("execute_transformation", {"keep": "a.json", **plain})
        assert refused.is_error
        assert "keeps nothing" in refused.content[0].text
