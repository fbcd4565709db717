"""Responses over HTTP: JSON, an event stream for a request that takes long, one stream for a batch."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from typing import Any

from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS

from rolltop.server.jsonrpc import INVALID_REQUEST, Document, Malformed, dump, error_reply, is_request

__all__ = ["Response", "refuse", "send_empty", "send_json", "send_reply", "serve_batch"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Serve = Callable[[bytes, Send], Awaitable[None]]
"""Serves the body of one message of a batch."""

PROMPT_SECONDS = 0.5
"""A request that takes longer is answered as an event stream, so that no proxy gives up on it."""
PING_SECONDS = 15.0
_STREAM = b"text/event-stream"
_STREAM_HEADERS = [
    (b"content-type", _STREAM),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class Response:
    """The response to one request: JSON, or an event stream once the request notifies or takes long.

    It is the channel of the request's connection. This revision has no requests to clients. The stream is a task of
    its own that starts when it is needed: most requests end before.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self.send = receive, send
        self._events: list[bytes] = []
        self._changed = asyncio.Event()
        self._is_over = self._has_left = False
        self._stream: asyncio.Task[None] | None = None
        self._request: asyncio.Task[Any] | None = None

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        document = {"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}
        self._add(document)

    async def send_raw_request(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def send_reply(self, answer: Coroutine[Any, Any, Document]) -> None:
        """Await the reply and send it. A client that leaves an event stream cancels the request."""
        self._request = asyncio.current_task()
        late = asyncio.get_running_loop().call_later(PROMPT_SECONDS, self._begin)
        try:
            reply = await answer
            if self._stream is None:
                await send_reply(self.send, reply)
                return
            self._is_over = True
            self._add(reply)
            await self._stream
        except asyncio.CancelledError:
            if not self._has_left or self._request is None:
                raise
            self._request.uncancel()
        finally:
            late.cancel()
            if self._stream is not None:
                self._stream.cancel()  # no effect if it is done

    def _add(self, document: Document) -> None:
        self._events.append(_event(dump(document)))
        self._changed.set()
        self._begin()

    def _begin(self) -> None:
        if self._stream is None:
            self._stream = asyncio.ensure_future(self._send_events())

    async def _send_events(self) -> None:
        gone = asyncio.ensure_future(_disconnected(self._receive))
        await self.send({"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS})
        try:
            while not self._is_over or self._events:
                if self._events:
                    await self._send_part(self._take())
                elif await self._wait(gone):
                    await self._send_part(b": ping\r\n\r\n")
                if gone.done() and not self._is_over:
                    self._leave()
                    return
            await self.send({"type": "http.response.body"})
        finally:
            gone.cancel()

    async def _send_part(self, part: bytes) -> None:
        await self.send({"type": "http.response.body", "body": part, "more_body": True})

    def _take(self) -> bytes:
        taken, self._events = b"".join(self._events), []
        self._changed.clear()
        return taken

    async def _wait(self, gone: asyncio.Future[None]) -> bool:
        """Wait for an event or for the client to leave; true if neither came in time."""
        changed = asyncio.ensure_future(self._changed.wait())
        try:
            waiting: set[asyncio.Future[Any]] = {changed, gone}
            done, _ = await asyncio.wait(waiting, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            return not done
        finally:
            changed.cancel()

    def _leave(self) -> None:
        self._has_left = True
        if self._request is not None:
            self._request.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _event(line: bytes) -> bytes:
    return b"event: message\r\ndata: " + line + b"\r\n\r\n"


async def send_reply(send: Send, reply: Document) -> None:
    """A reply with the HTTP status of its error code."""
    status = ERROR_CODE_HTTP_STATUS.get(reply["error"]["code"], 200) if "error" in reply else 200
    await send_json(send, dump(reply), status)


async def send_json(send: Send, body: bytes, status: int = 200) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def send_empty(send: Send, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


async def refuse(send: Send, status: int, why: str, *, more: bool = False) -> None:
    """Answer before the body has arrived and close the connection, because the body is never read."""
    body = dump(error_reply(None, INVALID_REQUEST, why))
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": more})


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
        await self._pass(_event(line))

    async def end(self) -> None:
        if self._refused:
            return
        if self._started:
            await self._send({"type": "http.response.body", "body": b""})
        else:  # no request in the batch
            await send_empty(self._send, 202)

    async def _one(self, status: int, body: bytes) -> None:
        """Handle a response that is not a stream: an answer, or a refusal of the client."""
        if status < 400 or self._started:
            await self.event(body)
        elif not self._refused:
            self._refused = True
            await send_json(self._send, body, status)

    async def _pass(self, part: bytes) -> None:
        if self._refused:
            return
        async with self._turn:
            if not self._started:
                self._started = True
                await self._send({"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS})
            await self._send({"type": "http.response.body", "body": part, "more_body": True})
