"""Plans that ask less of the index on disk for the same answer.

Words are cheap to look up, words one after the other are not: their places are read in every document that has them
all. Where that would be very many documents, they are only looked at in those that everything else leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rolltop.store.text.query.plan import AllOf, AnyOf, Best, Plan, Raised, Run, Term, Without

__all__ = ["Thrift"]

MANY = 8000
"""Documents whose places are read without a second thought; asking two questions for one takes as long."""

_DEEPEST = 2
"""Every alternative that is set apart doubles what is asked."""


@dataclass(frozen=True, slots=True)
class Thrift:
    """Rewrites plans for an index of so many documents."""

    documents: int
    frequency: Callable[[str, str], int]

    def dear(self, plan: Plan) -> bool:
        """Whether a great many documents are likely to have all words of a run."""
        if not isinstance(plan, Run) or not self.documents:
            return False
        shares = [min(1.0, self.frequency(plan.field, word) / self.documents) for word in plan.words]
        return self.documents * math.prod(shares) > MANY

    def spread(self, plan: Plan, depth: int = 0) -> Plan:
        """The same documents and scores, where a dear alternative stands beside other demands.

        a AND (dear OR cheap) is the better of (a AND dear, raised by cheap) and (a AND cheap): so the places of the
        dear words are read only where a holds.
        """
        if isinstance(plan, Without):
            return Without(self.spread(plan.part, depth), plan.banned)
        if not isinstance(plan, AllOf) or depth >= _DEEPEST:
            return plan
        for at, part in enumerate(plan.parts):
            if not isinstance(part, AnyOf) or all(isinstance(each, Term) for each in part.parts):
                continue
            parts = list(_flat([part]))
            dear = [each for each in parts if self.dear(each)]
            cheap = tuple(each for each in parts if each not in dear)
            if len(dear) == 1 and cheap and len(plan.parts) > 1:
                others = (*plan.parts[:at], *plan.parts[at + 1 :])
                with_dear = self.spread(AllOf((*others, dear[0])), depth + 1)
                without = self.spread(AllOf((*others, AnyOf(cheap))), depth + 1)
                return Best((Raised(with_dear, cheap), without))
        return plan


def _flat(parts: Iterable[Plan]) -> Iterable[Plan]:
    """The alternatives of alternatives."""
    for part in parts:
        if isinstance(part, AnyOf):
            yield from _flat(part.parts)
        else:
            yield part
