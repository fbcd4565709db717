"""`Resident`: a warm process with state that callers share."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rolltop.confine.cancellation import Cancel
from rolltop.confine.channel import OnProgress
from rolltop.confine.warm_process import WarmProcess
from rolltop.errors import Cancelled, ForeignFailure, RolltopError

__all__ = ["Resident"]


class Resident:
    """Keeps one warm process and its state. Safe to share between threads; requests run one at a time.

    The process starts with the first request, and again after a request ended it. The error of that request says that
    the state is lost. Processes that a request leaves running are killed.
    """

    def __init__(self, start: Callable[[], WarmProcess]) -> None:
        self._start = start
        self._turn = threading.RLock()
        self._process: WarmProcess | None = None
        self._closed = False
        self.generation = 0

    @property
    def process(self) -> WarmProcess | None:
        return self._process

    @contextlib.contextmanager
    def claimed(self) -> Iterator[bool]:
        """Reserve it for this thread; yields False if another thread uses it."""
        if not self._turn.acquire(blocking=False):
            yield False
            return
        try:
            yield True
        finally:
            self._turn.release()

    def ask(
        self,
        request: Mapping[str, Any],
        seconds: float,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> dict[str, Any]:
        with self._turn:
            process = self._running()
            try:
                answer = process.ask(request, seconds, on_progress, cancel)
                if not process.kill_leftovers():
                    raise ForeignFailure("what the call left running could not be ended", hint="Leave nothing running.")
            except BaseException as error:
                self._stop()
                if isinstance(error, RolltopError):
                    error.hint = f"{error.hint or ''} Its state is lost.".strip()
                raise
            return answer

    def warm_up(self) -> None:
        with self._turn:
            self._running()

    def discard(self) -> None:
        """End the process after an invalid answer; the next request starts another."""
        with self._turn:
            self._stop()

    def _running(self) -> WarmProcess:
        self._refuse_closed()
        if self._process is None:
            self._process = self._start()
            self.generation += 1
            self._refuse_closed()  # it may have been closed while it started
        return self._process

    def _refuse_closed(self) -> None:
        if self._closed:
            self._stop()
            raise Cancelled("the process is closed")

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def kill(self) -> None:
        """End what runs now; the next request starts anew."""
        if (process := self._process) is not None:
            process.kill()

    def close(self) -> None:
        """End it for good."""
        self._closed = True
        self.kill()
        with self._turn:
            self._stop()
