"""The stdio transport: one client, one line a message, an answer to everything that deserves one.

Two parties answer: `StdioCalls` the ordinary calls, from the moment the tools are there, and the SDK
everything else, once it is loaded (most of a second later). The SDK's own transport crosses three threads
for each message and is silent about malformed input; this one stays in the event loop and answers with
JSON-RPC's error codes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from rolltop.server.batches import Replies, is_batch, members
from rolltop.server.claim import Wire
from rolltop.server.desk import Desk
from rolltop.server.jsonrpc import INVALID_REQUEST, Malformed, checked, error_line, read
from rolltop.server.lines import TOO_LONG, LineReader, LineWriter
from rolltop.server.listing import Listing
from rolltop.server.stdiocalls import StdioCalls

if TYPE_CHECKING:
    from rolltop.server.protocol import Built
    from rolltop.server.sdk import Sdk

__all__ = ["Early", "serve_stdio"]

logger = logging.getLogger("rolltop.stdio")

LINE_LIMIT = 64 << 20
BACKLOG = 1000
GRACE = 1.5
"""Seconds that calls under way get to answer after the client closed its end."""


class Early:
    """What was read before the server was there: bytes to read first, and requests that are answered already."""

    def __init__(self, unread: bytes = b"", answered: frozenset[str | int] = frozenset(), ended: bool = False) -> None:
        self.unread, self.answered, self.ended = unread, answered, ended


async def serve_stdio(
    desk: Desk, listing: Listing, wire: Wire, load: Callable[[], Awaitable[Built]], early: Early | None = None
) -> OSError | None:
    """Serve until the client closes an end, the parent dies, or a signal comes. `load` brings the SDK.

    Gives what kept answers from being written, if anything did.
    """
    early = early or Early()
    reader = await LineReader.open(wire.reader, LINE_LIMIT, early.unread, early.ended)
    writer = await LineWriter.open(wire.writer)
    connection = _Connection(reader, writer, early.answered)
    connection.calls = StdioCalls(desk, listing, writer, connection.replies, connection.forward)
    main = asyncio.current_task()
    assert main is not None
    _stop_on_signals(main)
    tasks = [
        asyncio.create_task(connection.read()),
        asyncio.create_task(connection.unheard()),
        asyncio.create_task(connection.run_sdk(load)),
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


class _Connection:
    """Reads lines, and gives each to whoever answers it."""

    calls: StdioCalls

    def __init__(self, reader: LineReader, writer: LineWriter, answered: frozenset[str | int]) -> None:
        self._reader, self._writer = reader, writer
        self.replies = Replies(writer.write)
        self._answered = set(answered)
        self._for_sdk: asyncio.Queue[dict[str, Any]] = asyncio.Queue(BACKLOG)
        self._open: set[str | int] = set()
        self._idle = asyncio.Event()
        self._loaded = asyncio.Event()

    async def read(self) -> None:
        """Until the client closes its end; what it asked for may still be answered, for a moment."""
        while (line := await self._reader.line()) is not None:
            await self.calls.room()
            await self._take(line)
        if self._open:
            await self._loaded.wait()
        await self._finish()

    async def unheard(self) -> None:
        """Until the client stops reading; what it asked for may still be done, for a moment."""
        await self._writer.over()
        await self._finish()

    async def _finish(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await self.calls.finished()
                if self._open:
                    await self._idle.wait()

    async def _take(self, line: bytes | object) -> None:
        if line is TOO_LONG:
            await self._writer.write(error_line(None, INVALID_REQUEST, f"Invalid Request: above {LINE_LIMIT} bytes"))
            return
        assert isinstance(line, bytes)
        if not line.strip():
            return
        try:
            for document in await self._messages(read(line)):
                if document.get("method") == "notifications/cancelled":
                    await self.replies.withdraw((document.get("params") or {}).get("requestId"))
                if not self.calls.take(document):
                    await self.forward(document)
        except Malformed as error:
            await self._writer.write(error.line())

    async def _messages(self, document: Any) -> list[dict[str, Any]]:
        """One message, or those of a batch."""
        if not is_batch(document, self.calls.revision):
            return [checked(document)]
        good, bad = members(document)
        await self.replies.expect(good, bad)
        return good

    async def forward(self, document: dict[str, Any]) -> None:
        """Leave a message for the SDK, which may not be there yet."""
        if "method" in document and "id" in document:
            self._open.add(document["id"])
            self._idle.clear()
        await self._for_sdk.put(document)

    async def run_sdk(self, load: Callable[[], Awaitable[Built]]) -> None:
        built = await load()
        from rolltop.server.sdk import Sdk  # noqa: PLC0415 - comes with what was just loaded

        sdk = Sdk(built.server)
        self._loaded.set()
        feeding = asyncio.create_task(self._feed(sdk))
        try:
            await sdk.run(self._deliver)
        finally:
            feeding.cancel()

    async def _feed(self, sdk: Sdk) -> None:
        while True:
            document = await self._for_sdk.get()
            try:
                await sdk.send(document)
            except Malformed as error:
                await self.replies.send(error.request_id, error.line())

    async def _deliver(self, line: bytes, answers: str | int | None) -> None:
        """Write what the SDK says, unless it answers what was answered before it was there."""
        if answers is not None and answers in self._answered:
            self._answered.discard(answers)
        else:
            await self.replies.send(answers, line)
        if answers is not None:
            self._open.discard(answers)
            if not self._open:
                self._idle.set()


def _stop_on_signals(main: asyncio.Task[Any]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, main.cancel)


async def _parent_gone(parent: int) -> None:
    """A client that was killed may leave its end of the pipe open in another process."""
    while os.getppid() == parent:  # noqa: ASYNC110 - the kernel tells nobody when a parent dies
        await asyncio.sleep(1.0)
    logger.info("the parent process has gone; stopping")
