"""The guide's tools, resources and prompt, as a real client sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp.shared.exceptions import MCPError

pytestmark = pytest.mark.anyio

DOCUMENTS = {
    "lang/python.md": "python rules\n",
    "lang/java.md": "java rules\n",
    "lang/rust.md": "rust rules\n",
    "docs/api.md": "api\n",
    "guidelines/all.txt": "guidelines\n",
}


@pytest.fixture
def config(environment: dict[str, str]) -> Path:
    """A configured project, and the client's working directory in it."""
    directory = Path(environment["XDG_CONFIG_HOME"]) / "rolltop" / "guide"
    app = Path(environment["HOME"]) / "my-app"
    app.mkdir()
    environment["PWD"] = str(app)
    for name, text in DOCUMENTS.items():
        (directory / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / "docs" / name).write_text(text)
    (directory / "config.yaml").write_text(
        f"""\
version: 1
projects:
  my-app-1:
    name: my-app
    path: {app}
    categories:
      lang: {{dir: lang/, patterns: ["*.md"], description: Language rules}}
      docs: {{dir: docs/, patterns: ["**/*.md"]}}
      guidelines: {{dir: guidelines/, patterns: ["*"]}}
    collections:
      review: {{categories: [docs/api, lang/python]}}
"""
    )
    return directory


async def call(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer, after checking that both of its forms say the same and keep the published schema."""
    result = await client.call_tool(f"guide_{tool}", arguments)
    answer: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == answer
    assert bool(result.is_error) is not answer["success"]
    return answer


@pytest.fixture(params=["legacy", "2026-07-28"])
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


SERVED = ("--toolsets", "guide")


async def test_the_six_flag_tools_and_get_content_are_listed_with_four_sections(stdio_client: Any) -> None:
    async with stdio_client(*SERVED) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name in ("set_project_flag", "get_project_flag", "list_project_flags"):
        assert f"guide_{name}" in tools
        assert f"guide_{name.replace('project', 'feature')}" in tools
    text = tools["guide_get_content"].description
    headings = [text.index(f"## {each}") for each in ("Description", "JSON Schema", "Usage Instructions", "Concrete")]
    assert headings == sorted(headings)
    assert "guide_get_project" in text  # a tool that is named has the name it is registered by
    for tool in tools.values():
        assert tool.annotations.read_only_hint is not None
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)


@pytest.mark.parametrize(("prefix", "name"), [("", "get_content"), ("my", "my_get_content")])
async def test_the_users_prefix_counts(stdio_client: Any, prefix: str, name: str) -> None:
    async with stdio_client(*SERVED, env={"MCP_TOOL_PREFIX": prefix}) as client:
        assert name in {tool.name for tool in (await client.list_tools()).tools}


async def test_content_by_expression(stdio_client: Any, config: Path, era: str) -> None:
    async with stdio_client(*SERVED, mode=era) as client:
        one = await call(client, "get_content", expression="lang/python")
        assert one["value"] == "python rules\n"
        assert one["data"]["documents"] == [{"category": "lang", "path": "python.md", "size": 13, "pattern": "python"}]
        two = await call(client, "get_content", expression="lang", pattern="python")
        assert two == one
        many = await call(client, "get_content", expression="lang/python+java+rust")
        assert [each["path"] for each in many["data"]["documents"]] == ["python.md", "java.md", "rust.md"]
        mixed = await call(client, "get_content", expression="lang/python,docs/api,guidelines,lang/rust")
        assert [each["category"] for each in mixed["data"]["documents"]] == ["lang", "docs", "guidelines", "lang"]
        none = await call(client, "get_content", expression="lang/cobol")
        assert (none["value"], none["data"]["unmatched"]) == ("", ["lang/cobol"])
        assert "lang/cobol" in none["message"]


WRONG_CONTENT: list[tuple[dict[str, Any], str]] = [
    ({"expression": ""}, "invalid_expression"),
    ({"expression": "lang/python", "pattern": "java"}, "validation_error"),
    ({"expression": "nothing"}, "not_found"),
    ({"expression": "lang/../docs/api"}, "security_error"),
    ({"expression": "lang//etc/passwd"}, "security_error"),
    ({"expression": "lang", "bogus": 1}, "validation_error"),
    ({}, "validation_error"),
    ({"expression": "lang", "project": "no-such"}, "not_found"),
    ({"expression": "lang", "offset": -1}, "validation_error"),
]


async def test_what_is_wrong_is_said(stdio_client: Any, config: Path) -> None:
    async with stdio_client(*SERVED) as client:
        for arguments, error_type in WRONG_CONTENT:
            answer = await call(client, "get_content", **arguments)
            assert (answer["success"], answer["error_type"]) == (False, error_type)
            assert answer["instruction"]


async def test_a_long_answer_is_continued(stdio_client: Any, config: Path) -> None:
    for n in range(130):
        (config / "docs/guidelines" / f"{n:03}.txt").write_text(f"{n:03} " * 300)
    async with stdio_client(*SERVED) as client:
        found, offset = [], 0
        while offset is not None:
            answer = await call(client, "get_content", expression="guidelines", offset=offset)
            assert len(json.dumps(answer)) < 25_000 * 4
            assert answer["data"]["truncated"] is (answer["data"]["next_offset"] is not None)
            found += [each["path"] for each in answer["data"]["documents"]]
            offset = answer["data"]["next_offset"]
    assert found == [*(f"{n:03}.txt" for n in range(130)), "all.txt"]


async def test_flags_of_both_scopes(stdio_client: Any, config: Path, era: str) -> None:
    async with stdio_client(*SERVED, mode=era) as client:
        assert (await call(client, "set_feature_flag", feature_name="f", value="on"))["value"] is True
        got = await call(client, "get_project_flag", feature_name="f")
        assert (got["value"], got["data"]["source"]) == (True, "global")
        assert (await call(client, "set_project_flag", feature_name="f", value=False))["value"] is False
        got = await call(client, "get_project_flag", feature_name="f")
        assert (got["value"], got["data"]["source"]) == (False, "project")
        assert (await call(client, "get_feature_flag", feature_name="f"))["value"] is True
        await call(client, "set_project_flag", feature_name="own", value="x")
        assert (await call(client, "list_project_flags"))["value"] == {"f": False, "own": "x"}
        assert (await call(client, "list_feature_flags"))["value"] == {"f": True}
        assert (await call(client, "list_project_flags", feature_name="own"))["value"] == "x"
        assert (await call(client, "list_project_flags", feature_name="o*"))["value"] == {"own": "x"}
        await call(client, "set_project_flag", feature_name="f", value=None)
        assert (await call(client, "list_project_flags", active=False))["value"] == {"own": "x"}
        assert (await call(client, "get_project_flag", feature_name="f"))["value"] is True
        unset = await call(client, "get_project_flag", feature_name="never")
        assert (unset["success"], unset["value"], unset["data"]["source"]) == (True, None, None)
        assert (await call(client, "set_feature_flag", feature_name="bare"))["value"] is True


WRONG_FLAGS: list[tuple[dict[str, Any], str]] = [
    ({"feature_name": "a.b"}, "invalid_name"),
    ({"feature_name": "f", "value": 3}, "validation_error"),
    ({"feature_name": "f", "value": ["a", 1]}, "validation_error"),
    ({"feature_name": "f", "value": {"a": "b"}}, "validation_error"),
    ({"feature_name": "f", "value": ["a"]}, "validation_error"),
    ({"feature_name": "content-default", "value": "docs"}, "validation_error"),
    ({"feature_name": "f", "value": True, "expected": "x"}, "conflict"),
]


async def test_flags_that_cannot_be_set(stdio_client: Any) -> None:
    async with stdio_client(*SERVED) as client:
        for arguments, error_type in WRONG_FLAGS:
            assert (await call(client, "set_feature_flag", **arguments))["error_type"] == error_type
        assert (await call(client, "list_feature_flags"))["value"] == {}


async def test_ten_parallel_calls_all_persist(stdio_client: Any, config: Path) -> None:
    import anyio

    async with stdio_client(*SERVED) as one, stdio_client(*SERVED) as two, anyio.create_task_group() as group:
        for n in range(10):
            for prefix, client in (("a", one), ("b", two)):
                group.start_soon(lambda p=prefix, c=client, n=n: call(c, "set_project_flag", feature_name=f"{p}{n}"))
    async with stdio_client(*SERVED) as client:
        assert len((await call(client, "list_project_flags"))["value"]) == 20


async def test_without_a_project_only_global_flags_work(stdio_client: Any) -> None:
    async with stdio_client(*SERVED, env={"PWD": ""}) as client:
        assert (await call(client, "set_feature_flag", feature_name="f"))["value"] is True
        lost = await call(client, "set_project_flag", feature_name="f")
        assert lost["error_type"] == "no_project"
        assert lost["instruction"]
        assert (await client.list_resources()).resources == []


async def test_the_project_can_be_chosen_over_stdio(stdio_client: Any, config: Path) -> None:
    async with stdio_client(*SERVED, env={"PWD": "/"}) as client:
        assert (await call(client, "get_project"))["error_type"] == "no_project"
        chosen = (await call(client, "set_project", project="my-app"))["value"]
        assert chosen["categories"] == {"lang": "Language rules", "docs": "", "guidelines": ""}
        assert (await call(client, "get_project"))["value"] == chosen
        assert [each["name"] for each in (await call(client, "list_projects"))["value"]] == ["my-app"]


async def test_roots_say_which_project_it_is(stdio_client: Any, config: Path, environment: dict[str, str]) -> None:
    from mcp_types import ListRootsResult, Root

    async def roots(context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=f"file://{environment['HOME']}/my-app/src")])

    async with stdio_client(*SERVED, env={"PWD": ""}, mode="legacy", list_roots_callback=roots) as client:
        assert (await call(client, "get_project"))["value"]["key"] == "my-app-1"


async def test_over_http_nothing_is_remembered_and_the_server_directory_says_nothing(
    http_server: Any, config: Path
) -> None:
    from mcp import Client

    async with Client(http_server(*SERVED)) as client:
        assert (await call(client, "get_project"))["error_type"] == "no_project"
        assert (await call(client, "set_project", project="my-app"))["error_type"] == "validation_error"
        named = await call(client, "get_content", expression="lang/python", project="my-app")
        assert named["value"] == "python rules\n"


async def test_setting_up_a_project_by_tools(stdio_client: Any, config: Path) -> None:
    async with stdio_client(*SERVED, "--consent", "literal") as client:
        added = await call(client, "add_category", name="extra", patterns=["*"], description="More")
        assert added["value"] == {"name": "extra", "dir": "extra/", "patterns": ["*"], "description": "More"}
        assert (await call(client, "add_category", name="extra"))["error_type"] == "conflict"
        assert (await call(client, "add_category", name="x", dir="../up"))["error_type"] == "security_error"
        changed = await call(client, "change_category", name="extra", patterns=["a"])
        assert changed["value"] == {"name": "extra", "dir": "extra/", "patterns": ["a"], "description": "More"}
        await call(client, "add_collection", name="both", members=["extra/a", "review"])
        assert (await call(client, "list_collections"))["value"][-1]["members"] == ["extra/a", "review"]
        await call(client, "change_collection", name="both", members=["review", "extra"], description="All")
        refused = await call(client, "remove_category", name="extra")
        assert refused["error_type"] == "consent_required"
        removed = await call(client, "remove_category", name="extra", confirm="REMOVE_CATEGORY")
        assert removed["value"] == ["both"]
        assert (await call(client, "list_collections"))["value"][-1]["members"] == ["review"]
        await call(client, "remove_collection", name="both", confirm="REMOVE_COLLECTION")
        assert [each["name"] for each in (await call(client, "list_categories"))["value"]] == [
            "lang",
            "docs",
            "guidelines",
        ]


async def test_resources(stdio_client: Any, config: Path, era: str) -> None:
    async with stdio_client(*SERVED, mode=era) as client:
        uris = [str(each.uri) for each in (await client.list_resources()).resources]
        assert {"guide://lang", "guide://docs", "guide://review"} <= set(uris)
        (single,) = (await client.read_resource("guide://lang/python")).contents
        assert (single.text, single.mime_type) == ("python rules\n", "text/markdown")
        (several,) = (await client.read_resource("guide://lang/java+rust,docs/api?project=my-app")).contents
        assert several.text.count("===") == 6
        (escaped,) = (await client.read_resource("guide://lang/%70ython")).contents
        assert escaped.text == "python rules\n"
        # A parameter that is not there: a slip, or a pattern whose ? would begin the parameters.
        for wrong in ("guide://lang/python?projekt=my-app", "guide://lang/p?thon"):
            with pytest.raises(MCPError, match="no resource") as caught:
                await client.read_resource(wrong)
            assert "no parameter" in caught.value.error.data["hint"]
        (marked,) = (await client.read_resource("guide://lang/p%3Fthon")).contents
        assert marked.text == single.text
        for missing in ("guide://nothing", "guide://lang/cobol", "guide://lang/../../x", "guide://"):
            with pytest.raises(Exception, match=r"resource|expression|directory"):
                await client.read_resource(missing)


async def prompted(client: Any, **arguments: str) -> str:
    answer = await client.get_prompt("guide", arguments)
    return str(answer.messages[0].content.text)


async def test_the_prompt_takes_fifteen_words_with_gaps(stdio_client: Any, config: Path, era: str) -> None:
    async with stdio_client(*SERVED, mode=era) as client:
        (prompt,) = (await client.list_prompts()).prompts
        assert [each.name for each in prompt.arguments] == [f"arg{digit}" for digit in "123456789ABCDEF"]
        assert await prompted(client, arg1="lang/python") == "python rules\n"
        both = await prompted(client, arg1="lang/python", arg3="docs/api")
        assert both.index("python rules") < both.index("api")
        assert "rust rules" in await prompted(client, argf="lang/rust")
        assert "rust rules" in await prompted(client, argF="lang/rust")
        split = await prompted(client, arg1="lang/python docs/api")
        assert split == both
        everything = {f"arg{digit}": "lang/python" for digit in "123456789ABCDEF"}
        assert await prompted(client, **everything) == "python rules\n"


async def test_the_prompt_says_what_is_wrong_in_words(stdio_client: Any, config: Path) -> None:
    async with stdio_client(*SERVED) as client:
        assert "- lang: Language rules" in await prompted(client)
        assert "did you mean lang" in (await prompted(client, arg1="lnag")).lower()
        assert "column" not in await prompted(client, arg1="lang/python")
        assert "1:1" in await prompted(client, arg1="/x")
        assert "--project=NAME" in await prompted(client, arg1="--what", arg2="lang")
        assert "quotation mark" in await prompted(client, arg1='"lang')
        assert "lang/cobol" in await prompted(client, arg1="lang/cobol")
        assert await prompted(client, arg1="--project=my-app", arg2="lang/rust") == "rust rules\n"
        await call(client, "set_project_flag", feature_name="content-default", value="docs/api")
        assert await prompted(client) == "api\n"


async def test_the_prompt_says_what_it_does_not_give(stdio_client: Any, config: Path) -> None:
    docs = config / "docs"
    (docs / "guidelines" / "empty.txt").write_text("")
    (docs / "guidelines" / "bin.txt").write_bytes(b"\xff\xfe\x00")
    (docs / "docs" / "many").mkdir()
    for number in range(120):
        (docs / "docs" / "many" / f"{number:03}.md").write_text(f"page {number:03}\n")
    async with stdio_client(*SERVED) as client:
        some = await prompted(client, arg1="lang/python,lang/cobol")
        assert some.startswith("python rules\n")
        assert "lang/cobol" in some
        assert "bin.txt is not UTF-8" in await prompted(client, arg1="guidelines/bin+all")
        assert "no text" in await prompted(client, arg1="guidelines/empty")
        first = await prompted(client, arg1="--project=my-app", arg2="docs/many/*")
        assert "page 099" in first
        assert "page 100" not in first
        assert "20 more documents match" in first
        again = first.rpartition("@guide ")[2].rstrip(")")
        rest = await prompted(client, arg1=again)
        assert "page 099" not in rest
        assert "page 119" in rest
        assert "more documents" not in rest
        (content,) = (await client.read_resource("guide://docs/many/*?project=my-app")).contents
        assert "page 099" in content.text
        (more,) = (await client.read_resource(content.meta["next"])).contents
        assert "page 119" in more.text
        assert "next" not in more.meta


async def test_completions(stdio_client: Any, config: Path) -> None:
    from mcp_types import PromptReference, ResourceTemplateReference

    async def complete(ref: Any, name: str, value: str, **beside: str) -> list[str]:
        answer = await client.complete(ref, {"name": name, "value": value}, beside or None)
        return list(answer.completion.values)

    docs = config / "docs" / "docs"
    for name in ("sp ace.md", "a,b.md", "secret.key"):
        (docs / name).write_text("x\n")
    async with stdio_client(*SERVED) as client:
        prompt = PromptReference(type="ref/prompt", name="guide")
        assert await complete(prompt, "arg1", "") == ["docs", "guidelines", "lang", "review"]
        assert await complete(prompt, "argB", "docs/api,la") == ["docs/api,lang"]
        assert await complete(prompt, "arg2", "lang/java+p") == ["lang/java+python.md"]
        template = ResourceTemplateReference(type="ref/resource", uri="guide://{+expression}{?project}")
        assert await complete(template, "expression", "re") == ["review"]
        assert await complete(template, "project", "my") == ["my-app-1"]
        assert await complete(prompt, "arg1", "docs/s") == ["docs/secret.key", '"docs/sp ace.md"']
        assert await complete(prompt, "arg1", '"docs/sp a') == ['"docs/sp ace.md"']
        assert await prompted(client, arg1='"docs/sp ace.md"') == "x\n"
        assert await complete(prompt, "arg1", "lang docs/ap") == ["lang docs/api.md"]
        assert await complete(prompt, "arg1", "docs/a\\,") == ["docs/a\\,b.md"]
        await call(client, "set_project_flag", feature_name="content-exclude", value=["*.key"])
        assert await complete(prompt, "arg1", "docs/sec") == []
        elsewhere = Path(config.parent) / "elsewhere"
        elsewhere.mkdir()
        await call(client, "set_project", project=str(elsewhere))
        assert await complete(prompt, "arg1", "la") == []
        assert await complete(prompt, "arg2", "la", arg1="--project=my-app") == ["lang"]
        assert await complete(prompt, "arg1", "--project=my-app la") == ["--project=my-app lang"]
        assert await complete(template, "expression", "la", project="my-app") == ["lang"]


async def test_the_examples_of_every_tool_run(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp_core import ClientInfo
    from rolltop.server.application import Application
    from rolltop.settings import load

    for number, (name, example) in enumerate(_examples()):
        home = Path(environment["HOME"]) / str(number)
        given = {"toolsets": "guide", "consent": "literal"}  # nobody can be asked here
        desk = Application(load(given, env={**environment, "XDG_CONFIG_HOME": str(home)}))
        for before, arguments in example.before:
            assert not (await desk.dispatcher.call(before, arguments, desk.context(ClientInfo()))).is_error
        answer = await desk.dispatcher.call(name, example.arguments, desk.context(ClientInfo()))
        assert not answer.is_error, f"{name} {example.arguments}: {answer.text}"
        jsonschema.validate(answer.structured, desk.registry.find(name).wire["outputSchema"])
        desk.close()


def _examples() -> list[tuple[str, Any]]:
    from rolltop.tools.guide import TOOLSET

    return [(spec.name, example) for spec in TOOLSET.load() for example in spec.examples]
