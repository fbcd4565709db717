"""Clients that are not ours: the TypeScript SDK, both generations, and the MCP Inspector's command line."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

INSPECTOR = "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js"
ECHO = {"text": "Good morning"}
EXAMPLES = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true"}


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest, http_server: Any) -> list[str]:
    if request.param == "stdio":
        return [sys.executable, "-m", "rolltop", "serve"]
    return [http_server(env=EXAMPLES)]


@pytest.mark.parametrize("generation", ["v1", "v2"])
def test_the_typescript_sdk_lists_and_calls(
    node: Any, environment: dict[str, str], target: list[str], generation: str
) -> None:
    done = node("client.mjs", generation, "example_echo", json.dumps(ECHO), *target, **environment, **EXAMPLES)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert {"example_echo", "guide_get_content", "read_resource"} <= set(said["tools"])
    assert said["answer"]["structuredContent"]["value"]["text"] == "Good morning"
