"""Tools that the owner switches off on the page."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from web_page import Running

pytestmark = pytest.mark.anyio


async def test_a_tool_that_is_switched_off_is_closed_to_agents_until_it_is_switched_on(page: Running) -> None:
    from mcp import Client, StdioServerParameters

    def agent() -> Any:
        command = ["-m", "rolltop", "serve", "--toolsets", "store"]
        return Client(StdioServerParameters(command=sys.executable, args=command, env=page.environment))

    async def names(client: Any) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    async with agent() as client:
        assert "get_stats" in await names(client)
        assert page.post("/tools/get_stats/switch", {}).status_code == 303
        assert page.get("/tools/get_stats.json").json()["tool"]["on"] is False
        refused = await client.call_tool("get_stats", {})
        assert refused.structured_content["code"] == "permission_denied"
        step = {"operations": [{"op": "get_stats"}]}
        assert "not available" in (await client.call_tool("bulk_operations", step)).content[0].text
    async with agent() as client:
        assert "get_stats" not in await names(client)
    assert page.post("/tools/get_stats", {}).status_code == 200  # the owner may
    assert page.post("/tools/get_stats/switch", {"on": "on"}).status_code == 303
    async with agent() as client:
        assert "get_stats" in await names(client)
        assert not (await client.call_tool("get_stats", {})).is_error
