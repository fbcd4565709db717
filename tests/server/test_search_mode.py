"""`--tool-mode search`: everything behind three tools."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.anyio
EXAMPLES = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true"}


async def test_three_tools_find_describe_and_call_all_others(stdio_client: Any) -> None:
    async with stdio_client("--tool-mode", "search", env=EXAMPLES) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "search_tools",
            "describe_tool",
            "call_tool",
        }
        found = await client.call_tool("search_tools", {"query": "say something back to me"})
        assert found.structured_content["value"]["tools"][0]["name"] == "example_echo"
        described = await client.call_tool("describe_tool", {"name": "example_echo"})
        assert described.structured_content["value"]["inputSchema"]["required"] == ["text"]
        direct = await client.call_tool("example_echo", {"text": "hi"})
        named = await client.call_tool("call_tool", {"name": "example_echo", "arguments": {"text": "hi"}})
        assert named.structured_content == direct.structured_content
        refused = await client.call_tool("call_tool", {"name": "forget_everything", "arguments": {"what": "it"}})
        assert refused.structured_content["error_type"] == "consent_required"
        unknown = await client.call_tool("call_tool", {"name": "exampel_echo"})
        assert "example_echo" in unknown.content[0].text
        wrong = await client.call_tool("call_tool", {"name": "example_echo", "arguments": {"txt": 1}})
        assert "did you mean 'text'" in wrong.content[0].text
