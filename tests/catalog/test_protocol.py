"""A real client builds a catalog, is served its tools, and calls them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp_types import ElicitResult

from rolltop.catalog import mcptool_build

from .helpers import EXAMPLES, r_package

pytestmark = pytest.mark.anyio

ERAS = ["legacy", "2026-07-28"]
OWNER_ALLOWS = {"ROLLTOP_CONSENT": "literal"}
CLEAR = "orchard-mcp_tool_harvest_clear"


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "orchard", tmp_path / "orchard"))


@pytest.fixture
def data() -> Iterator[Path]:
    """The examples' data where foreign code can reach it: pytest's own folders are closed to other users."""
    place = Path(tempfile.mkdtemp(prefix="rolltop-data-"))
    shutil.copytree(EXAMPLES / "data", place, dirs_exist_ok=True)
    for each in (place, *place.iterdir()):
        each.chmod(0o755)
    yield place
    shutil.rmtree(place)


def value(answer: Any) -> Any:
    assert not answer.is_error, answer.content[0].text
    return answer.structured_content["value"]


async def add(client: Any, variety: str, kilos: float) -> Any:
    given = {"variety": variety, "kilos": kilos, "day": "2026-10-03"}
    return value(await client.call_tool("orchard-mcp_tool_harvest_add", given))["result"]


@pytest.mark.parametrize("era", ERAS)
async def test_definitions_are_tools_with_state_images_and_approval(stdio_client: Any, orchard: Path, era: str) -> None:
    asked: list[str] = []

    async def agree(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="cancel" if len(asked) == 1 else "accept", content={"agree": True})

    async with stdio_client("--catalog", str(orchard), mode=era, elicitation_callback=agree) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        schema = tools["orchard-mcp_tool_variety_list"].input_schema
        assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
        assert schema["properties"]["season"]["enum"] == ["any", "early", "middle", "late"]
        assert tools[CLEAR].annotations.destructive_hint is True
        assert "Forgets every entry" in tools[CLEAR].description
        assert await add(client, "Topaz", 12.5) == {"entries": 1, "total": 12.5}
        assert await add(client, "Topaz", 8) == {"entries": 2, "total": 20.5}
        answer = await client.call_tool("orchard-mcp_tool_harvest_plot", {})
        assert [block.type for block in answer.content] == ["text", "image"]
        jsonschema.validate(answer.structured_content, tools["orchard-mcp_tool_harvest_plot"].output_schema)
        refused = await client.call_tool(CLEAR, {})
        assert refused.structured_content["error_type"] == "consent_required"
        assert value(await client.call_tool(CLEAR, {}))["result"] == 2
        assert len(asked) == 2
        assert "dangerous" in asked[0]
        summary = value(await client.call_tool("orchard-mcp_tool_harvest_summary", {}))
        assert summary["result"] == []


async def test_arguments_conditions_and_failures_come_back_as_errors(stdio_client: Any, orchard: Path) -> None:
    async with stdio_client("--catalog", str(orchard)) as client:
        wrong = await client.call_tool("orchard-mcp_tool_harvest_add", {"variety": "Topaz", "kilo": 1})
        assert wrong.is_error
        assert {problem["path"] for problem in wrong.structured_content["details"]["problems"]} == {"kilos", "kilo"}
        failed = await client.call_tool("orchard-mcp_tool_harvest_add", {"variety": "Pear", "kilos": 1})
        assert failed.is_error
        assert "no variety is called Pear" in failed.structured_content["error"]
        warned = await client.call_tool("orchard-mcp_tool_harvest_add", {"variety": "Topaz", "kilos": 0})
        assert value(warned)["warnings"] == ["nothing was picked"]
        model = value(await client.call_tool("orchard-mcp_tool_variety_model", {}))
        assert "Coefficients" in model["text"]


async def test_without_a_way_to_ask_the_owner_decides_about_the_literal(stdio_client: Any, orchard: Path) -> None:
    async with stdio_client("--catalog", str(orchard)) as client:
        for given in ({}, {"confirm": "RUN_MCP_TOOL_HARVEST_CLEAR"}):
            refused = await client.call_tool(CLEAR, given)
            assert refused.structured_content["error_type"] == "consent_required"
    async with stdio_client("--catalog", str(orchard), "--consent", "never") as client:
        assert CLEAR not in [tool.name for tool in (await client.list_tools()).tools]
    async with stdio_client("--catalog", str(orchard), "--consent", "literal") as client:
        refused = await client.call_tool(CLEAR, {})
        assert refused.structured_content["error_type"] == "consent_required"
        agreed = await client.call_tool(CLEAR, {"confirm": "RUN_MCP_TOOL_HARVEST_CLEAR"})
        assert value(agreed)["result"] == 0


async def test_a_call_that_is_given_up_ends_and_the_next_one_runs(stdio_client: Any, tmp_path: Path) -> None:
    import anyio

    source = "#' Loop\n#' @keywords mcp-tool\nloop <- function() while (TRUE) {}\n"
    source += "#' One\n#' @keywords mcp-tool\none <- function() 1\n"
    mcptool_build(r_package(tmp_path / "demo", source))
    async with stdio_client("--catalog", str(tmp_path / "demo")) as client:
        assert value(await client.call_tool("demo-one", {}))["result"] == 1
        with anyio.move_on_after(1):
            await client.call_tool("demo-loop", {})
        with anyio.fail_after(120):
            assert value(await client.call_tool("demo-one", {}))["result"] == 1


async def test_groups_filter_what_is_served(stdio_client: Any, orchard: Path) -> None:
    async with stdio_client("--catalog", str(orchard), "--catalog-group", "variety") as client:
        names = [tool.name for tool in (await client.list_tools()).tools if tool.name.startswith("orchard-")]
    assert names == ["orchard-mcp_tool_variety_list", "orchard-mcp_tool_variety_model"]


async def test_a_catalog_is_built_attached_and_called_without_changing_the_list(
    stdio_client: Any, orchard: Path, environment: dict[str, str]
) -> None:
    shutil.rmtree(orchard / "inst")
    env = {"ROLLTOP_ROOTS": str(orchard.parent), "ROLLTOP_CONSENT": "literal"}
    async with stdio_client(env=env) as client:
        before = [tool.name for tool in (await client.list_tools()).tools]
        dry = value(await client.call_tool("mcptool_build", {"path": str(orchard), "dry_run": True}))
        assert len(dry["written"]) == 7
        assert not (orchard / "inst").exists()
        built = value(await client.call_tool("mcptool_build", {"path": str(orchard)}))
        assert len(built["written"]) == 7
        assert built["remarks"] == []
        assert value(await client.call_tool("mcptool_check", {"pkg": str(orchard)})) == {"problems": []}
        listed = value(await client.call_tool("mcptool_list", {"pkg": str(orchard), "groups": "variety"}))
        assert len(listed["tools"]) == 2
        page = value(await client.call_tool("mcptool_load_all", {"pkg": str(orchard), "limit": 4}))
        rest = value(await client.call_tool("mcptool_load_all", {"pkg": str(orchard), "after": page["next"]}))
        assert (len(page["definitions"]), len(rest["definitions"])) == (4, 3)
        refused = await client.call_tool("mcptool_attach", {"pkg": str(orchard)})
        assert refused.structured_content["error_type"] == "consent_required"
        await client.call_tool("mcptool_attach", {"pkg": str(orchard), "confirm": "ATTACH_CATALOG"})
        call = {"name": "orchard-mcp_tool_variety_list", "arguments": {"season": "early", "fields": ["name"]}}
        assert value(await client.call_tool("mcptool_call", call))["result"] == [{"name": "Discovery"}]
        dangerous = await client.call_tool("mcptool_call", {"name": CLEAR})
        assert dangerous.structured_content["error_type"] == "consent_required"
        assert [tool.name for tool in (await client.list_tools()).tools] == before
    async with stdio_client(env=env) as client:
        after = [tool.name for tool in (await client.list_tools()).tools]
    assert set(after) - set(before) >= {CLEAR, "orchard-mcp_tool_variety_list"}


async def test_tools_read_data_folders_and_stored_documents_and_ask_before_they_forget(
    stdio_client: Any, tmp_path: Path, data: Path
) -> None:
    """The example packages in R and in Python, with the owner's folder, a document and an approval."""
    config = tmp_path / "rolltop.toml"
    config.write_text(f'[catalog.folders]\norchard = ["{data}"]\nkitchen = ["{data}"]\n')
    asked: list[str] = []

    async def agree(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"agree": True})

    catalogs = [item for name in ("orchard", "kitchen") for item in ("--catalog", str(EXAMPLES / name))]
    env = {"ROLLTOP_CONFIG": str(config)}
    async with stdio_client(*catalogs, env=env, elicitation_callback=agree) as client:
        read, recipe = "orchard-mcp_tool_harvest_read", "kitchen-mcp_tool_recipe_read"
        totals = value(await client.call_tool(read, {"file": str(data / "harvest.csv")}))["result"]
        assert totals == [{"variety": "Boskoop", "kilos": 30}, {"variety": "Topaz", "kilos": 20.5}]
        await client.call_tool("store_text", {"name": "h/last year.csv", "content": "variety,kilos\nElstar,7\n"})
        stored = value(await client.call_tool(read, {"file": "doc://h/last year.csv"}))["result"]
        assert stored == [{"variety": "Elstar", "kilos": 7}]
        given = {"path": str(data / "pancakes.csv"), "servings": 2}
        assert value(await client.call_tool(recipe, given))["result"]["flour"] == "125 g"
        missing = await client.call_tool(read, {"file": "doc://no/such.csv"})
        assert missing.structured_content["error_type"] == "document_not_found"
        await add(client, "Topaz", 1)
        assert value(await client.call_tool(CLEAR, {}))["result"] == 1
        assert len(asked) == 1


async def test_changing_definitions_asks_first(stdio_client: Any, orchard: Path) -> None:
    source = orchard / "R" / "varieties.R"
    source.write_text(source.read_text().replace("Only varieties of this season", "Season"))
    async with stdio_client("--consent", "literal", env={"ROLLTOP_ROOTS": str(orchard.parent)}) as client:
        given = {"path": str(orchard), "run_examples": False}
        refused = await client.call_tool("mcptool_build", given)
        assert refused.structured_content["error_type"] == "consent_required"
        agreed = await client.call_tool("mcptool_build", {**given, "confirm": "REPLACE_DEFINITIONS"})
        assert "orchard-mcp_tool_variety_list.yaml" in value(agreed)["written"]


async def test_places_outside_the_roots_are_refused(stdio_client: Any, orchard: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    async with stdio_client(env={"ROLLTOP_ROOTS": str(tmp_path / "elsewhere")}) as client:
        for tool, argument in (("mcptool_build", "path"), ("mcptool_list", "pkg"), ("mcptool_diff", "pkg")):
            answer = await client.call_tool(tool, {argument: str(orchard)})
            assert answer.structured_content["error_type"] == "permission_denied", tool


async def test_a_name_is_no_way_around_the_roots(
    stdio_client: Any, orchard: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    async with stdio_client(env={"ROLLTOP_ROOTS": str(tmp_path / "elsewhere")}) as client:
        answer = await client.call_tool("mcptool_list", {"pkg": "orchard"})
    assert answer.structured_content["error_type"] == "permission_denied"


async def test_over_http_state_belongs_to_a_handle_never_to_the_connection(http_server: Any, orchard: Path) -> None:
    from mcp import Client

    url = http_server("--catalog", str(orchard))
    name = "orchard-mcp_tool_harvest_add"
    given = {"variety": "Topaz", "kilos": 1, "day": "2026-10-03"}
    async with Client(url) as client:
        for _ in range(2):
            assert value(await client.call_tool(name, given))["result"]["entries"] == 1
        handle = value(await client.call_tool("mcptool_state_factory", {}))["state"]
    for entries in (1, 2):
        async with Client(url) as client:
            call = {"name": name, "arguments": given, "state": handle}
            assert value(await client.call_tool("mcptool_call", call))["result"]["entries"] == entries


async def test_clients_hear_of_a_changed_definition(stdio_client: Any, orchard: Path) -> None:
    import anyio

    heard = anyio.Event()

    async def listen(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            heard.set()

    env = {**OWNER_ALLOWS, "ROLLTOP_CATALOG_WATCH_SECONDS": "0.2", "ROLLTOP_ROOTS": str(orchard.parent)}
    async with stdio_client("--catalog", str(orchard), env=env, mode="legacy", message_handler=listen) as client:
        before = {tool.name: tool.description for tool in (await client.list_tools()).tools}
        source = orchard / "R" / "harvest.R"
        source.write_text(source.read_text().replace("This cannot be undone", "For good"))
        given = {"path": str(orchard), "run_examples": False, "confirm": "REPLACE_DEFINITIONS"}
        assert not (await client.call_tool("mcptool_build", given)).is_error
        await anyio.sleep(1)
        assert not heard.is_set()  # a call does not change the list
        file = orchard / "inst/mcp/tools" / f"{CLEAR}.yaml"
        changed = file.with_suffix(".new")
        changed.write_text(file.read_text().replace("Forgets every entry", "Forgets all"))
        changed.replace(file)  # at once: the server may look at any time
        with anyio.fail_after(120):
            await heard.wait()
        after = {tool.name: tool.description for tool in (await client.list_tools()).tools}
    assert before[CLEAR] != after[CLEAR]
    assert "Forgets all" in after[CLEAR]


PLAIN = """#' One
#' @param x Integer. X
#' @keywords mcp-tool
one <- function(x) x + 1
"""


async def test_a_tool_that_a_call_built_anew_is_called_as_it_is_now(stdio_client: Any, tmp_path: Path) -> None:
    root = r_package(tmp_path / "demo", PLAIN)
    mcptool_build(root)
    source = root / "R" / "tools.R"
    env = {**OWNER_ALLOWS, "ROLLTOP_CATALOG_WATCH_SECONDS": "0.2", "ROLLTOP_ROOTS": str(tmp_path)}
    build = {"path": str(root), "confirm": "REPLACE_DEFINITIONS"}
    async with stdio_client("--catalog", str(root), env=env) as client:
        before = (await client.list_tools()).tools
        assert value(await client.call_tool("demo-one", {"x": 1}))["result"] == 2
        same = await client.call_tool("mcptool_build", build)
        assert "message" not in same.structured_content
        source.write_text(PLAIN.replace("x", "number").replace("+ 1", "+ 2"))
        built = await client.call_tool("mcptool_build", build)
        assert "other ones now: demo-one." in built.structured_content["message"]
        assert value(await client.call_tool("demo-one", {"number": 1}))["result"] == 3
        wrong = (await client.call_tool("demo-one", {"x": 1})).structured_content
        assert "number: is required; x: is not an argument" in wrong["error"]
        assert "the list of tools shows it as it was" in wrong["error"]
        after = (await client.list_tools()).tools
        assert [tool.input_schema for tool in after] == [tool.input_schema for tool in before]
        source.write_text("two <- 2\n")
        gone = await client.call_tool("mcptool_build", build)
        assert "demo-one" in gone.structured_content["message"]
        assert (await client.call_tool("demo-one", {"x": 1})).structured_content["error_type"] == "not_found"


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_that_became_dangerous_asks_though_the_list_does_not_say_so(
    stdio_client: Any, tmp_path: Path, era: str
) -> None:
    asked: list[str] = []

    async def agree(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="cancel" if len(asked) == 2 else "accept", content={"agree": True})

    root = r_package(tmp_path / "demo", PLAIN)
    mcptool_build(root)
    options: dict[str, Any] = {"env": {"ROLLTOP_ROOTS": str(tmp_path)}, "mode": era}
    build = {"path": str(root)}
    async with stdio_client("--catalog", str(root), elicitation_callback=agree, **options) as client:
        (root / "R" / "tools.R").write_text(PLAIN.replace("mcp-tool", "mcp-tool mcp-dangerous"))
        assert not (await client.call_tool("mcptool_build", build)).is_error
        assert "definition files" in asked[0]
        refused = await client.call_tool("demo-one", {"x": 1})
        assert refused.structured_content["error_type"] == "consent_required"
        assert "dangerous" in asked[1]
        assert value(await client.call_tool("demo-one", {"x": 1}))["result"] == 2
        assert value(await client.call_tool("demo-one", {"x": 1, "confirm": "RUN_ONE"}))["result"] == 2
        assert len(asked) == 4
        (root / "R" / "tools.R").write_text(PLAIN)
        assert not (await client.call_tool("mcptool_build", build)).is_error
        assert value(await client.call_tool("demo-one", {"x": 1}))["result"] == 2
        assert len(asked) == 5


async def test_wrong_arguments_are_answered_alike_however_a_tool_is_called(stdio_client: Any, tmp_path: Path) -> None:
    module = tmp_path / "demo.py"
    module.write_text("def mcp_tool_one(x: bytes):\n    'One.'\n")
    mcptool_build(module)
    async with stdio_client("--catalog", str(module)) as client:
        for given in ({"y": 1}, {"x": "?"}):
            direct = await client.call_tool("demo-mcp_tool_one", given)
            through = await client.call_tool("mcptool_call", {"name": "demo-mcp_tool_one", "arguments": given})
            assert direct.structured_content == through.structured_content
            assert direct.structured_content["error_type"] == "validation_error"
            assert direct.structured_content["instruction"] == "Correct the named arguments and call again."
            assert direct.structured_content["details"]["problems"]


async def test_a_package_without_definitions_says_what_makes_them(stdio_client: Any) -> None:
    async with stdio_client() as client:
        for tool in ("mcptool_list", "mcptool_load_all"):
            answer = await client.call_tool(tool, {"pkg": "stats"})
            assert "mcptool_build makes them" in answer.structured_content["message"], tool
        grouped = await client.call_tool("mcptool_list", {"pkg": "stats", "groups": "x"})
        assert "no tools of these groups" in grouped.structured_content["message"]
        attached = await client.call_tool("mcptool_attach", {"pkg": "stats", "confirm": "ATTACH_CATALOG"})
        assert "mcptool_build" in attached.structured_content["instruction"]
        loaded = await client.call_tool("mcptool_load", {"pkg": "stats", "name": "x"})
        assert "mcptool_build" in loaded.structured_content["instruction"]


async def test_a_catalog_that_is_built_later_is_served_from_then_on(
    stdio_client: Any, orchard: Path, tmp_path: Path
) -> None:
    import anyio

    heard = anyio.Event()

    async def listen(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            heard.set()

    late = r_package(tmp_path / "late", "#' One\n#' @keywords mcp-tool\none <- function() 1\n", "late")
    env = {"ROLLTOP_CATALOG_WATCH_SECONDS": "0.2"}
    arguments = ("--catalog", str(orchard), "--catalog", str(late))
    async with stdio_client(*arguments, env=env, mode="legacy", message_handler=listen) as client:
        assert "late-one" not in {tool.name for tool in (await client.list_tools()).tools}
        mcptool_build(late)
        with anyio.fail_after(120):
            await heard.wait()
        assert "late-one" in {tool.name for tool in (await client.list_tools()).tools}
        assert value(await client.call_tool("late-one", {}))["result"] == 1
