"""News of changes: a tool says that something changed, whoever serves clients passes it on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Change", "Changes", "Kind"]

logger = logging.getLogger("mcp_core.changes")

Kind = Literal["tools", "prompts", "resources", "resource"]


@dataclass(frozen=True, slots=True)
class Change:
    """A list changed (`tools`, `prompts`, `resources`), or one `resource` did."""

    kind: Kind
    uri: str | None = None


class Changes:
    """Fan-out to listeners; may be published to from any thread. Listeners must not block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[object, Callable[[Change], None]] = {}

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        token = object()
        with self._lock:
            self._listeners[token] = listener

        def unsubscribe() -> None:
            with self._lock:
                self._listeners.pop(token, None)

        return unsubscribe

    def publish(self, kind: Kind, uri: str | None = None) -> None:
        with self._lock:
            listeners = list(self._listeners.values())
        for listener in listeners:
            try:
                listener(Change(kind, uri))
            except Exception:
                logger.exception("a listener for changes failed")
