"""The levels of a client's own log, and which lines it wants. Imports nothing: ordinary calls come before the SDK."""

from __future__ import annotations

__all__ = ["LEVELS", "Threshold"]

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Threshold:
    """The least severe level that a client of 2025 wants; until it says so, info."""

    def __init__(self) -> None:
        self._least = LEVELS.index("info")

    def set(self, level: object) -> None:
        """Another level; what is none changes nothing, and the SDK says so to the client."""
        if level in LEVELS:
            self._least = LEVELS.index(str(level))

    def passes(self, level: str) -> bool:
        return LEVELS.index(level) >= self._least
