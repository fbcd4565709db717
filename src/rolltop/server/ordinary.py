"""What makes a call ordinary: it needs nothing of the protocol but an answer.

Our transports answer such calls themselves. A tool that turns out to need the client after all (a question
to the human, its roots) raises `InputNeeded` before it has done anything, and the call is made again through
the SDK; a tool that talks to the client while it works says so with the tag `talks` and is never ordinary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_core import ClientInfo, InputNeeded, ToolContext
from mcp_core.context import LogSink, no_log
from rolltop.server.desk import Desk
from rolltop.workspace import Workspace

__all__ = ["PROTOCOL_KEY", "TALKS", "client_of", "is_ordinary", "ordinary_context"]

PROTOCOL_KEY = "io.modelcontextprotocol/protocolVersion"
LOG_KEY = "io.modelcontextprotocol/logLevel"
"""With it a client of 2026 asks for lines of the log with the answer."""
TALKS = "talks"


def is_ordinary(desk: Desk, method: str, params: Mapping[str, Any], meta: Any) -> bool:
    if not isinstance(meta, dict):
        return False
    if method == "tools/list":
        return isinstance(params.get("cursor"), str | None)
    name = params.get("name")
    if type(name) is not str or not isinstance(params.get("arguments"), dict | None):
        return False
    if "progressToken" in meta or LOG_KEY in meta or "requestState" in params or "inputResponses" in params:
        return False
    registered = desk.registry.find(name)
    return registered is None or (registered.spec.consent is None and TALKS not in registered.spec.tags)


def client_of(info: Any, capabilities: Any, protocol: str, transport: str) -> ClientInfo:
    """Who calls, from the raw words of the client."""
    named = info if isinstance(info, dict) else {}
    offered = capabilities if isinstance(capabilities, dict) else {}
    known = frozenset(name for name in ("elicitation", "sampling", "roots") if isinstance(offered.get(name), dict))
    return ClientInfo(str(named.get("name", "unknown")), str(named.get("version", "")), protocol, transport, known)


def ordinary_context(
    desk: Desk, client: ClientInfo, principal: str | None = None, log: LogSink = no_log
) -> ToolContext[Workspace]:
    """A context in which every need of the client ends the call, but for lines of its log."""

    async def no_roots() -> Sequence[str]:
        if "roots" in client.capabilities:
            raise InputNeeded({})
        return ()

    return desk.context(
        client, principal=principal, asker=_not_here, client_asker=_not_here, roots_source=no_roots, log_sink=log
    )


async def _not_here(*request: Any) -> Any:
    raise InputNeeded({})
