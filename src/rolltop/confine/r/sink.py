"""Reads what a long-lived program prints, so that it never blocks, and keeps the end of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import IO

__all__ = ["Sink"]

_KEPT = 1 << 16


class Sink:
    """A thread per stream that reads until the program is gone; `text` is the last 64 KiB of both."""

    def __init__(self, streams: Sequence[IO[bytes] | None]) -> None:
        self._lock = threading.Lock()
        self._kept = bytearray()
        self._threads = [
            threading.Thread(target=self._drain, args=(os.dup(stream.fileno()),), name="rolltop-sink", daemon=True)
            for stream in streams
            if stream is not None
        ]
        for thread in self._threads:
            thread.start()

    def _drain(self, fd: int) -> None:
        try:
            while data := os.read(fd, _KEPT):
                with self._lock:
                    self._kept = (self._kept + data)[-_KEPT:]
        except OSError:
            pass
        finally:
            os.close(fd)

    def text(self) -> str:
        with self._lock:
            return self._kept.decode("utf-8", "replace")

    def forget(self) -> None:
        """Begin anew: `text` is what comes from here on."""
        with self._lock:
            self._kept = bytearray()

    def finish(self, seconds: float = 1.0) -> None:
        for thread in self._threads:
            thread.join(seconds)
