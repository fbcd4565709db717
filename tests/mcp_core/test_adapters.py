"""Declared tools on servers that are not ours: the SDK's `MCPServer` and FastMCP, through real clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from mcp_core import Consent, ExtMcpToolDecorator, Result, ToolArguments

pytestmark = pytest.mark.anyio


class Greet(ToolArguments):
    name: str = Field(description="Whom to greet.")
    schema_: Literal["polite", "short"] = Field(default="polite", alias="schema", description="How.")


class Greeting(BaseModel):
    text: str


class Between(ToolArguments):
    from_: int = Field(alias="from", description="Where it begins.")
    to: int = Field(default=9, ge=1, description="Where it ends.")


async def between(args: Between) -> Result[list[int]]:
    """Numbers."""
    return Result.ok([args.from_, args.to])


def tick() -> Result[str]:
    """Tick."""
    return Result.ok("tock")


async def greet(args: Greet) -> Result[Greeting]:
    """Greet somebody."""
    if not args.name:
        return Result.failure("nobody is there", "not_found")
    return Result.ok(Greeting(text=f"Good day, {args.name}" if args.schema_ == "polite" else f"Hi {args.name}"))


def remove(args: Greet) -> Result[Greeting]:
    """Remove somebody."""
    return Result.ok(Greeting(text="removed"))


@pytest.fixture(autouse=True)
def _declared() -> Iterator[None]:
    with ToolArguments.isolated():
        ToolArguments.declare(greet)
        ToolArguments.declare(consent=Consent("REMOVE_IT", "removes somebody"))(remove)
        yield


def registered_on(server: Any) -> Any:
    decorator = ExtMcpToolDecorator(server, prefix="p")
    for func in ToolArguments.get_declared_tools().values():
        decorator.register(func)
    return server


async def test_the_sdks_server_serves_declared_tools() -> None:
    from mcp import Client
    from mcp.server.mcpserver import MCPServer

    async with Client(registered_on(MCPServer("test"))) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"p_greet", "p_remove"}
        assert set(tools["p_greet"].input_schema["properties"]) == {"name", "schema"}
        answer = await client.call_tool("p_greet", {"name": "Ada", "schema": "short"})
        assert answer.structured_content == {"success": True, "value": {"text": "Hi Ada"}}
        failed = await client.call_tool("p_greet", {"name": ""})
        assert failed.is_error
        assert failed.structured_content["error_type"] == "not_found"
        refused = await client.call_tool("p_remove", {"name": "Ada"})
        assert refused.structured_content["error_type"] == "consent_required"


async def test_fastmcp_serves_declared_tools() -> None:
    from fastmcp import Client, FastMCP

    async with Client(registered_on(FastMCP("test"))) as client:
        assert {tool.name for tool in await client.list_tools()} == {"p_greet", "p_remove"}
        answer = await client.call_tool("p_greet", {"name": "Ada"})
        assert answer.structured_content == {"success": True, "value": {"text": "Good day, Ada"}}
        failed = await client.call_tool("p_greet", {"name": ""}, raise_on_error=False)
        assert failed.is_error
        assert json.loads(failed.content[0].text)["error_type"] == "not_found"


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("p_between", {"from": 1, "bogus": 2}, "bogus: is not an argument"),
    ("p_between", {}, "from: is required"),
    ("p_between", {"from": 1, "to": 0}, "to: Input should be greater than or equal to 1"),
    ("p_tick", {"x": 1}, "x: is not an argument"),
]


async def test_the_sdks_server_refuses_wrong_arguments_in_our_words() -> None:
    from mcp import Client
    from mcp.server.mcpserver import MCPServer

    for func in (between, tick):
        ToolArguments.declare(func)
    async with Client(registered_on(MCPServer("test"))) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["p_between"].input_schema == ToolArguments.spec_of(between).input_schema
        for name, arguments, problem in WRONG:
            refused = await client.call_tool(name, arguments)
            assert refused.is_error
            assert refused.structured_content["error_type"] == "validation_error"
            assert problem in refused.structured_content["error"]
        assert (await client.call_tool("p_between", {"from": 3})).structured_content["value"] == [3, 9]
        assert (await client.call_tool("p_tick", {})).structured_content["value"] == "tock"


async def test_fastmcp_refuses_wrong_arguments_in_our_words() -> None:
    from fastmcp import Client, FastMCP

    for func in (between, tick):
        ToolArguments.declare(func)
    async with Client(registered_on(FastMCP("test"))) as client:
        for name, arguments, problem in WRONG:
            refused = await client.call_tool(name, arguments, raise_on_error=False)
            assert refused.is_error
            assert problem in json.loads(refused.content[0].text)["error"]
        assert (await client.call_tool("p_between", {"from": 3})).structured_content["value"] == [3, 9]
