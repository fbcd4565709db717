"""What scores are made of, by field: worked out along the plan, so that it adds up to the score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from rolltop.store.text.query.plan import AllOf, AnyOf, Best, Everything, Leaf, Plan, Raised, Without

__all__ = ["Parts", "Weigh", "breakdown"]

Parts = dict[str, float]
"""What each field adds to the score of a document."""

Weigh = Callable[[Plan, Sequence[int]], Iterable[tuple[int, float]]]
"""Those of some documents that answer a plan, with their scores."""

_Told = dict[int, Parts]


def breakdown(plan: Plan, documents: Sequence[int], weigh: Weigh) -> _Told:
    """What the fields add, for those of the documents that answer the plan.

    Only what counts does: of `(a b) OR c` in a document with a and c, what c is worth.
    """
    if not documents:
        return {}
    if isinstance(plan, Leaf):
        return _of_field(plan.field, plan, documents, weigh)
    if isinstance(plan, Everything):
        return {number: {} for number in documents}
    if isinstance(plan, Without):
        found = breakdown(plan.part, documents, weigh)
        banned = {number for part in plan.banned for number, _ in weigh(part, list(found))} if found else ()
        return {number: parts for number, parts in found.items() if number not in banned}
    if isinstance(plan, Raised):
        least = breakdown(plan.part, documents, weigh)
        more = [breakdown(part, list(least), weigh) for part in plan.more]
        return {number: _added([parts, *_those_of(number, more)]) for number, parts in least.items()}
    return _joined(plan, documents, weigh)


def _joined(plan: AllOf | AnyOf | Best, documents: Sequence[int], weigh: Weigh) -> _Told:
    told = [_of_field(field, part, documents, weigh) for field, part in _by_field(plan)]
    told += [breakdown(part, documents, weigh) for part in plan.parts if not isinstance(part, Leaf)]
    found: _Told = {}
    for number in documents:
        those = _those_of(number, told)
        if not those or (isinstance(plan, AllOf) and len(those) < len(told)):
            continue
        found[number] = max(those, key=_whole) if isinstance(plan, Best) else _added(those)
    return found


def _by_field(plan: AllOf | AnyOf | Best) -> list[tuple[str, Plan]]:
    """What the leaves of a plan ask of each field, as one question for each."""
    fields: dict[str, list[Plan]] = {}
    for part in plan.parts:
        if isinstance(part, Leaf):
            fields.setdefault(part.field, []).append(part)
    return [(field, leaves[0] if len(leaves) == 1 else type(plan)(tuple(leaves))) for field, leaves in fields.items()]


def _of_field(field: str, plan: Plan, documents: Sequence[int], weigh: Weigh) -> _Told:
    return {number: {field: score} if score > 0 else {} for number, score in weigh(plan, documents)}


def _those_of(number: int, told: Iterable[_Told]) -> list[Parts]:
    return [each[number] for each in told if number in each]


def _added(those: Collection[Parts]) -> Parts:
    whole: Parts = {}
    for parts in those:
        for field, score in parts.items():
            whole[field] = whole.get(field, 0.0) + score
    return whole


def _whole(parts: Parts) -> float:
    return sum(parts.values())
