"""The stdio transport: one client, one line a message, an answer to everything that deserves one.

The SDK's own transport crosses three threads for each message and is silent about malformed input; this
one stays in the event loop and answers with JSON-RPC's error codes.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from rolltop.server.claim import Wire
from rolltop.server.lines import TOO_LONG, LineReader, LineWriter
from rolltop.server.messages import INVALID_REQUEST, Malformed, decode, encode, error_line
from rolltop.server.protocol import initialization_options

__all__ = ["serve_stdio"]

logger = logging.getLogger("rolltop.stdio")

LINE_LIMIT = 64 << 20
GRACE = 1.5
"""Seconds that calls under way get to answer after the client closed its end."""


async def serve_stdio(server: Server[Any], wire: Wire) -> None:
    """Serve until the client closes its end, the parent dies, or a signal comes."""
    reader = await LineReader.open(wire.reader, LINE_LIMIT)
    writer = await LineWriter.open(wire.writer)
    connection = _Connection(reader, writer)
    async with anyio.create_task_group() as tasks:
        _stop_on_signals(tasks.cancel_scope)
        tasks.start_soon(_stop_when_orphaned, tasks.cancel_scope)
        tasks.start_soon(connection.read)
        tasks.start_soon(connection.write)
        await server.run(connection.to_server, connection.from_server, initialization_options(server))
        await connection.written.wait()
        tasks.cancel_scope.cancel()
    writer.flush_and_close()


class _Connection:
    """Two streams of the SDK over a pair of pipes."""

    def __init__(self, reader: LineReader, writer: LineWriter) -> None:
        self._reader, self._writer = reader, writer
        self._incoming, self.to_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        self.from_server, self._outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        self._open: set[str | int] = set()
        self._idle = asyncio.Event()
        self.written = asyncio.Event()

    async def read(self) -> None:
        async with self._incoming:
            while (line := await self._reader.line()) is not None:
                await self._take(line)
            await self._drain()

    async def _take(self, line: bytes | object) -> None:
        if line is TOO_LONG:
            await self._writer.write(error_line(None, INVALID_REQUEST, f"Invalid Request: above {LINE_LIMIT} bytes"))
            return
        assert isinstance(line, bytes)
        if not line.strip():
            return
        try:
            message = decode(line)
        except Malformed as error:
            await self._writer.write(error.line())
            return
        if isinstance(message, types.JSONRPCRequest):
            self._open.add(message.id)
            self._idle.clear()
        await self._incoming.send(SessionMessage(message))

    async def _drain(self) -> None:
        """The client will send no more; what it asked for may still be answered, for a moment."""
        if self._open:
            with anyio.move_on_after(GRACE):
                await self._idle.wait()

    async def write(self) -> None:
        try:
            async with self._outgoing:
                async for session_message in self._outgoing:
                    message = session_message.message
                    await self._writer.write(encode(message))
                    if isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)):
                        self._open.discard(message.id)
                        if not self._open:
                            self._idle.set()
        finally:
            self.written.set()


def _stop_on_signals(scope: anyio.CancelScope) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, scope.cancel)


async def _stop_when_orphaned(scope: anyio.CancelScope) -> None:
    """A client that was killed may leave its end of the pipe open in another process."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - the kernel tells nobody when a parent dies
        await anyio.sleep(1.0)
    logger.info("the parent process has gone; stopping")
    scope.cancel()
