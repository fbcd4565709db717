"""The stdio transport: one client, one JSON-RPC message per line.

It reads lines, knows the connection and writes replies; `RequestPath` answers. Tool calls are answered as soon as
the tools are loaded, everything else once the SDK is (most of a second later).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp_core import ClientInfo, ProtocolFault
from rolltop.access import Role
from rolltop.base.streams import Wire
from rolltop.server.application import Application
from rolltop.server.connection import (
    HANDSHAKE_REVISIONS,
    Connection,
    client_of,
    is_enveloped,
    local_principal,
)
from rolltop.server.jsonrpc import (
    INVALID_REQUEST,
    Document,
    Malformed,
    Replies,
    batch_members,
    checked,
    dump,
    error_reply,
    is_batch,
    is_request,
    read,
)
from rolltop.server.lines import TOO_LONG, LineReader, LineWriter
from rolltop.server.listing import Listing
from rolltop.server.request_path import RequestPath

if TYPE_CHECKING:
    from rolltop.server.sdk import Built, StreamSession

__all__ = ["Early", "serve_stdio"]

logger = logging.getLogger("rolltop.stdio")

LINE_LIMIT = 64 << 20
GRACE = 1.5
"""Seconds that requests under way get to answer after the client closed its end."""
MOST_UNREAD = 256
"""Replies that wait to be read; above it no further message is taken until the client reads."""

Load = Callable[[RequestPath], Awaitable["Built"]]


class Early:
    """What happened before the server was there: bytes read and not answered, ids answered, end of input."""

    def __init__(self, unread: bytes = b"", answered: frozenset[str | int] = frozenset(), ended: bool = False) -> None:
        self.unread, self.answered, self.ended = unread, answered, ended


async def serve_stdio(
    application: Application, listing: Listing, wire: Wire, load: Load, early: Early | None = None
) -> OSError | None:
    """Serve until the client closes an end, the parent dies, or a signal comes. `load` loads the SDK.

    Returns the error that kept replies from being written, if there was one.
    """
    early = early or Early()
    reader = await LineReader.open(wire.reader, LINE_LIMIT, early.unread, early.ended)
    writer = await LineWriter.open(wire.writer)
    session = _Session(application, listing, reader, writer, early.answered)
    main = asyncio.current_task()
    assert main is not None
    _stop_on_signals(main)
    tasks = [
        asyncio.create_task(session.read()),
        asyncio.create_task(session.unheard()),
        asyncio.create_task(session.run_sdk(load)),
        asyncio.create_task(_parent_gone(wire.parent)),
    ]
    with contextlib.suppress(asyncio.CancelledError):
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    writer.flush_and_close()
    return writer.failure


class _Channel:
    """Sends notifications and requests to the client."""

    def __init__(self, writer: LineWriter, ready: Callable[[], Awaitable[None]]) -> None:
        self._writer, self._ready = writer, ready
        self._waiting: dict[str, asyncio.Future[Document]] = {}
        self._count = 0

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        sent = {"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}
        await self._writer.write(dump(sent))

    async def send_raw_request(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> dict[str, Any]:
        await self._ready()
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - loaded by now

        self._count += 1
        request_id = f"rolltop-{self._count}"
        reply = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        sent = {"jsonrpc": "2.0", "id": request_id, "method": method, **({} if params is None else {"params": params})}
        try:
            await self._writer.write(dump(sent))
            document = await reply
        except asyncio.CancelledError:
            await self.notify("notifications/cancelled", {"requestId": request_id, "reason": "the call has ended"})
            raise
        finally:
            del self._waiting[request_id]
        if "error" in document:
            error = document["error"] if isinstance(document["error"], dict) else {}
            raise MCPError(INVALID_REQUEST, str(error.get("message", "the client answered with an error")))
        result: dict[str, Any] = document["result"]
        return result

    def resolve(self, document: Document) -> None:
        """Hand a reply of the client to whoever waits for it; others are dropped."""
        reply = self._waiting.get(document["id"]) if isinstance(document.get("id"), str) else None
        if reply is not None and not reply.done():
            reply.set_result(document)


class _Session:
    """The one connection of a stdio server."""

    def __init__(
        self,
        application: Application,
        listing: Listing,
        reader: LineReader,
        writer: LineWriter,
        answered: frozenset[str | int],
    ) -> None:
        self._reader, self._writer = reader, writer
        self._replies = Replies(writer.write)
        self._answered = set(answered)
        self._loaded = asyncio.Event()
        self._sdk: StreamSession | None = None
        self._built: Built | None = None
        self._path = RequestPath(application, listing, self._sdk_ready)
        self._channel = _Channel(writer, self._sdk_ready)
        self._connection = Connection(None, local_principal(), self._channel, self._rest, role=Role.OWNER)
        """Of a client of 2025; one of 2026 makes a new one with each request."""
        self._modern: bool | None = None
        self._handshake: asyncio.Task[None] | None = None
        self._running: dict[str | int, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._unread = 0
        self._room = asyncio.Event()
        self._room.set()

    # Reading

    async def read(self) -> None:
        """Take messages until the client closes its end; requests under way may still be answered for a moment."""
        while (line := await self._reader.line()) is not None:
            if len(self._tasks) >= MOST_UNREAD:
                await asyncio.sleep(0)  # let replies that are ready go out first
            await self._room.wait()
            await self._take_line(line)
        if self._tasks:
            await self._loaded.wait()
        await self._finish()

    async def unheard(self) -> None:
        """Wait until the client stops reading; its requests may still be carried out for a moment."""
        await self._writer.over()
        await self._finish()

    async def _finish(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                while self._tasks:
                    await asyncio.wait(list(self._tasks))

    async def _take_line(self, line: bytes | object) -> None:
        if line is TOO_LONG:
            await self._writer.write(
                dump(error_reply(None, INVALID_REQUEST, f"Invalid Request: above {LINE_LIMIT} bytes"))
            )
            return
        assert isinstance(line, bytes)
        if not line.strip():
            return
        try:
            for document in await self._messages(read(line)):
                await self._take(document)
        except Malformed as error:
            await self._writer.write(error.line())

    async def _messages(self, document: Any) -> list[Document]:
        """One message, or those of a batch."""
        client = self._connection.client
        if not is_batch(document, client.protocol if client is not None else None):
            return [checked(document)]
        good, bad = batch_members(document)
        await self._replies.expect(good, bad)
        return good

    async def _take(self, document: Document) -> None:
        if is_request(document):
            self._start(document)
        elif "method" not in document:
            self._channel.resolve(document)
        elif document["method"] == "notifications/cancelled":
            await self._cancel((document.get("params") or {}).get("requestId"))
        else:
            self._track(asyncio.create_task(self._notified(document)))

    def _start(self, document: Document) -> None:
        """Answer a request in a task. The first one decides the era of the connection."""
        begins = document["method"] == "initialize"
        if self._modern is None:
            self._modern = is_enveloped(document) and not begins
        task = asyncio.get_running_loop().create_task(self._reply(document))
        if begins and not self._modern:
            self._connection.client = _introduced(document)
            self._handshake = task
        self._running[document["id"]] = task
        self._track(task)

    def _track(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a message could not be handled", exc_info=error)

    async def _cancel(self, request_id: Any) -> None:
        """A cancelled request gets no reply."""
        await self._replies.withdraw(request_id)
        task = self._running.get(request_id) if type(request_id) in (str, int) else None
        if task is not None and task is not self._handshake:
            task.cancel()

    # Answering

    async def _reply(self, document: Document) -> None:
        request_id = document["id"]
        try:
            connection = await self._modern_connection(document) if self._modern else self._connection
            if not self._modern and is_enveloped(document) and document["method"] != "initialize":
                raise await self._wrong_era(document)
            reply = await self._path.answer(document, connection)
        except ProtocolFault as fault:
            reply = error_reply(request_id, fault.code, fault.message, fault.data)
        finally:
            if self._running.get(request_id) is asyncio.current_task():
                del self._running[request_id]
        if document["method"] == "initialize":
            if "error" in reply and not self._modern:
                self._connection.client = None
            if request_id in self._answered:  # before the server was there
                self._answered.discard(request_id)
                return
        await self._send(request_id, dump(reply))

    async def _send(self, request_id: str | int, line: bytes) -> None:
        self._unread += 1
        if self._unread >= MOST_UNREAD:
            self._room.clear()
        try:
            await self._replies.send(request_id, line)
        finally:
            self._unread -= 1
            if self._unread < MOST_UNREAD:
                self._room.set()

    async def _modern_connection(self, document: Document) -> Connection:
        await self._sdk_ready()
        from rolltop.server.sdk import route_of, serve_enveloped  # noqa: PLC0415 - loaded by now

        if document["method"] == "initialize":
            raise await self._wrong_era(document)
        route = route_of(document)
        client = client_of(route.client_info, route.client_capabilities, route.protocol_version, "stdio")

        async def rest(request: Document) -> Any:
            assert self._built is not None
            return await serve_enveloped(self._built.server, request, connection, route, duplex=True)

        connection = Connection(client, self._connection.principal, self._channel, rest, modern=True, role=Role.OWNER)
        return connection

    async def _wrong_era(self, document: Document) -> ProtocolFault:
        await self._sdk_ready()
        from rolltop.server.sdk import wrong_era  # noqa: PLC0415 - loaded by now

        return wrong_era(document, modern=bool(self._modern))

    # The SDK

    async def run_sdk(self, load: Load) -> None:
        self._built = built = await load(self._path)
        from rolltop.server.sdk import StreamSession  # noqa: PLC0415 - loaded by now

        async with built.server.lifespan(built.server):
            self._sdk = StreamSession(built.server, self._channel)
            self._loaded.set()
            try:
                await asyncio.Event().wait()
            finally:
                await self._sdk.close()

    async def _sdk_ready(self) -> None:
        await self._loaded.wait()

    async def _rest(self, document: Document) -> Any:
        """The SDK's answer to a client of 2025; `initialize` comes first."""
        await self._after_handshake()
        assert self._sdk is not None
        return await self._sdk.request(document, self._connection)

    async def _notified(self, document: Document) -> None:
        await self._after_handshake()
        assert self._sdk is not None
        connection = self._connection
        if self._modern:
            connection = Connection(None, connection.principal, self._channel, self._rest, modern=True, role=Role.OWNER)
        await self._sdk.notify(document, connection)

    async def _after_handshake(self) -> None:
        await self._loaded.wait()
        if self._handshake is not None and self._handshake is not asyncio.current_task():
            await asyncio.wait([self._handshake])


def _introduced(document: Document) -> ClientInfo | None:
    """Who a 2025 client says it is; the SDK decides whether the introduction is valid."""
    params = document.get("params") or {}
    info, version = params.get("clientInfo"), params.get("protocolVersion")
    if not isinstance(info, dict) or not isinstance(version, str) or not isinstance(params.get("capabilities"), dict):
        return None
    negotiated = version if version in HANDSHAKE_REVISIONS else HANDSHAKE_REVISIONS[-1]
    return client_of(info, params["capabilities"], negotiated, "stdio")


def _stop_on_signals(main: asyncio.Task[Any]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, main.cancel)


async def _parent_gone(parent: int) -> None:
    """A client that was killed may leave its end of the pipe open in another process."""
    while os.getppid() == parent:  # noqa: ASYNC110 - the kernel tells nobody when a parent dies
        await asyncio.sleep(1.0)
    logger.info("the parent process has gone; stopping")
