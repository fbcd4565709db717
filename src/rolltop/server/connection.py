"""`Connection`: what a transport knows about the client. It is passed along with every request.

It holds the client, the principal, the protocol revision, the channel to the client, and the SDK's handler for
methods that `RequestPath` does not answer. Imports no MCP library: over stdio, the first calls are answered before
the SDK is loaded.
"""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from mcp_core import CannotAsk, ClientInfo, InputNeeded, Reply, ToolContext
from mcp_core.jsonable import without_surrogates
from mcp_core.log import one_line
from rolltop.access import Role, is_member
from rolltop.server.jsonrpc import Document
from rolltop.server.permissions import permit_for
from rolltop.server.start_cache import HANDSHAKE_REVISIONS, MODERN_REVISIONS

if TYPE_CHECKING:
    from rolltop.server.application import Application
    from rolltop.workspace import Workspace

__all__ = [
    "ANONYMOUS", "CAPABILITIES_KEY", "HANDSHAKE_REVISIONS", "INFO_KEY", "LEVELS", "LOG_KEY", "MODERN_REVISIONS",
    "PROTOCOL_KEY", "Channel", "Connection", "Exchange", "LogThreshold", "client_of", "is_enveloped",
    "local_principal", "tool_context",
]  # fmt: skip

PROTOCOL_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
INFO_KEY = "io.modelcontextprotocol/clientInfo"
LOG_KEY = "io.modelcontextprotocol/logLevel"

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

ANONYMOUS = "anonymous"
"""The principal of an HTTP server without a token: nothing is kept for it from one call to the next."""

ROOTS_SECONDS = 10.0
"""Seconds to wait for a client's roots; the first start on a busy machine takes a while."""

ELICIT = "elicitation/create"
_NEEDED = {ELICIT: "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
"""The capability that a client must declare before it is asked."""


class Channel(Protocol):
    """Sends to the client while one request is being answered; the SDK's `Outbound`."""

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: Any = None
    ) -> dict[str, Any]: ...

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None: ...


class LogThreshold:
    """The least severe level of log lines that a client wants."""

    def __init__(self, level: object = "info") -> None:
        self._least = LEVELS.index("info")
        self.set(level)

    def set(self, level: object) -> None:
        """Change the level; an unknown one changes nothing."""
        if level in LEVELS:
            self._least = LEVELS.index(str(level))

    def passes(self, level: str) -> bool:
        return LEVELS.index(level) >= self._least


@dataclass(slots=True)
class Connection:
    """The client of a request. A transport makes one per request, or one for many."""

    client: ClientInfo | None
    """None until the client has introduced itself."""
    principal: str
    """The local user, the user of a token, or `ANONYMOUS`. Empty: not authenticated."""
    channel: Channel
    rest: Callable[[Document], Awaitable[Any]]
    """Answers the methods that `RequestPath` leaves to the SDK."""
    modern: bool = False
    role: Role = Role.READER
    """What the principal may do here: the least, unless the transport knows more."""
    log_threshold: LogThreshold = field(default_factory=LogThreshold)
    """For revisions with `logging/setLevel`; later ones ask with each request."""
    plain_results: bool = False
    """True where the SDK writes the reply: it takes no ready-made JSON."""
    is_large: bool = False
    """Whether the message is so large that others would wait while the event loop checks it."""


class Exchange:
    """One request on our own transports, as the SDK's `DispatchContext`."""

    can_send_request = False
    message_metadata = None

    def __init__(self, connection: Connection, document: Document) -> None:
        import anyio  # noqa: PLC0415 - only the SDK's methods come here, and it has loaded anyio
        from mcp.shared.transport_context import TransportContext  # noqa: PLC0415

        self.connection = connection
        self.request_id = document.get("id")
        self.transport = TransportContext(kind="rolltop", can_send_request=False)
        self.cancel_requested = anyio.Event()
        self._token = ((document.get("params") or {}).get("_meta") or {}).get("progressToken")

    async def send_raw_request(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> dict[str, Any]:
        return await self.connection.channel.send_raw_request(method, params, opts)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        await self.connection.channel.notify(method, params, opts)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        if self._token is not None:
            await self.notify("notifications/progress", _progress(self._token, progress, total, message))


def local_principal() -> str:
    """The user that this process runs as."""
    try:
        return f"local:{getpass.getuser()}"
    except (KeyError, OSError):  # a user id without a name
        import os  # noqa: PLC0415 - seldom needed

        return f"local:{os.getuid()}"


def is_enveloped(document: Document) -> bool:
    """True if a request carries the envelope of 2026-07-28; half of one counts."""
    meta = (document.get("params") or {}).get("_meta")
    return isinstance(meta, dict) and PROTOCOL_KEY in meta


def client_of(info: Any, capabilities: Any, protocol: str, transport: str, session: str = "") -> ClientInfo:
    """The client, from what it sent about itself."""
    named = info if isinstance(info, dict) else {}
    offered = capabilities if isinstance(capabilities, dict) else {}
    known = {name for name in ("sampling", "roots") if isinstance(offered.get(name), dict)}
    asked = offered.get("elicitation")
    # An empty elicitation capability means forms; one that names only URLs does not include them.
    if isinstance(asked, dict) and (asked.get("form") is not None or asked.get("url") is None):
        known.add("elicitation")
    name, version = named.get("name", "unknown"), named.get("version", "")
    return ClientInfo(str(name), str(version), protocol, transport, frozenset(known), session)


def tool_context(application: Application, connection: Connection, params: Mapping[str, Any]) -> ToolContext[Workspace]:
    """The context of one call. Everything it sends to the client goes through the connection."""
    assert connection.client is not None
    meta = params.get("_meta") or {}
    questions = _Questions(connection, params)
    token = meta.get("progressToken")
    threshold = connection.log_threshold
    if connection.modern:
        threshold = LogThreshold(meta[LOG_KEY]) if LOG_KEY in meta else None  # type: ignore[assignment]

    async def progress(done: float, total: float | None, message: str | None) -> None:
        if token is not None:
            await connection.channel.notify("notifications/progress", _progress(token, done, total, message))

    async def log(message: str, level: str) -> None:
        known = level if level in LEVELS else "info"
        if threshold is not None and threshold.passes(known):
            line = {"level": known, "logger": "rolltop", "data": without_surrogates(message)}
            await connection.channel.notify("notifications/message", line)

    return application.context(
        connection.client,
        principal=None if connection.principal == ANONYMOUS else connection.principal,
        permit=permit_for(connection.role),
        share=connection.principal if is_member(connection.principal) else None,
        progress_sink=progress,
        asker=questions.form,
        client_asker=questions.many,
        roots_source=questions.roots,
        log_sink=log,
        is_large=connection.is_large,
    )


def _progress(token: str | int, done: float, total: float | None, message: str | None) -> dict[str, Any]:
    sent: dict[str, Any] = {"progressToken": token, "progress": done}
    if total is not None:
        sent["total"] = total
    if message is not None:
        sent["message"] = without_surrogates(message)
    return sent


class _Questions:
    """Requests of one call to the client and its user, in both protocol eras.

    Up to 2025-11-25 the server sends a request and waits. From 2026-07-28 on the call ends with `input_required`
    and the client calls again with the answers. Earlier questions and answers travel in `requestState`, which is
    sealed and bound to the same arguments; an answer to a question that was not asked is ignored.
    """

    def __init__(self, connection: Connection, params: Mapping[str, Any]) -> None:
        self._connection, self._params = connection, params
        self._answered: dict[str, Any] | None = None

    async def form(self, key: str, message: str, schema: Mapping[str, Any]) -> Reply:
        """A form for the human."""
        params = {"mode": "form", "message": message, "requestedSchema": schema}
        answer = (await self.many({key: {"method": ELICIT, "params": params}}))[key]
        return Reply(answer["action"], answer.get("content") or {})

    async def many(self, requests: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Send requests to the client; returns all answers, or ends the call with `input_required`."""
        client = self._connection.client
        for request in requests.values():
            if client is None or _NEEDED[request["method"]] not in client.capabilities:
                needed = _NEEDED[request["method"]]
                raise CannotAsk(f"this client cannot be asked: it does not declare {needed}")
        if self._connection.modern:
            return self._from_retry(requests)
        return {key: await self._by_request(request) for key, request in requests.items()}

    async def roots(self) -> Sequence[str]:
        """The directories that the client works in.

        Roots are deprecated since 2026-07-28 and cannot be asked for without ending the call: only clients of
        older revisions that declare the capability are asked.
        """
        client = self._connection.client
        if self._connection.modern or client is None or "roots" not in client.capabilities:
            return ()
        try:
            async with asyncio.timeout(ROOTS_SECONDS):
                answer = await self.many({"roots": {"method": "roots/list"}})
        except (CannotAsk, TimeoutError):
            return ()
        return [str(root["uri"]) for root in answer["roots"]["roots"]]

    def _from_retry(self, requests: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        from rolltop.server.sdk import earlier_answers  # noqa: PLC0415 - needs the SDK's types

        if self._answered is None:  # they can be used once
            self._answered = earlier_answers(self._params)
        answered = self._answered
        missing = {key: request for key, request in requests.items() if key not in answered}
        if missing:
            raise InputNeeded({"requests": missing, "answered": answered})
        return {key: answered[key] for key in requests}

    async def _by_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        # The channel waits for the SDK if it is still being loaded; only then may its modules be imported here.
        try:
            answer = await self._connection.channel.send_raw_request(request["method"], request.get("params"))
        except Exception as error:
            from mcp.shared.exceptions import MCPError  # noqa: PLC0415

            if not isinstance(error, MCPError):
                raise
            raise CannotAsk(f"the client did not answer: {one_line(error)}") from None
        from rolltop.server.sdk import checked_answer  # noqa: PLC0415

        checked = checked_answer(request["method"], answer)
        if checked is None:
            raise CannotAsk("the client did not answer: its reply has another form")
        return checked
