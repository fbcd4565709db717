"""Clients that are not ours: the TypeScript SDK, both generations, and the MCP Inspector's command line."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
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


PASSED_ON = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ROLLTOP_WORKSPACE")


def inspect(node: Any, environment: dict[str, str], target: list[str], *method: str) -> Any:
    """What the Inspector prints for a method, after a clean end."""
    variables = {**{name: environment[name] for name in PASSED_ON}, **EXAMPLES}
    options = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
    command = [INSPECTOR, "--cli", *options, *target, "--method", *method, "--format", "json"]
    done = node(*command, **environment)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)["result"]


def test_the_inspector_lists_and_calls(node: Any, environment: dict[str, str], target: list[str]) -> None:
    tools = inspect(node, environment, target, "tools/list")
    assert {"example_echo", "guide_get_content"} <= {tool["name"] for tool in tools["tools"]}
    call = ["tools/call", "--tool-name", "example_echo", "--tool-args-json", json.dumps(ECHO)]
    answer = inspect(node, environment, target, *call)
    assert answer["structuredContent"]["value"]["text"] == "Good morning"
