"""Calls without a session: each runs in a fork of a template that has loaded the package and never ran a call.

A template runs one call at a time in its own sandbox. What a call left is looked for from outside before the next
one may use the sandbox; a template that is not exactly as it was is replaced.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rolltop.catalog.definition import Definition
from rolltop.catalog.live.answer import Answer
from rolltop.catalog.live.origin import Origin
from rolltop.catalog.live.processes import Tools, tools_for
from rolltop.confine import Cancel, Limits
from rolltop.confine.pool import Pool
from rolltop.confine.warm_process import WarmProcess
from rolltop.errors import Cancelled, ForeignFailure, RolltopError

__all__ = ["StatelessCalls"]

_PREFIX = "stateless:"
_AT_ONCE = 8
"""Calls of one package that run at the same time; the others wait."""
_PACKAGES = 6
"""Packages whose templates are kept."""


@dataclass(slots=True, eq=False)
class _Template:
    process: WarmProcess
    prepared: set[str] = field(default_factory=set)
    """Functions whose module was loaded."""
    pristine: bool = True
    """Whether it has never answered a call itself."""


@dataclass(slots=True, eq=False)
class _Package:
    tools: Tools
    pool: Pool[_Template]
    closing: Cancel
    used: float = field(default_factory=time.monotonic)


class StatelessCalls:
    """Calls tools for callers that have no session."""

    def __init__(self, limits: Limits, max_print: int) -> None:
        self._limits, self._max_print = limits, max_print
        self._lock = threading.Lock()
        self._packages: dict[tuple[Path, str], _Package] = {}
        self._running: dict[str, _Template] = {}
        # An answer does not wait until its sandbox was looked at.
        self._finisher = ThreadPoolExecutor(2, thread_name_prefix="rolltop-catalog-finish")
        self._closed = False

    @staticmethod
    def new_key() -> str:
        """A name for one call, by which `end` finds it."""
        return _PREFIX + secrets.token_urlsafe(9)

    @staticmethod
    def is_key(key: str) -> bool:
        return key.startswith(_PREFIX)

    def call(self, key: str, origin: Origin, definition: Definition, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool in a fork that nobody used before and nobody will use again."""
        package = self._package(origin, definition.language)
        seconds = origin.limited(self._limits).seconds
        template = package.pool.take(seconds)
        self._running[key] = template
        try:
            if definition.function not in template.prepared:
                package.tools.prepare(template.process, definition)
                template.prepared.add(definition.function)

            def ask(request: Mapping[str, Any], limit: float) -> dict[str, Any]:
                try:
                    return template.process.run_job(request, limit)
                except ForeignFailure as error:
                    if error.error_type != "no_process" or not template.process.alive:
                        raise
                # It cannot fork: it answers itself, once.
                template.pristine = False
                return template.process.ask(request, limit)

            return package.tools.call(ask, definition, arguments, seconds)
        finally:
            del self._running[key]
            package.used = time.monotonic()
            self._finish(package.pool, template)

    def _finish(self, pool: Pool[_Template], template: _Template) -> None:
        def finish() -> None:
            with contextlib.suppress(RolltopError):
                if template.pristine and template.process.alive and template.process.finish_job():
                    pool.release(template)
                    return
            pool.lose(template)

        try:
            self._finisher.submit(finish)
        except RuntimeError:  # the catalog was closed meanwhile
            pool.lose(template)

    def _package(self, origin: Origin, language: str) -> _Package:
        place, surplus = (origin.path, language), []
        with self._lock:
            if self._closed:
                raise Cancelled("the catalog is closed")
            package = self._packages.pop(place, None)
            if package is None:
                tools = tools_for(origin, language, origin.limited(self._limits), self._max_print)
                closing = Cancel()
                package = _Package(tools, _pool_of(tools, closing), closing)
                surplus = [self._packages.pop(each) for each in list(self._packages)[: 1 - _PACKAGES]]
            self._packages[place] = package  # the last one is the one that was used last
            package.used = time.monotonic()
        for each in surplus:
            each.pool.close()
        return package

    def end(self, key: str) -> None:
        """End a call that its caller gave up."""
        if (template := self._running.get(key)) is not None:
            template.process.kill()

    def unload(self, path: Path) -> None:
        """End the templates of a package: the next call loads it as it is now."""
        self._drop([place for place in list(self._packages) if place[0] == path])

    def rest(self, since: float) -> None:
        """End the templates of packages that nobody called since then."""
        packages = list(self._packages.items())
        self._drop([place for place, package in packages if package.used < since and not package.pool.busy])

    def _drop(self, places: list[tuple[Path, str]]) -> None:
        with self._lock:
            dropped = [self._packages.pop(place) for place in places if place in self._packages]
        for package in dropped:
            if self._closed:
                package.closing.cancel()  # else a call that is starting its process goes on
            package.pool.close()

    def close(self) -> None:
        """End everything, also what is just being started; returns when it is gone."""
        with self._lock:
            self._closed = True
        for template in list(self._running.values()):
            template.process.kill()
        self._drop(list(self._packages))
        self._finisher.shutdown()


def _pool_of(tools: Tools, closing: Cancel) -> Pool[_Template]:
    return Pool(
        lambda: _Template(tools.start(template=True, cancel=closing)),
        _end,
        size=_AT_ONCE,
        spares=1,
    )


def _end(template: _Template) -> None:
    template.process.close()
