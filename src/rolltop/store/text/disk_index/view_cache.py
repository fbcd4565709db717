"""What has been found out about words while one state of the index is looked at.

The same words come again and again, in one query and from query to query: their forms, how many documents have them,
and what is asked for them. All of it is only true of one state, and goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from rolltop.store.text.query.plan import Plan

__all__ = ["Memory", "Remembered"]

K = TypeVar("K")
V = TypeVar("V")

MOST = 20_000
"""Things of a kind that are remembered; a few megabytes."""

MOST_PLANS = 4_000


class Remembered(Generic[K, V]):
    """What was found out for a key; everything is forgotten when it becomes too much."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._found: dict[K, V] = {}
        self.known = self._found.get

    def keep(self, key: K, value: V) -> V:
        if len(self._found) >= self._most:
            self._found.clear()
        self._found[key] = value
        return value


@dataclass(frozen=True, slots=True)
class Memory:
    """All that is remembered about one state."""

    frequencies: Remembered[tuple[str, str], int] = field(default_factory=Remembered)
    forms: Remembered[str, list[str]] = field(default_factory=Remembered)
    plans: Remembered[tuple[str, str | None], Plan] = field(default_factory=lambda: Remembered(MOST_PLANS))
