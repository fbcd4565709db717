"""One order from two: what the keywords find and what the vectors find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Fused", "fuse"]


@dataclass(frozen=True, slots=True)
class Fused:
    """A document with its place in the common order; the parts say where its score comes from."""

    document: int
    score: float
    words: float
    meaning: float

    @property
    def parts(self) -> dict[str, float]:
        return {name: part for name, part in (("words", self.words), ("meaning", self.meaning)) if part}


def fuse(keyword: Sequence[tuple[int, float]], near: Sequence[tuple[int, float]], trust: float) -> list[Fused]:
    """Documents of both lists by a common score from 0 to 1, the best first."""
    words = dict(_relative(keyword, floor=0.0))
    meanings = dict(_relative(near, floor=near[-1][1] if near else 0.0))
    fused = [
        _added(document, (1 - trust) * words.get(document, 0.0), trust * meanings.get(document, 0.0))
        for document in {**words, **meanings}
    ]
    return sorted(fused, key=lambda each: (-each.score, each.document))


def _added(document: int, words: float, meaning: float) -> Fused:
    return Fused(document, words + meaning, words, meaning)


def _relative(scores: Sequence[tuple[int, float]], floor: float) -> list[tuple[int, float]]:
    """Scores between `floor` and the best one as numbers from 0 to 1."""
    best = max((score for _, score in scores), default=0.0)
    span = best - floor
    return [(document, (score - floor) / span if span > 0 else 1.0) for document, score in scores]
