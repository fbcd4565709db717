"""What has been found out about words while one state of the index is looked at.

The same words come again and again, in one query and from query to query: their forms, how many documents have them,
and the questions that are made of that. All of it is only true of one state, and goes with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import tantivy

from rolltop.store.text.plan import AnyOf, Plan

__all__ = ["Made", "Memory", "Remembered"]

K = TypeVar("K")
V = TypeVar("V")
P = TypeVar("P", bound=Plan)

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


class Made(Generic[P, V]):
    """What was made of a plan: of that very one, not of one like it, because comparing would take as long as making."""

    def __init__(self) -> None:
        self._made: Remembered[int, tuple[P, V]] = Remembered(MOST_PLANS)

    def of(self, plan: P, make: Callable[[P], V]) -> V:
        found = self._made.known(id(plan))
        if found is not None and found[0] is plan:  # as long as it is kept, no other one can have its place
            return found[1]
        return self._made.keep(id(plan), (plan, make(plan)))[1]


@dataclass(frozen=True, slots=True)
class Memory:
    """All that is remembered about one state."""

    frequencies: Remembered[tuple[str, str], int] = field(default_factory=Remembered)
    forms: Remembered[str, list[str]] = field(default_factory=Remembered)
    plans: Remembered[tuple[str, str | None], Plan] = field(default_factory=lambda: Remembered(MOST_PLANS))
    queries: Made[AnyOf, tantivy.Query | None] = field(default_factory=Made)
