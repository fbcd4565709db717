"""Every example of every tool runs and ends as it says."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mcp_core import ClientInfo, Example
from rolltop.server.application import Application
from rolltop.settings import load


def desk_in(directory: Path) -> Application:
    env = {
        "ROLLTOP_WORKSPACE": str(directory / "workspace"),
        "ROLLTOP_CONSENT": "literal",
        "MCP_INCLUDE_EXAMPLE_TOOLS": "true",
        "XDG_CONFIG_HOME": str(directory),
    }
    return Application(load(env=env))


def examples() -> list[Any]:
    desk = Application(load(env={"MCP_INCLUDE_EXAMPLE_TOOLS": "true", "ROLLTOP_WORKSPACE": "unused"}))
    return [
        pytest.param(registered.name, example, id=f"{registered.name}-{number}")
        for registered in desk.registry
        for number, example in enumerate(registered.spec.examples)
    ]


@pytest.mark.parametrize(("name", "example"), examples())
def test_example(name: str, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    desk = desk_in(tmp_path)
    registered = desk.registry.find(name)
    assert registered is not None
    try:
        for tool, arguments in example.before:
            prepared = asyncio.run(desk.dispatcher.call(tool, arguments, desk.context(ClientInfo())))
            assert not prepared.is_error, prepared.text
        answer = asyncio.run(desk.dispatcher.call(name, example.arguments, desk.context(ClientInfo())))
    finally:
        desk.close()
    jsonschema.validate(answer.structured, registered.wire["outputSchema"])
    assert answer.is_error is (example.fails is not None), answer.text
    if example.fails is not None:
        assert example.fails in answer.text
