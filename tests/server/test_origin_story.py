"""A desk where everything knows its origin: made, stale, made again, and answered from memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolltop.catalog import mcptool_build

pytestmark = pytest.mark.anyio

FEED = "<orders><o id='1'><n>3</n></o><o id='2'><n>4</n></o></orders>"
PROGRAM = (
    "%utlx 1.0\ninput: orders xml, prices csv\noutput csv\n---\n"
    "$orders.orders.o |> map(o => { id: o.@id, n: o.n, price: lookupBy(o.@id, $prices, p => p.id)?.price })"
)
JOIN = {
    "transformation": PROGRAM,
    "inputData": "doc://feed.xml",
    "inputFormat": "xml",
    "outputFormat": "csv",
    "inputs": {"prices": {"data": "doc://prices.csv", "format": "csv"}},
    "keep": "joined.csv",
}
REPORT = "```{r}\nd <- read.csv('joined.csv'); cat('total', sum(d$n * d$price))\n```"
SUM = """\
#' Sum of a table
#' @param table character, path of a CSV file with n and price
#' @return number, the sum
#' @keywords mcp-tool
mcp_tool_total <- function(table) {
  d <- utils::read.csv(table)
  sum(d$n * d$price)
}
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    place = tmp_path / "till"
    (place / "R").mkdir(parents=True)
    (place / "DESCRIPTION").write_text("Package: till\nVersion: 1.0\nTitle: T\n")
    (place / "NAMESPACE").write_text("export(mcp_tool_total)\n")
    (place / "R" / "total.R").write_text(SUM)
    mcptool_build(str(place), run_examples=False)
    return place


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    return answer.structured_content


async def test_a_changed_price_list_makes_three_things_stale_and_they_are_made_again(
    stdio_client: Any, rolltop: Callable[..., Any], package: Path
) -> None:
    total = {"name": "till-mcp_tool_total", "arguments": {"table": "doc://joined.csv"}, "keep": "total.json"}
    served = {"ROLLTOP_CATALOGS": str(package)}
    async with stdio_client("--catalog", str(package), env={"MCP_TOOL_PREFIX": ""}) as client:
        await call(client, "store_text", name="prices.csv", content="id,price\n1,10\n2,20\n")
        await call(client, "store_text", name="feed.xml", content=FEED)
        first = (await call(client, "execute_transformation", **JOIN))["data"]
        assert "memoised" not in first
        again = (await call(client, "execute_transformation", **JOIN))["data"]
        assert (again["memoised"], again["output"]) == (True, first["output"])
        fresh = (await call(client, "execute_transformation", **JOIN, fresh=True))["data"]
        assert "memoised" not in fresh

        await call(client, "create_rmd", filename="orders", title="Orders", content=REPORT)
        await call(client, "attach_rmd_file", filename="orders", name="joined.csv", source="doc://joined.csv")
        await call(client, "render_rmd", filename="orders", engine="fast", keep="orders.html")
        assert (await call(client, "mcptool_call", **total))["value"]["result"] == 110

        made = await call(client, "retrieve_document", hash=first["kept"]["hash"], graph=True)
        assert made["made_by"]["tool"] == "execute_transformation"
        assert {part["uri"] for part in made["made_from"]} == {"doc://feed.xml", "doc://prices.csv", ""}
        derived = {each["path"] for each in made["related_documents"] if "derived" in each["relations"]}
        assert derived == {"feed.xml", "prices.csv", "orders.html", "total.json"}
        assert (await client.read_resource("made://?stale")).contents[0].text == "Nothing is out of date."

        await call(client, "store_text", name="prices.csv", content="id,price\n1,11\n2,20\n")
        stale = (await client.read_resource("made://?stale")).contents[0].text
        assert "doc://joined.csv: doc://prices.csv changed" in stale

    listed = json.loads(rolltop("stale", "--json", **served).stdout)
    assert {each["name"] for each in listed if not each["is_copy"]} == {
        "doc://joined.csv", "doc://orders.html", "doc://total.json",
    }  # fmt: skip
    done = rolltop("stale", "--remake", "--json", **served)
    assert done.returncode == 0, done.stderr
    remade = {each["name"]: each for each in json.loads(done.stdout)}
    assert not any(each["is_equal"] or each["error"] for each in remade.values())
    assert "doc://prices.csv" in remade["doc://joined.csv"]["changes"][0]
    assert rolltop("store", "cat", "total.json").stdout == "113"
    assert "total 113" in rolltop("store", "cat", "orders.html").stdout
    assert json.loads(rolltop("stale", "--json", **served).stdout) == []

    (same,) = json.loads(rolltop("remake", "joined.csv", "--json").stdout)
    assert same["is_equal"]
    tree = rolltop("made", "orders.html").stdout
    for word in ("render_rmd", "attach_rmd_file", "execute_transformation", "doc://prices.csv", "rmarkdown"):
        assert word in tree
    assert rolltop("made", "orders.html", "--dot").stdout.startswith("digraph")
    assert "wasDerivedFrom" in json.loads(rolltop("made", "orders.html", "--prov").stdout)


async def test_what_asks_the_clock_is_never_answered_from_memory(stdio_client: Any) -> None:
    plain = {"inputFormat": "json", "outputFormat": "json", "inputData": "1"}
    async with stdio_client("--toolsets", "transform,store,desk") as client:
        for program, remembered in (("now()", False), ("[random()]", False), ("$input + 1", True)):
            for _ in range(2):
                answer = await call(client, "execute_transformation", transformation=program, **plain)
            assert answer["data"].get("memoised", False) is remembered, program
        for _ in range(2):
            shape = await call(client, "get_input_schema", source="[1, 2]", format="json")
            guess = await call(client, "infer_output_schema", transformation="$input", inputSchema={"type": "string"})
        assert shape["data"]["memoised"]
        assert guess["data"]["memoised"]
        missing = await client.call_tool("read_resource", {"uri": "made://nothing.txt"})
        assert missing.is_error
        await call(client, "store_text", name="note.txt", content="as it is")
        note = await client.read_resource("made://note.txt")
        assert "no tool made it here" in note.contents[0].text


async def test_a_batch_is_made_again_one_by_one(stdio_client: Any, rolltop: Callable[..., Any], tmp_path: Path) -> None:
    for name in ("a/x.json", "b/x.json"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("1")
    given = {"transformation": "$input + 1", "inputs": [str(tmp_path / "*/x.json")], "keep": "made"}
    roots = {"ROLLTOP_ROOTS": str(tmp_path)}
    async with stdio_client("--toolsets", "transform,store", env=roots) as client:
        await call(client, "transform_batch", inputFormat="json", outputFormat="json", **given)
    (tmp_path / "b/x.json").write_text("5")
    (stale,) = json.loads(rolltop("stale", "--json", **roots).stdout)
    assert stale["name"].endswith("b/x.json")
    (done,) = json.loads(rolltop("stale", "--remake", "--json", **roots).stdout)
    assert done["error"] is None
    assert rolltop("store", "cat", stale["name"].removeprefix("doc://"), **roots).stdout.strip() == "6"
