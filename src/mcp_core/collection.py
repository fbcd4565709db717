"""Where declared tools wait for a server.

Two structures: *pending*, which `drain` swaps out (a tool is handed over once), and the permanent
*catalogue*, from which a second server in the same process gets its tools too. Declaring happens at
import, where nothing can be awaited, so a thread lock guards both.
"""

from __future__ import annotations

import threading

from mcp_core.spec import ToolFunction, ToolSpec

__all__ = ["Collection", "DuplicateTool"]


class DuplicateTool(ValueError):
    """Two tools of one name; the message names both places."""

    def __init__(self, name: str, first: str, second: str) -> None:
        super().__init__(f"two tools are called {name!r}: {first} and {second}")


class Collection:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pending: dict[str, ToolSpec] = {}
        self._catalogue: dict[tuple[str, str], ToolSpec] = {}

    def add(self, spec: ToolSpec) -> None:
        with self._lock:
            self._refuse_duplicate(spec)
            self._pending[spec.name] = spec
            self._catalogue[spec.toolset, spec.name] = spec

    def _refuse_duplicate(self, spec: ToolSpec) -> None:
        known = self._pending.get(spec.name)
        if known is None and spec.toolset:
            known = self._catalogue.get((spec.toolset, spec.name))
        # The same place again is a module that was reloaded, not a second tool.
        if known is not None and _place(known) != _place(spec):
            raise DuplicateTool(spec.name, known.source, spec.source)

    def drain(self) -> dict[str, ToolFunction]:
        """Everything declared since the last drain, as functions by name."""
        with self._lock:
            drained, self._pending = self._pending, {}
        return {name: spec.func for name, spec in drained.items()}

    def specs(self, toolset: str | None = None) -> tuple[ToolSpec, ...]:
        """The catalogue, in declaration order: all of it, or one tool set's."""
        with self._lock:
            return tuple(spec for spec in self._catalogue.values() if toolset is None or spec.toolset == toolset)

    def spec_of(self, func: ToolFunction) -> ToolSpec | None:
        with self._lock:
            return next((spec for spec in self._catalogue.values() if spec.func is func), None)


def _place(spec: ToolSpec) -> tuple[str, str]:
    return spec.source.rpartition(":")[0], spec.func.__qualname__
