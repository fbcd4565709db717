"""Newline-delimited messages over a pair of descriptors, with backpressure in both directions.

The event loop watches pipes, sockets and terminals. epoll refuses regular files and /dev/null: those are read by a
thread and written directly. A line above the limit is dropped and reported, and reading goes on after it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from collections import deque
from typing import cast

__all__ = ["TOO_LONG", "LineReader", "LineWriter"]

logger = logging.getLogger("rolltop.stdio")

TOO_LONG = object()
"""Returned in place of a line above the limit."""
_BACKLOG = 256
_CHUNK = 1 << 18


class LineReader(asyncio.Protocol):
    """Reads lines; stops reading while `_BACKLOG` lines wait to be taken."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._held = 0
        self._dropping = False
        self._lines: deque[bytes | object] = deque()
        self._eof = False
        self._wake: asyncio.Future[None] | None = None
        self._transport: asyncio.ReadTransport | None = None
        self._paused = False

    @classmethod
    async def open(cls, descriptor: int, limit: int, unread: bytes = b"", ended: bool = False) -> LineReader:
        """Read the lines of `unread`, then those of the descriptor unless it has `ended`."""
        reader = cls(limit)
        loop = asyncio.get_running_loop()
        if unread:
            reader.data_received(unread)
        if ended:
            reader._end()
        elif _can_be_watched(descriptor):
            await loop.connect_read_pipe(lambda: reader, os.fdopen(descriptor, "rb", 0))
        else:
            loop.run_in_executor(None, reader._read_file, descriptor, loop)
        return reader

    async def line(self) -> bytes | object | None:
        """The next line without its end, `TOO_LONG`, or None at the end of input."""
        while not self._lines:
            if self._eof:
                return None
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        line = self._lines.popleft()
        if self._paused and len(self._lines) < _BACKLOG // 2 and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return line

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.ReadTransport, transport)  # uvloop's transports do not inherit from asyncio's

    def data_received(self, data: bytes) -> None:
        *complete, rest = data.split(b"\n")
        for piece in complete:
            self._finish(piece)
        if rest:
            self._hold(rest)
        if len(self._lines) > _BACKLOG and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._notify()

    def eof_received(self) -> bool:
        self._end()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        if self._held > self._limit:
            self._parts.clear()
            self._dropping = True
        else:
            self._parts.append(piece)

    def _finish(self, piece: bytes) -> None:
        self._hold(piece)
        self._lines.append(TOO_LONG if self._dropping else b"".join(self._parts))
        self._parts, self._held, self._dropping = [], 0, False

    def _end(self) -> None:
        if not self._eof:
            if self._parts:
                self._finish(b"")
            self._eof = True
        self._notify()

    def _notify(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _read_file(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        try:
            while data := os.read(descriptor, _CHUNK):
                loop.call_soon_threadsafe(self.data_received, data)
        except OSError as error:  # a directory, or a failing disk
            logger.error("standard input cannot be read: %s", error.strerror)
        finally:
            os.close(descriptor)
            loop.call_soon_threadsafe(self._end)


class LineWriter(asyncio.Protocol):
    """Writes lines; waits while the peer does not read."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None
        self._descriptor: int | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._over = asyncio.Event()
        self.failure: OSError | None = None
        """The error that ended writing, except that the peer closed its end."""

    @classmethod
    async def open(cls, descriptor: int) -> LineWriter:
        writer = cls()
        if _can_be_watched(descriptor):
            loop = asyncio.get_running_loop()
            await loop.connect_write_pipe(lambda: writer, os.fdopen(descriptor, "wb", 0))
        else:
            writer._descriptor = descriptor
        return writer

    @property
    def closed(self) -> bool:
        return self._over.is_set()

    async def over(self) -> None:
        """Wait until nothing more can be written."""
        await self._over.wait()

    async def write(self, line: bytes) -> None:
        if self.closed:
            return
        if self._descriptor is not None:
            self._write_now(self._descriptor, line + b"\n")
        else:
            assert self._transport is not None
            self._transport.write(line + b"\n")
            if not self._writable.is_set():
                await self._writable.wait()

    def _write_now(self, descriptor: int, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(descriptor, data) :]
        except OSError as error:
            self.failure = error
            self._over.set()

    def flush_and_close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._over.set()
        self._writable.set()


def _can_be_watched(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
