"""One question to one worker and its answer, blocking or for asyncio."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from dataclasses import dataclass

from rolltop.confine.nursery import Worker
from rolltop.confine.wire import HEADER, OK, OUT_OF_MEMORY, decode_error, memory_error
from rolltop.errors import ForeignFailure, SizeLimit

__all__ = ["Answer", "ask", "ask_async"]

_CHUNK = 1 << 16
_TIMEVAL = struct.Struct("@ll")


@dataclass(slots=True)
class Answer:
    """What a worker said: a kind (see `wire`) and a body."""

    kind: int
    body: bytes

    @property
    def worn(self) -> bool:
        """A worker that ran out of memory once may hold on to it: it is not used again."""
        return self.kind == OUT_OF_MEMORY

    def value(self, memory: int) -> bytes:
        if self.kind == OK:
            return self.body
        raise memory_error(memory) if self.kind == OUT_OF_MEMORY else decode_error(self.body)


def ask(worker: Worker, job: int, payload: bytes, seconds: float, most: int) -> Answer:
    """Send the payload and wait; TimeoutError after `seconds`."""
    sock = worker.socket
    deadline = time.monotonic() + seconds
    # The kernel's own timeout: Python's would ask the kernel to poll before every single receive.
    if worker.patience != seconds:
        _set_patience(worker, seconds)
    try:
        sock.sendall(HEADER.pack(len(payload), job) + payload)
        data = sock.recv(_CHUNK)
        while len(data) < HEADER.size:
            data += _more(worker, deadline, HEADER.size - len(data))
        length, kind = HEADER.unpack_from(data)
        if len(data) == HEADER.size + length:
            return Answer(kind, data[HEADER.size :])
        return Answer(kind, _rest(worker, data, length, deadline, most))
    except BlockingIOError:
        raise TimeoutError from None
    except (BrokenPipeError, ConnectionResetError):
        raise _died() from None


def _rest(worker: Worker, data: bytes, length: int, deadline: float, most: int) -> bytes:
    body = _room(data, length, most)
    have = len(data) - HEADER.size
    view = memoryview(body)
    while have < length:
        _keep_to(worker, deadline)
        got = worker.socket.recv_into(view[have:])
        if not got:
            raise _died()
        have += got
    view.release()
    return bytes(body)


def _room(data: bytes, length: int, most: int) -> bytearray:
    if length > most:
        raise SizeLimit(f"the answer of the job has {length} bytes, more than the {most} that are allowed")
    body = bytearray(length)
    body[: len(data) - HEADER.size] = data[HEADER.size :]
    return body


def _more(worker: Worker, deadline: float, size: int) -> bytes:
    _keep_to(worker, deadline)
    data = worker.socket.recv(size)
    if not data:
        raise _died()
    return data


def _keep_to(worker: Worker, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    _set_patience(worker, left)


def _set_patience(worker: Worker, seconds: float) -> None:
    whole = int(seconds)
    value = _TIMEVAL.pack(whole, max(1, int((seconds - whole) * 1e6)))
    worker.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
    worker.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)
    worker.patience = seconds


def _died() -> ForeignFailure:
    return ForeignFailure(
        "the worker that ran the job died",
        hint="It probably ran out of memory or crashed inside a library; other jobs are not affected.",
    )


async def ask_async(worker: Worker, job: int, payload: bytes, seconds: float, most: int) -> Answer:
    """`ask` without blocking the event loop."""
    async with asyncio.timeout(seconds):
        try:
            await _send(worker.socket, HEADER.pack(len(payload), job) + payload)
            data = await _receive(worker.socket, _CHUNK)
            while len(data) < HEADER.size:
                data += await _receive(worker.socket, HEADER.size - len(data))
            length, kind = HEADER.unpack_from(data)
            if len(data) == HEADER.size + length:
                return Answer(kind, data[HEADER.size :])
            body = _room(data, length, most)
            have = len(data) - HEADER.size
            while have < length:
                piece = await _receive(worker.socket, length - have)
                body[have : have + len(piece)] = piece
                have += len(piece)
            return Answer(kind, bytes(body))
        except (BrokenPipeError, ConnectionResetError):
            raise _died() from None


async def _send(sock: socket.socket, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[sock.send(view, socket.MSG_DONTWAIT) :]
        except BlockingIOError:
            await _ready(sock, write=True)


async def _receive(sock: socket.socket, size: int) -> bytes:
    while True:
        try:
            data = sock.recv(min(size, 1 << 20), socket.MSG_DONTWAIT)
        except BlockingIOError:
            await _ready(sock, write=False)
            continue
        if not data:
            raise _died()
        return data


async def _ready(sock: socket.socket, *, write: bool) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    add, remove = (loop.add_writer, loop.remove_writer) if write else (loop.add_reader, loop.remove_reader)
    add(sock.fileno(), wake)
    try:
        await ready
    finally:
        remove(sock.fileno())
