"""One request to one worker and its answer, blocking or for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from dataclasses import dataclass
from random import getrandbits

from rolltop.confine.cpu_affinity import MOMENT, unpin
from rolltop.confine.wire import (
    FAILED,
    HEADER,
    LONGEST_NAME,
    OK,
    OUT_OF_MEMORY,
    WANTED,
    Library,
    decode_error,
    memory_error,
)
from rolltop.confine.worker_factory import Worker
from rolltop.errors import ForeignFailure, RolltopError, SizeLimit

__all__ = ["Answer", "Stale", "ask", "ask_async", "died"]

_CHUNK = 1 << 16
_TIMEVAL = struct.Struct("@ll")


class Stale(Exception):
    """The worker was gone before it had the whole request: the job did not run, another worker may take it."""


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


def ask(
    worker: Worker, job: int, payload: bytes, seconds: float, most: int, *, library: Library | None = None
) -> Answer:
    """Send the payload and wait; TimeoutError after `seconds`. The worker may ask for data files meanwhile."""
    sock, buffer = worker.socket, worker.buffer
    deadline = time.monotonic() + seconds
    # The kernel's own timeout: Python's would ask the kernel to poll before every single receive.
    _set_timeouts(worker, seconds, seconds if worker.pinned is None else min(seconds, MOMENT))
    mark = getrandbits(64)
    try:
        sock.sendall(HEADER.pack(len(payload), mark, job) + payload)
    except BlockingIOError:
        raise TimeoutError from None
    except (BrokenPipeError, ConnectionResetError):
        raise Stale from None
    try:
        while True:
            have = _first(worker, buffer, deadline)
            while have < HEADER.size:
                have += _more(worker, memoryview(buffer)[have:], deadline)
            length, echoed, kind = HEADER.unpack_from(buffer)
            data = bytes(memoryview(buffer)[HEADER.size : have])
            if len(data) < length:
                data = _rest(worker, data, length, deadline, LONGEST_NAME if kind == WANTED else most)
            answer = _checked(kind, data, length, echoed == mark)
            if kind != WANTED:
                return answer
            brought = _brought(data, mark, library)
            _keep_to(worker, deadline)
            sock.sendall(brought)
    except BlockingIOError:
        raise TimeoutError from None
    except (BrokenPipeError, ConnectionResetError):
        raise died() from None


def _brought(name: bytes, mark: int, library: Library | None) -> bytes:
    """The frame with a data file that a worker asked for; whatever it asks for, it gets no error of ours."""
    data = None
    if library is not None and len(name) <= LONGEST_NAME:
        with contextlib.suppress(OSError, ValueError, RolltopError):
            data = library(name.decode("utf-8", "replace"))
    return HEADER.pack(0, mark, FAILED) if data is None else HEADER.pack(len(data), mark, OK) + data


def _checked(kind: int, data: bytes, length: int, ours: bool) -> Answer:
    if not ours or len(data) != length:
        raise ForeignFailure("the worker answered out of turn and was ended", hint="Other jobs are not affected.")
    return Answer(kind, data)


def _rest(worker: Worker, start: bytes, length: int, deadline: float, most: int) -> bytes:
    body = _room(start, length, most)
    have = len(start)
    with memoryview(body) as view:
        while have < length:
            have += _more(worker, view[have:], deadline)
    return bytes(body)


def _room(start: bytes, length: int, most: int) -> bytearray:
    if length > most:
        raise SizeLimit(f"the answer of the job has {length} bytes, more than the {most} that are allowed")
    body = bytearray(length)
    body[: len(start)] = start
    return body


def _first(worker: Worker, room: bytearray, deadline: float) -> int:
    """Receive; after a moment the worker may run anywhere."""
    if worker.pinned is not None:
        try:
            return worker.socket.recv_into(room)
        except BlockingIOError:
            unpin(worker)
            _keep_to(worker, deadline)
    return worker.socket.recv_into(room)


def _more(worker: Worker, room: memoryview, deadline: float) -> int:
    _keep_to(worker, deadline)
    got = worker.socket.recv_into(room)
    if not got:
        raise died()
    return got


def _keep_to(worker: Worker, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    _set_timeouts(worker, left, left)


def _set_timeouts(worker: Worker, sending: float, receiving: float) -> None:
    if worker.timeouts == (sending, receiving):
        return
    for option, seconds in ((socket.SO_SNDTIMEO, sending), (socket.SO_RCVTIMEO, receiving)):
        whole = int(seconds)
        value = _TIMEVAL.pack(whole, max(1, int((seconds - whole) * 1e6)))
        worker.socket.setsockopt(socket.SOL_SOCKET, option, value)
    worker.timeouts = sending, receiving


def died() -> ForeignFailure:
    return ForeignFailure(
        "the worker that ran the job died",
        hint="It probably ran out of memory or crashed inside a library; other jobs are not affected.",
    )


async def ask_async(
    worker: Worker, job: int, payload: bytes, seconds: float, most: int, *, library: Library | None = None
) -> Answer:
    """`ask` without blocking the event loop."""
    mark = getrandbits(64)
    async with asyncio.timeout(seconds):
        try:
            await _send(worker.socket, HEADER.pack(len(payload), mark, job) + payload)
        except (BrokenPipeError, ConnectionResetError):
            raise Stale from None
        try:
            while True:
                data = await _receive(worker.socket, _CHUNK)
                while len(data) < HEADER.size:
                    data += await _receive(worker.socket, HEADER.size - len(data))
                length, echoed, kind = HEADER.unpack_from(data)
                data = data[HEADER.size :]
                if len(data) < length:
                    data = await _rest_async(worker, data, length, LONGEST_NAME if kind == WANTED else most)
                answer = _checked(kind, data, length, echoed == mark)
                if kind != WANTED:
                    return answer
                await _send(worker.socket, await asyncio.to_thread(_brought, data, mark, library))
        except (BrokenPipeError, ConnectionResetError):
            raise died() from None


async def _rest_async(worker: Worker, start: bytes, length: int, most: int) -> bytes:
    body = _room(start, length, most)
    have = len(start)
    while have < length:
        piece = await _receive(worker.socket, length - have)
        body[have : have + len(piece)] = piece
        have += len(piece)
    return bytes(body)


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
            raise died()
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
