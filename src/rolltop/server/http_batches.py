"""Batches over HTTP (revision 2025-03-26): each message goes to the app by itself; one event stream has all answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from rolltop.server.jsonrpc import Malformed, dump, is_request

__all__ = ["serve_batch"]

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Serve = Callable[[bytes, Send], Awaitable[None]]
"""Serves the body of one message."""

_STREAM = b"text/event-stream"


async def serve_batch(documents: list[dict[str, Any]], wrong: list[Malformed], serve: Serve, send: Send) -> None:
    """Answer all messages of a batch. If the app refuses the first, the whole batch is refused."""
    funnel = _Funnel(send)
    for error in wrong:
        await funnel.event(error.line())
    # Notifications first, in order: they take effect before the requests of the batch run.
    for document in documents:
        if not is_request(document):
            await serve(dump(document), funnel.into(_One()))
    waiting = [serve(dump(document), funnel.into(_One())) for document in documents if is_request(document)]
    await asyncio.gather(*waiting)
    await funnel.end()


class _One:
    """The state of the app's response to one message."""

    status = 200
    streams = False


class _Funnel:
    """Merges the responses to all messages into one."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._turn = asyncio.Lock()
        self._started = self._refused = False

    def into(self, one: _One) -> Send:
        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                one.status = message["status"]
                kinds = [value for name, value in message["headers"] if name.lower() == b"content-type"]
                one.streams = any(kind.startswith(_STREAM) for kind in kinds)
            elif body := message.get("body", b""):
                await (self._pass(body) if one.streams else self._one(one.status, body))

        return send

    async def event(self, line: bytes) -> None:
        await self._pass(b"event: message\r\ndata: " + line + b"\r\n\r\n")

    async def end(self) -> None:
        if self._refused:
            return
        if self._started:
            await self._send({"type": "http.response.body", "body": b""})
        else:  # no request in the batch
            await self._send({"type": "http.response.start", "status": 202, "headers": [(b"content-length", b"0")]})
            await self._send({"type": "http.response.body", "body": b""})

    async def _one(self, status: int, body: bytes) -> None:
        """Handle a response that is not a stream: an answer, or a refusal of the client."""
        if status < 400 or self._started:
            await self.event(body)
        elif not self._refused:
            self._refused = True
            headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
            await self._send({"type": "http.response.start", "status": status, "headers": headers})
            await self._send({"type": "http.response.body", "body": body})

    async def _pass(self, part: bytes) -> None:
        if self._refused:
            return
        async with self._turn:
            if not self._started:
                self._started = True
                headers = [(b"content-type", _STREAM), (b"cache-control", b"no-cache, no-transform")]
                await self._send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._send({"type": "http.response.body", "body": part, "more_body": True})
