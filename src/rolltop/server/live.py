"""Tools that come from data: registered at the start, and again when the data changes."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable
from typing import Any

from mcp_core import LiveTools, Registry, ToolSpec
from mcp_core.log import one_line

__all__ = ["LiveSet"]

logger = logging.getLogger("rolltop.live")


class LiveSet:
    """Keeps the registry in step with one source; a tool that cannot be registered stops no other."""

    def __init__(
        self,
        registry: Registry,
        source: LiveTools,
        register: Callable[[ToolSpec], str | None],
        announce: Callable[[], None],
    ) -> None:
        self._registry = registry
        self._source = source
        self._register = register
        self._announce = announce
        self._lock = threading.Lock()
        self._served: dict[str, tuple[str, ToolSpec]] = {}
        self._update()
        self._stop = source.watch(self.changed)

    def changed(self) -> None:
        """Register what is new, remove what is gone, and tell clients if the list is another one now."""
        if self._update():
            self._announce()

    def close(self) -> None:
        self._stop()

    def _update(self) -> bool:
        with self._lock:
            wanted = {spec.name: spec for spec in self._source.specs()}
            stale = [
                name
                for name, (_, spec) in self._served.items()
                if name not in wanted or _face(wanted[name]) != _face(spec)
            ]
            for name in stale:
                self._registry.remove(self._served.pop(name)[0])
            fresh = [spec for name, spec in wanted.items() if name not in self._served]
            added = [self._add(spec) for spec in fresh]
            return bool(stale) or any(added)

    def _add(self, spec: ToolSpec) -> bool:
        try:
            with warnings.catch_warnings():
                # Names of users' functions are theirs; a long one is worth no warning that stops them.
                warnings.simplefilter("ignore")
                final = self._register(spec)
        except Exception as error:
            logger.warning("the tool %s is not served: %s", spec.name, one_line(error))
            return False
        if final is not None:
            self._served[spec.name] = (final, spec)
        return final is not None


def _face(spec: ToolSpec) -> tuple[Any, ...]:
    """What a client sees of a tool."""
    return (spec.schema, spec.documentation, spec.annotations, spec.consent)
