"""What the stop-watches and the log functions of one host remember, within limits."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

__all__ = ["LEVELS", "Session", "Stopwatch"]

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
MOST_ENTRIES = 10_000
MOST_WATCHES = 1_000


@dataclass(slots=True)
class Stopwatch:
    """Laps in seconds; `began` is None while it stands."""

    began: float | None = None
    laps: int = 0
    total: float = 0.0
    least: float = 0.0
    most: float = 0.0

    def lap(self, seconds: float) -> None:
        self.least = seconds if not self.laps else min(self.least, seconds)
        self.most = max(self.most, seconds)
        self.total += seconds
        self.laps += 1


@dataclass(slots=True)
class Session:
    """Mutable state that belongs to a host, not to the process; the oldest log entries go first."""

    watches: dict[str, Stopwatch] = field(default_factory=dict)
    entries: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MOST_ENTRIES))
    level: str = "INFO"
    forward: bool = True
    """Whether log entries also go to the host's log, besides being kept."""
    of_one_run: bool = False
    """Whether it ends with the run that it was made for."""
