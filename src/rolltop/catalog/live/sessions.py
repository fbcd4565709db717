"""Who keeps which state: a session per caller, with processes of its own, ended after a time of rest."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import Answer
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.live.processes import Tools, tools_for
from rolltop.catalog.live.r_tools import NoAnswer
from rolltop.catalog.live.stateless_calls import StatelessCalls
from rolltop.confine import Limits
from rolltop.confine.pool import Pool
from rolltop.confine.resident import Resident
from rolltop.errors import NotFound

__all__ = ["Sessions"]

_HELPERS = 7
"""Processes of a session beside the one with its state, for tools without state that are called at the same time."""


class _Package:
    """The processes of one session for one package.

    The first one has the state. Calls of tools that keep none run in parallel: those that find the first process
    busy have helpers.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._first = Resident(tools.start)
        self._starting = threading.Lock()
        self._is_known = False
        """Whether the package was loaded once: then it is known which tools keep state."""
        self._helpers = Pool(lambda: Resident(tools.start), Resident.close, size=_HELPERS)

    def call(self, definition: Definition, arguments: Mapping[str, Any], seconds: float) -> Answer:
        if not self._is_known:
            with self._starting:
                if not self._is_known:
                    self._first.warm_up()
                    self._is_known = True
        if self._tools.keeps_state(definition):
            return self._called(self._first, definition, arguments, seconds)
        with self._first.claimed() as is_free:
            if is_free:
                return self._called(self._first, definition, arguments, seconds)
        helper = self._helpers.take(seconds)
        try:
            return self._called(helper, definition, arguments, seconds)
        finally:
            self._helpers.release(helper)

    def _called(
        self, resident: Resident, definition: Definition, arguments: Mapping[str, Any], seconds: float
    ) -> Answer:
        try:
            return self._tools.call(resident.ask, definition, arguments, seconds)
        except NoAnswer:
            resident.discard()
            raise

    def close(self) -> None:
        self._first.close()
        self._helpers.close()


class _Session:
    def __init__(self, initial: Mapping[str, Any]) -> None:
        self.initial = dict(initial)
        self.used = time.monotonic()
        self.calls = 0
        self.packages: dict[tuple[Path, str], _Package] = {}

    def close(self) -> None:
        for package in self.packages.values():
            package.close()
        self.packages.clear()


class Sessions:
    """Finds or makes the processes for a caller; ends those that nobody uses any more."""

    def __init__(self, limits: Limits, *, rest: float, most: int, max_print: int) -> None:
        self._limits = limits
        self._rest = rest
        self._most = most
        self._max_print = max_print
        self._lock = threading.Lock()
        self._sessions: dict[str, _Session] = {}
        self._stateless = StatelessCalls(limits, max_print)
        self._closed = threading.Event()
        self._reaper: threading.Thread | None = None

    def open_handle(self, initial: Mapping[str, Any]) -> str:
        """A new session under a name that cannot be guessed: knowing it is the right to use it."""
        handle = secrets.token_urlsafe(18)
        with self._lock:
            self._sessions[f"handle:{handle}"] = _Session(initial)
        self._start_reaper()
        self._end_the_least_used()
        return handle

    def call(self, key: str, origin: Origin, definition: Definition, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool in the session `key`; only calls that keep state take turns."""
        if StatelessCalls.is_key(key):
            self._start_reaper()
            return self._stateless.call(key, origin, definition, arguments)
        session = self._session(key)
        package = self._package(session, origin, definition.language)
        session.calls += 1
        try:
            return package.call(definition, arguments, origin.limited(self._limits).seconds)
        finally:
            session.calls -= 1
            session.used = time.monotonic()

    def end(self, key: str) -> None:
        """End the processes of a session; its state is lost."""
        if StatelessCalls.is_key(key):
            self._stateless.end(key)
            return
        with self._lock:
            session = self._sessions.pop(key, None)
        if session is not None:
            session.close()

    def unload(self, path: Path) -> None:
        """End every process that has this package loaded: the next call loads it as it is now."""
        with self._lock:
            places = [(s, place) for s in self._sessions.values() for place in list(s.packages) if place[0] == path]
            ended = [session.packages.pop(place) for session, place in places]
        self._stateless.unload(path)
        for package in ended:
            package.close()

    def close(self) -> None:
        self._closed.set()
        self._stateless.close()
        for key in list(self._sessions):
            self.end(key)

    def _session(self, key: str) -> _Session:
        with self._lock:
            session = self._sessions.get(key)
            if session is None:
                if key.startswith("handle:"):
                    raise NotFound(
                        "there is no state under that handle: it was never given out, or its time is over",
                        hint="Ask for a new one with mcptool_state_factory.",
                    )
                session = self._sessions[key] = _Session({})
            session.used = time.monotonic()
        self._start_reaper()
        self._end_the_least_used()
        return session

    def _package(self, session: _Session, origin: Origin, language: str) -> _Package:
        place = (origin.path, language)
        with self._lock:
            if place not in session.packages:
                tools = tools_for(origin, language, origin.limited(self._limits), self._max_print, session.initial)
                session.packages[place] = _Package(tools)
            return session.packages[place]

    def _end_the_least_used(self) -> None:
        with self._lock:
            idle = sorted((s.used, key) for key, s in self._sessions.items() if not s.calls)
            surplus = [key for _, key in idle[: max(0, len(self._sessions) - self._most)]]
        for key in surplus:
            self.end(key)

    def _start_reaper(self) -> None:
        with self._lock:
            if self._reaper is None and not self._closed.is_set():
                self._reaper = threading.Thread(target=self._reap, name="rolltop-catalog-reaper", daemon=True)
                self._reaper.start()

    def _reap(self) -> None:
        while not self._closed.wait(min(self._rest / 4, 30.0)):
            limit = time.monotonic() - self._rest
            with self._lock:
                rested = [key for key, s in self._sessions.items() if s.used < limit and not s.calls]
            self._stateless.rest(limit)
            for key in rested:
                self.end(key)
