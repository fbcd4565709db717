"""Requirement 002, "Environment Configuration" and "Conditional example tool"."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from rolltop.server.runtime import _configure_environment

Rolltop = Callable[..., subprocess.CompletedProcess[str]]


def test_the_default_prefix_is_set_when_there_is_none() -> None:
    env: dict[str, str] = {}
    assert _configure_environment(env)
    assert env == {"MCP_TOOL_PREFIX": "guide"}


@pytest.mark.parametrize("value", ["custom", ""])
def test_a_users_prefix_stays_also_the_empty_one(value: str) -> None:
    env = {"MCP_TOOL_PREFIX": value}
    assert not _configure_environment(env)
    assert env == {"MCP_TOOL_PREFIX": value}


def names(rolltop: Rolltop, *arguments: str, **env: str) -> set[str]:
    out = rolltop(*arguments, "tools", "list", "--json", MCP_INCLUDE_EXAMPLE_TOOLS="true", **env)
    assert out.returncode == 0, out.stderr
    return {tool["name"] for tool in json.loads(out.stdout)}


def test_the_default_prefix_is_for_the_guide_set_alone(rolltop: Rolltop) -> None:
    assert "read_resource" in names(rolltop)


def test_a_users_prefix_is_for_all_sets(rolltop: Rolltop) -> None:
    assert all(name.startswith("mine_") for name in names(rolltop, MCP_TOOL_PREFIX="mine"))
    assert "read_resource" in names(rolltop, MCP_TOOL_PREFIX="")


@pytest.mark.parametrize(
    ("value", "included"), [("true", True), ("True", False), ("1", False), ("yes", False), ("", False)]
)
def test_only_the_word_true_includes_the_example_tools(environment: dict[str, str], value: str, included: bool) -> None:
    script = (
        "import sys; from rolltop.settings import load; from rolltop.server.application import Application;"
        "d = Application(load());"
        "print('rolltop.tools.example.tool_example' in sys.modules, 'example_echo' in d.registry)"
    )
    out = subprocess.run(
        [sys.executable, "-c", script],
        env={**environment, "MCP_INCLUDE_EXAMPLE_TOOLS": value},
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.split() == [str(included)] * 2


def test_a_prefix_that_makes_no_good_names_is_refused(
    rolltop: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    refused = rolltop("tools", "list", MCP_TOOL_PREFIX="a b")
    assert refused.returncode == 2
    assert "MCP_TOOL_PREFIX" in refused.stderr
