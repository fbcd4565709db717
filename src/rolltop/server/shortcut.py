"""What a call gets that takes the short way past the SDK.

The short way has no channel to ask the client anything. A tool that wants to is called again through the
SDK: that is why a tool asks before it acts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_core import InputNeeded

__all__ = ["LOG_LEVEL_KEY", "ask_client_later", "ask_later", "declared", "header_parameters", "roots_later"]

LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
"""In a request's `_meta`: the client wants log lines of that level (2026-07-28)."""


def declared(capabilities: Any) -> frozenset[str]:
    """What a client may be asked for, from the capabilities that it declares."""
    if not isinstance(capabilities, Mapping):
        return frozenset()
    offered = {name for name in ("sampling", "roots") if isinstance(capabilities.get(name), Mapping)}
    asked = capabilities.get("elicitation")
    # An empty elicitation capability means forms; one that names only URLs does not include them.
    if isinstance(asked, Mapping) and ("form" in asked or "url" not in asked):
        offered.add("elicitation")
    return frozenset(offered)


def header_parameters(schema: Mapping[str, Any]) -> bool:
    """Whether an argument is repeated in a header, which then has to be compared with it."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    return any("x-mcp-header" in each for each in properties.values() if isinstance(each, Mapping))


async def ask_later(key: str, message: str, schema: Mapping[str, Any]) -> Any:
    raise InputNeeded({})


async def ask_client_later(requests: Mapping[str, Mapping[str, Any]]) -> Any:
    raise InputNeeded({})


async def roots_later() -> Sequence[str]:
    raise InputNeeded({})
