"""The standard streams of a container: one connection that both sides write to.

HTTP clients cannot do this (the connection stops being HTTP after the first answer), so the few
bytes of HTTP that begin it are written by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal
from urllib.parse import urlsplit

from rolltop.errors import SizeLimit
from rolltop.reports.containers.engine import API, ContainerEngine, EngineError

__all__ = ["Streams", "attached", "too_much_output"]

_FRAME = struct.Struct(">BxxxI")
_CHUNK = 1 << 16


class Streams:
    """Write to standard input; read standard output and error as they come."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def write(self, data: bytes) -> None:
        with contextlib.suppress(ConnectionError):  # the program ended without reading all of it
            self._writer.write(data)
            await self._writer.drain()

    async def read(self, limit: int) -> AsyncIterator[tuple[Literal["stdout", "stderr"], bytes]]:
        """What the program writes, until it ends; more than `limit` bytes are an error."""
        left = limit
        while True:
            try:
                kind, size = _FRAME.unpack(await self._reader.readexactly(_FRAME.size))
                while size:
                    data = await self._reader.readexactly(min(size, _CHUNK))
                    size -= len(data)
                    left -= len(data)
                    if left < 0:
                        raise too_much_output(limit)
                    yield ("stderr" if kind == 2 else "stdout"), data
            except (asyncio.IncompleteReadError, ConnectionError):
                return


def too_much_output(limit: int) -> SizeLimit:
    return SizeLimit(
        f"the render printed or produced more than {limit >> 20} MiB",
        hint="Print less, make smaller figures, or raise output_limit in the [reports] settings.",
    )


@asynccontextmanager
async def attached(engine: ContainerEngine, container: str) -> AsyncIterator[Streams]:
    """Attach to a container that is not started yet, so that nothing of its output is missed."""
    reader, writer = await _connect(engine)
    try:
        writer.write(
            f"POST {API}/containers/{container}/attach?stream=1&stdin=1&stdout=1&stderr=1 HTTP/1.1\r\n"
            "Host: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n".encode()
        )
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        status = head.split(b" ", 2)[1]
        if status not in (b"101", b"200"):
            raise EngineError(f"the container engine refused to attach ({status.decode('ascii', 'replace')})")
        yield Streams(reader, writer)
    except asyncio.IncompleteReadError:
        raise EngineError("the container engine broke off while attaching") from None
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def _connect(engine: ContainerEngine) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if engine.socket is not None:
        return await asyncio.open_unix_connection(engine.socket)
    address = urlsplit(engine.host.replace("tcp://", "http://"))
    return await asyncio.open_connection(address.hostname, address.port or 2375)
