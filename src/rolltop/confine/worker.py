"""A worker: lowers itself for good, then answers requests until its socket closes."""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
from collections.abc import Callable, Sequence
from typing import Any

from rolltop.confine.kernel import process
from rolltop.confine.launch import lower_limit
from rolltop.confine.wire import FAILED, HEADER, OK, OUT_OF_MEMORY, encode_error

__all__ = ["restrict_forever", "serve"]

_CHUNK = 1 << 18


def restrict_forever(settings: dict[str, Any], mother: int) -> None:
    """Everything that limits this process, before it sees its first byte of foreign data."""
    process.die_with_parent(mother)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    lower_limit(resource.RLIMIT_AS, _address_space() + settings["memory"])
    lower_limit(resource.RLIMIT_CORE, 0)
    lower_limit(resource.RLIMIT_NOFILE, 64)
    lower_limit(resource.RLIMIT_FSIZE, 0)


def _address_space() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def serve(sock: socket.socket, jobs: Sequence[Callable[[bytes], bytes]]) -> None:
    """Answer requests one after the other; returns when the pool hangs up."""
    pending = bytearray()
    while True:
        while len(pending) < HEADER.size:
            data = sock.recv(_CHUNK)
            if not data:
                return
            pending += data
        length, number = HEADER.unpack_from(pending)
        body = _body(sock, pending, length)
        if body is None:
            return
        pending.clear()
        sock.sendall(_answer(jobs[number], body))


def _body(sock: socket.socket, pending: bytearray, length: int) -> bytes | None:
    """The body of a request; a caller waits for its answer, so nothing follows it."""
    if len(pending) == HEADER.size + length:
        return bytes(memoryview(pending)[HEADER.size :])
    whole = bytearray(length)
    have = len(pending) - HEADER.size
    whole[:have] = memoryview(pending)[HEADER.size :]
    view = memoryview(whole)
    while have < length:
        got = sock.recv_into(view[have:])
        if not got:
            return None
        have += got
    view.release()
    return bytes(whole)


def _answer(job: Callable[[bytes], bytes], body: bytes) -> bytes:
    try:
        result = job(body)
        return HEADER.pack(len(result), OK) + result
    except MemoryError:
        gc.collect()
        return HEADER.pack(0, OUT_OF_MEMORY)
    except BaseException as error:
        text = encode_error(error)
        return HEADER.pack(len(text), FAILED) + text
