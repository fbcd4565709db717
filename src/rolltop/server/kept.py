"""What a server says about itself, in the form that `rolltop.boot` answers from."""

from __future__ import annotations

from typing import Any

import orjson
from mcp_types import DiscoverResult, InitializeResult
from mcp_types.methods import serialize_server_result
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from rolltop.server.listing import TTL_MS, Listing
from rolltop.server.protocol import Built, initialization_options

__all__ = ["answers_of"]


def answers_of(built: Built) -> dict[str, Any]:
    """The results of `initialize`, `server/discover` and `tools/list`, as JSON text, for each revision."""
    return {
        "format": 1,
        "initialize": {version: _text(_introduction(built, version)) for version in HANDSHAKE_PROTOCOL_VERSIONS},
        "list": _text(built.listing.result(modern=False)),
        "modern": {
            version: {"list": _text(built.listing.result(modern=True)), "discover": _text(_discover(built, version))}
            for version in MODERN_PROTOCOL_VERSIONS
        },
    }


def _introduction(built: Built, version: str) -> dict[str, Any]:
    options = initialization_options(built.server)
    introduced = InitializeResult(
        protocol_version=version,
        capabilities=options.capabilities,
        server_info=built.server.server_info,
        instructions=options.instructions,
    )
    dumped = introduced.model_dump(by_alias=True, mode="json", exclude_none=True)
    return serialize_server_result("initialize", version, dumped)


def _discover(built: Built, version: str) -> dict[str, Any]:
    found = DiscoverResult(
        supported_versions=list(MODERN_PROTOCOL_VERSIONS),
        capabilities=built.server.get_capabilities(protocol_version=version),
        instructions=built.server.instructions,
    ).model_dump(by_alias=True, mode="json", exclude_none=True)
    stamped = Listing.stamped({**found, "ttlMs": TTL_MS, "cacheScope": "public"})
    return {**serialize_server_result("server/discover", version, stamped), "_meta": stamped["_meta"]}


def _text(result: dict[str, Any] | None) -> str | None:
    return None if result is None else orjson.dumps(result).decode()
