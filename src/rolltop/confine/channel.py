"""Frames of JSON over a pair of pipes, with deadlines."""

from __future__ import annotations

import contextlib
import json
import os
import select
import stat
import struct
import time
from collections.abc import Callable, Mapping
from random import getrandbits
from typing import Any

from rolltop.errors import SizeLimit

__all__ = ["Channel", "Gone", "OnProgress"]

_LENGTH = struct.Struct(">I")
_TICK = 0.1


OnProgress = Callable[[Any], None]
"""Called with what R code reports on its way."""


class Gone(Exception):
    """The other side closed its pipe."""


class Channel:
    """Our ends of two pipes, and the other side's ends until it is started."""

    def __init__(self, most: int, speaker: str = "R") -> None:
        self.their_read, self._write = os.pipe2(os.O_CLOEXEC)
        self._read, self.their_write = os.pipe2(os.O_CLOEXEC)
        for fd in (self._read, self._write):
            os.set_blocking(fd, False)
        self._most = most
        self._speaker = speaker

    def close_theirs(self) -> None:
        """To be called once the other side has inherited its ends."""
        for name in ("their_read", "their_write"):
            _close(getattr(self, name))
            setattr(self, name, -1)

    def close(self) -> None:
        self.close_theirs()
        for name in ("_read", "_write"):
            _close(getattr(self, name))
            setattr(self, name, -1)

    def reset(self) -> bool:
        """Empty both pipes; false when their permissions were changed. Only when nobody uses the other side."""
        for fd in (self._read, self.their_read):
            os.set_blocking(fd, False)
            with contextlib.suppress(BlockingIOError):
                while os.read(fd, 1 << 16):
                    pass
        os.set_blocking(self.their_read, True)  # a job shares it
        return all(stat.S_IMODE(os.fstat(fd).st_mode) == 0o600 for fd in (self._read, self.their_read))

    def ask(
        self,
        request: Mapping[str, Any],
        seconds: float,
        tick: Callable[[], None],
        on_progress: OnProgress | None = None,
    ) -> dict[str, Any]:
        """Send a request and wait for its answer; `tick` is called now and then while waiting.

        Both carry a random mark. An answer with another one is left over from an earlier request, and passed over.
        """
        deadline = time.monotonic() + seconds
        mark = f"{getrandbits(64):x}"
        self._send(json.dumps({**request, "id": mark}).encode(), deadline, tick)
        while True:
            answer = self.receive(deadline, tick)
            if answer.get("id") != mark:
                continue
            if "progress" not in answer:
                return answer
            if on_progress is not None:
                on_progress(answer["progress"])

    def _send(self, body: bytes, deadline: float, tick: Callable[[], None]) -> None:
        view = memoryview(_LENGTH.pack(len(body)) + body)
        while view:
            try:
                view = view[os.write(self._write, view) :]
            except BlockingIOError:
                _wait(self._write, select.POLLOUT, deadline, tick)
            except BrokenPipeError:
                raise Gone from None

    def receive(self, deadline: float, tick: Callable[[], None]) -> dict[str, Any]:
        (length,) = _LENGTH.unpack(self._take(_LENGTH.size, deadline, tick))
        if length > self._most:
            raise SizeLimit(
                f"the answer of {self._speaker} has {length} bytes, more than the {self._most} that are allowed",
                hint="Return less: a part of it, or a summary.",
            )
        frame = json.loads(self._take(length, deadline, tick))
        if not isinstance(frame, dict):
            raise ValueError("a frame must be an object")  # noqa: TRY004 - as wrong as JSON that is none
        return frame

    def _take(self, size: int, deadline: float, tick: Callable[[], None]) -> bytes:
        have = bytearray()
        while len(have) < size:
            try:
                data = os.read(self._read, size - len(have))
            except BlockingIOError:
                _wait(self._read, select.POLLIN, deadline, tick)
                continue
            if not data:
                raise Gone
            have += data
        return bytes(have)


def _wait(fd: int, event: int, deadline: float, tick: Callable[[], None]) -> None:
    poll = select.poll()
    poll.register(fd, event)
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if poll.poll(min(left, _TICK) * 1000):
            return
        tick()


def _close(fd: int) -> None:
    if fd >= 0:
        with contextlib.suppress(OSError):
            os.close(fd)
