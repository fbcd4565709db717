"""How many calls a caller may make: a bucket that holds one minute's worth and refills all the time.

It is there for the agent that runs in a circle and for the client that means harm, not to slow anybody
down: a caller who stays below the rate never waits, and an idle minute pays for a burst.
"""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Pace"]

MOST_CALLERS = 1_024
"""Callers that are remembered; one that was forgotten begins with a full bucket."""


class Pace:
    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity, self._clock = float(per_minute), clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, caller: str) -> float:
        """0.0 if the caller may call now, and the call is counted; otherwise the seconds until it may."""
        now = self._clock()
        left, since = self._buckets.pop(caller, (self._capacity, now))
        left = min(self._capacity, left + (now - since) * self._capacity / 60)
        allowed = left >= 1
        self._buckets[caller] = (left - 1 if allowed else left, now)
        if len(self._buckets) > MOST_CALLERS:
            del self._buckets[next(iter(self._buckets))]  # the one that has been silent longest
        return 0.0 if allowed else (1 - left) * 60 / self._capacity
