"""Segments for frames that are searched directly so far, built beside the searches that noticed them."""

from __future__ import annotations

import contextlib
import threading

from rolltop.errors import RolltopError
from rolltop.store.grep.engine import Grep

__all__ = ["Background"]

WORTHWHILE = 256
"""So many frames without a segment are worth building one."""


class Background:
    """One thread at a time, started when there is enough to do."""

    def __init__(self, grep: Grep) -> None:
        self._grep = grep
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def wanted(self) -> None:
        """Start building if there is enough to build and nobody is at it."""
        with self._lock:
            busy = self._thread is not None and self._thread.is_alive()
            if not busy and self._grep.uncovered() >= WORTHWHILE:
                self._thread = threading.Thread(target=self._build, name="store-segments", daemon=True)
                self._thread.start()

    def _build(self) -> None:
        # Damage is reported by the search that meets it; here it only means that there is no segment.
        with contextlib.suppress(RolltopError, OSError):
            self._grep.index_pending(least=32)

    def stop(self) -> None:
        thread = self._thread
        if thread is not None:
            thread.join()
