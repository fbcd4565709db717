"""Calls without a session: each has a process and a sandbox of its own, which end with it.

A fork of a shared process would be quicker, but forks share the sandbox: what one caller writes to /tmp or leaves
running, the next one sees, and a fork that crashes takes R's temporary directory along. So that a caller need
not wait for a start, the next process is made ready while this one works.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import Answer
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.live.processes import Tools
from rolltop.errors import Cancelled, RolltopError, TimeLimit

__all__ = ["Strangers"]

_PREFIX = "stranger:"
_AT_ONCE = 8
"""Calls that run at the same time; the others wait."""
_SPARES = 2
"""Most processes that wait for the next calls of one package."""
_SPARES_OF_ALL = 6
"""And of all packages together: each holds some tens of megabytes."""


@dataclass(slots=True)
class _Waiting:
    """The spare processes of one package in one language, the oldest first."""

    spares: deque[Future[Tools]] = field(default_factory=deque)
    used: float = field(default_factory=time.monotonic)


class Strangers:
    """Calls tools for callers that have no session."""

    def __init__(self, make: Callable[[Origin, str], Tools]) -> None:
        self._make = make
        self._room = threading.BoundedSemaphore(_AT_ONCE)
        self._lock = threading.Lock()
        self._waiting: dict[tuple[Path, str], _Waiting] = {}
        self._running: dict[str, Tools] = {}
        self._starting: set[Tools] = set()
        self._starter = ThreadPoolExecutor(_SPARES, thread_name_prefix="rolltop-catalog-spare")
        # Its own threads: an end does not wait for starts, nor an answer for the end.
        self._ender = ThreadPoolExecutor(_SPARES, thread_name_prefix="rolltop-catalog-end")
        self._closed = False

    @staticmethod
    def new_key() -> str:
        """A name for one call, by which `end` finds it."""
        return _PREFIX + secrets.token_urlsafe(9)

    @staticmethod
    def is_key(key: str) -> bool:
        return key.startswith(_PREFIX)

    def call(
        self, key: str, origin: Origin, definition: Definition, arguments: Mapping[str, Any], seconds: float
    ) -> Answer:
        """Call a tool in a process that nobody used before and nobody will use again."""
        if not self._room.acquire(timeout=seconds):
            raise TimeLimit(
                f"{_AT_ONCE} calls were running all the time, and none ended within {seconds:g} s",
                hint="Try again later.",
            )
        try:
            tools, spares = self._taken(origin, definition)
        except BaseException:
            self._room.release()
            raise
        self._running[key] = tools
        try:
            self._prepare(origin, definition, spares)
            return tools.call(definition, arguments, seconds)
        finally:
            del self._running[key]
            self._finish(tools)

    def _finish(self, tools: Tools) -> None:
        try:
            self._ender.submit(self._ended, tools)
        except RuntimeError:  # the catalog was closed in the meantime
            self._ended(tools)

    def _ended(self, tools: Tools) -> None:
        try:
            tools.close()
        finally:
            self._room.release()

    def end(self, key: str) -> None:
        """End a call that its caller gave up."""
        if (tools := self._running.get(key)) is not None:
            tools.close()

    def unload(self, path: Path) -> None:
        """End the spares of a package: the next call loads it as it is now."""
        self._end(lambda place, _: place[0] == path)

    def rest(self, since: float) -> None:
        """End the spares of packages that nobody called since then."""
        self._end(lambda _, waiting: waiting.used < since)

    def close(self) -> None:
        """End everything, also what is just being started; returns when it is gone."""
        with self._lock:
            self._closed = True
            tools_in_use = [*self._running.values(), *self._starting]
        self._end(lambda *_: True)
        for tools in tools_in_use:
            tools.close()
        self._starter.shutdown(cancel_futures=True)
        self._ender.shutdown()

    def _taken(self, origin: Origin, definition: Definition) -> tuple[Tools, int]:
        """A process, and how many should wait after it: more where calls come quicker than processes start."""
        with self._lock:
            if self._closed:
                raise Cancelled("the catalog is closed")
            waiting = self._waiting.get((origin.path, definition.language))
            spare = waiting.spares.popleft() if waiting and waiting.spares else None
        spares = 1 if waiting is None or (spare is not None and spare.done()) else _SPARES
        # One that waits for its turn to be started is not worth waiting for; one that failed is tried anew.
        if spare is not None and not spare.cancel():
            with contextlib.suppress(RolltopError):
                return spare.result(), spares
        return self._started(origin, definition), spares

    def _started(self, origin: Origin, definition: Definition) -> Tools:
        tools = self._make(origin, definition.language)
        with self._lock:
            if self._closed:
                raise Cancelled("the catalog is closed")
            self._starting.add(tools)
        try:
            tools.warm_up(definition)
        except BaseException:
            tools.close()
            raise
        finally:
            self._starting.discard(tools)
        return tools

    def _prepare(self, origin: Origin, definition: Definition, spares: int) -> None:
        """Have processes started until so many wait."""
        place = (origin.path, definition.language)
        with self._lock:
            if self._closed:
                return
            waiting = self._waiting.pop(place, None) or _Waiting()
            self._waiting[place] = waiting  # the last place is the one that was used last
            waiting.used = time.monotonic()
            while len(waiting.spares) < spares:
                waiting.spares.append(self._starter.submit(self._started, origin, definition))
            surplus = self._surplus(place)
        _discard(surplus)

    def _surplus(self, kept: tuple[Path, str]) -> list[Future[Tools]]:
        count = sum(len(waiting.spares) for waiting in self._waiting.values())
        surplus: list[Future[Tools]] = []
        for place in [place for place in self._waiting if place != kept]:
            if count - len(surplus) <= _SPARES_OF_ALL:
                break
            surplus += self._waiting.pop(place).spares
        return surplus

    def _end(self, wanted: Callable[[tuple[Path, str], _Waiting], bool]) -> None:
        with self._lock:
            places = [place for place, waiting in self._waiting.items() if wanted(place, waiting)]
            ended = [spare for place in places for spare in self._waiting.pop(place).spares]
        _discard(ended)


def _discard(spares: Iterable[Future[Tools]]) -> None:
    for spare in spares:
        spare.cancel()
        spare.add_done_callback(_close)


def _close(spare: Future[Tools]) -> None:
    if not spare.cancelled() and spare.exception() is None:
        spare.result().close()
