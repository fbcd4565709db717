"""A caller in too great a haste is told so, and nothing is done for it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_call_too_many_is_refused_with_what_to_do(stdio_client: Any, mode: str) -> None:
    limits = {"MCP_INCLUDE_EXAMPLE_TOOLS": "true", "ROLLTOP_CALLS_PER_MINUTE": "3"}
    async with stdio_client(env=limits, mode=mode) as client:
        answers = [await client.call_tool("example_echo", {"text": "hi"}) for _ in range(4)]
    assert [bool(answer.is_error) for answer in answers] == [False, False, False, True]
    refused = answers[-1].structured_content
    assert refused["error_type"] == "rate_limited"
    assert refused["instruction"].startswith("Wait ")


def test_a_limit_below_nothing_is_refused(rolltop: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    out = rolltop("doctor", ROLLTOP_CALLS_PER_MINUTE="-1")
    assert (out.returncode, "ROLLTOP_CALLS_PER_MINUTE" in out.stderr) == (2, True)
