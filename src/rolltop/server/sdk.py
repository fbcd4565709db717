"""The SDK's server at the end of two streams."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from rolltop.server.messages import encode, to_message
from rolltop.server.protocol import initialization_options

__all__ = ["Sdk"]

Deliver = Callable[[bytes, str | int | None], Awaitable[None]]


class Sdk:
    """Takes parsed messages, gives lines."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._incoming, self._to_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        self._from_server, self._outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def send(self, document: dict[str, Any]) -> None:
        """Hand over a message; raises `Malformed` when it is none."""
        await self._incoming.send(SessionMessage(to_message(document)))

    async def run(self, deliver: Deliver) -> None:
        """Serve; `deliver` gets each line, and the id of the request that it answers."""
        streams = self._incoming, self._to_server, self._from_server, self._outgoing
        with contextlib.ExitStack() as closing:
            for stream in streams:
                closing.callback(stream.close)
            await self._serve(deliver)

    async def _serve(self, deliver: Deliver) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._pump, deliver)
            await self._server.run(self._to_server, self._from_server, initialization_options(self._server))
            tasks.cancel_scope.cancel()

    async def _pump(self, deliver: Deliver) -> None:
        async with self._outgoing:
            async for session_message in self._outgoing:
                message = session_message.message
                replies = isinstance(message, types.JSONRPCResponse | types.JSONRPCError)
                await deliver(encode(message), message.id if replies else None)  # type: ignore[union-attr]
