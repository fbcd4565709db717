"""A real client lists and calls the example tools, over both transports and in both protocol eras."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from mcp_types import ElicitResult

pytestmark = pytest.mark.anyio

EXAMPLES = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true"}
ERAS = ["legacy", "2026-07-28"]


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, stdio_client: Any, shared_server: Any) -> Any:
    if request.param == "stdio":
        return stdio_client

    def over_http(*arguments: str, env: dict[str, str] | None = None, **options: Any) -> Any:
        from mcp import Client

        return Client(shared_server(*arguments, env=env), **options)

    return over_http


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_lists_and_calls_tools(connect: Any, era: str) -> None:
    async with connect(env=EXAMPLES, mode=era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"example_echo", "count_down", "forget_everything", "read_resource"} <= set(tools)
        answer = await client.call_tool("example_echo", {"text": "Good morning"})
        assert not answer.is_error
        assert answer.structured_content["value"] == {"text": "Good morning", "length": 12}
        jsonschema.validate(answer.structured_content, tools["example_echo"].output_schema)


@pytest.mark.parametrize("era", ERAS)
async def test_progress_arrives(connect: Any, era: str) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total))

    async with connect(env=EXAMPLES, mode=era) as client:
        await client.call_tool("count_down", {"start": 3}, progress_callback=note)
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("action", "agree", "done"), [("accept", True, True), ("accept", False, False), ("decline", None, False)]
)
async def test_the_human_is_asked(connect: Any, era: str, action: Any, agree: bool | None, done: bool) -> None:
    questions: list[str] = []

    async def ask(context: Any, params: Any) -> ElicitResult:
        questions.append(params.message)
        return ElicitResult(action=action, content={"agree": agree} if agree is not None else None)

    # A thing of its own in each case: a refusal stands, and clients of 2026 over HTTP with one name are one caller.
    async with connect(env=EXAMPLES, mode=era, elicitation_callback=ask) as client:
        answer = await client.call_tool("forget_everything", {"what": f"{era} {action} {agree}"})
    assert len(questions) == 1
    assert answer.is_error is not done
    if not done:
        assert answer.structured_content["error_type"] == "consent_required"


@pytest.mark.parametrize("era", ERAS)
async def test_without_a_way_to_ask_nothing_is_done(connect: Any, era: str) -> None:
    async with connect(env=EXAMPLES, mode=era) as client:
        refused = await client.call_tool("forget_everything", {"what": "yesterday"})
        assert refused.is_error
        assert refused.structured_content["error_type"] == "consent_required"
        given = {"what": "yesterday", "confirm": "FORGET_EVERYTHING"}
        assert (await client.call_tool("forget_everything", given)).is_error
    async with connect(env={**EXAMPLES, "ROLLTOP_CONSENT": "literal"}, mode=era) as client:
        assert not (await client.call_tool("forget_everything", given)).is_error


@pytest.mark.parametrize("era", ERAS)
async def test_bad_arguments_are_all_reported(connect: Any, era: str) -> None:
    async with connect(env=EXAMPLES, mode=era) as client:
        answer = await client.call_tool("example_echo", {"txt": "secret-value", "mode": "loud"})
    assert answer.is_error
    problems = answer.structured_content["details"]["problems"]
    assert {problem["path"] for problem in problems} == {"text", "txt", "mode"}
    assert "did you mean 'text'" in answer.content[0].text
    assert "secret-value" not in answer.content[0].text


@pytest.mark.parametrize("era", ERAS)
async def test_an_unknown_tool_is_a_protocol_error_that_suggests(connect: Any, era: str) -> None:
    from mcp import MCPError

    async with connect(env=EXAMPLES, mode=era) as client:
        with pytest.raises(MCPError, match="did you mean example_echo") as caught:
            await client.call_tool("exampel_echo", {})
    assert caught.value.code == -32602


@pytest.mark.parametrize("era", ERAS)
async def test_documentation_is_a_resource(connect: Any, era: str) -> None:
    async with connect(env=EXAMPLES, mode=era) as client:
        page = await client.read_resource("tool://example_echo")
        templates = await client.list_resource_templates()
    assert "## Concrete Examples" in page.contents[0].text
    assert "tool://{name}" in {template.uri_template for template in templates.resource_templates}
