"""What a server says about itself, in the form that `rolltop.boot` answers from."""

from __future__ import annotations

from typing import Any

import orjson
from mcp_types import DiscoverResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from rolltop.server.listing import TTL_MS, Listing
from rolltop.server.protocol import Built, initialization_options

__all__ = ["answers_of"]


def answers_of(built: Built) -> dict[str, Any]:
    """The results of `initialize` (without the version), `server/discover` and `tools/list`, as JSON text."""
    options = initialization_options(built.server)
    introduction = {
        "capabilities": options.capabilities.model_dump(by_alias=True, mode="json", exclude_none=True),
        "serverInfo": built.server.server_info_stamp,
        "instructions": options.instructions,
    }
    return {
        "format": 1,
        "versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "initialize": orjson.dumps(introduction).decode(),
        "list": _text(built.listing.result(modern=False)),
        "modern": {
            version: {"list": _text(built.listing.result(modern=True)), "discover": _text(_discover(built, version))}
            for version in MODERN_PROTOCOL_VERSIONS
        },
    }


def _discover(built: Built, version: str) -> dict[str, Any]:
    found = DiscoverResult(
        supported_versions=list(MODERN_PROTOCOL_VERSIONS),
        capabilities=built.server.get_capabilities(protocol_version=version),
        instructions=built.server.instructions,
    ).model_dump(by_alias=True, mode="json", exclude_none=True)
    return Listing.stamped({**found, "ttlMs": TTL_MS, "cacheScope": "public"})


def _text(result: dict[str, Any] | None) -> str | None:
    return None if result is None else orjson.dumps(result).decode()
