"""One order from two: what the keywords find and what the vectors find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Blend", "Candidate", "Fused", "fuse"]

FAR = 100
"""Nearness is measured from this place of the order on: what is farther says nothing about the query."""


@dataclass(frozen=True, slots=True)
class Blend:
    """How much counts what, beside the words; as tuned by bench/meaning.py.

    The best document by its words counts 1 for them: 2 would be twice as much. `all_words` is for documents that hold
    every word. `in_order` is for words that stand one after the other, as in a heading: who types a line of a document
    means that document, whatever else is near.
    """

    nearness: float
    all_words: float = 0.5
    in_order: float = 4.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that either leg found, with the scores of both: none is missing because only one of them found it."""

    document: int
    words: float
    """What any of the words are worth in it."""
    all_words: float
    """What they are worth in it if it holds all of them, with what it is worth that they stand in order; else 0."""
    nearness: float | None
    """How near it is; None where that is not known (yet)."""
    fields: Mapping[str, float] = field(default_factory=dict)
    """What its words are worth by field."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A document with its place in the common order; the parts say where its score comes from."""

    document: int
    score: float
    words: float
    meaning: float
    fields: Mapping[str, float] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, float]:
        """The words by field where the fields are known."""
        whole = sum(self.fields.values())
        words = {name: self.words * part / whole for name, part in self.fields.items()} if whole else {}
        parts = {**(words or {"words": self.words}), "meaning": self.meaning}
        return {name: part for name, part in parts.items() if part}


def fuse(candidates: Sequence[Candidate], blend: Blend) -> list[Fused]:
    """The candidates by a common score from 0 to 1, the best first."""
    best = max((each.all_words for each in candidates), default=0.0)
    parts = (
        (1.0, _relative([each.words for each in candidates])),
        (blend.all_words, _relative([each.all_words for each in candidates])),
        (blend.in_order, _relative([_in_order(each) for each in candidates], best)),
        (blend.nearness, _nearness([each.nearness for each in candidates])),
    )
    whole = sum(weight for weight, shares in parts if any(shares)) or 1.0
    weighted = [[weight * share / whole for share in shares] for weight, shares in parts]
    fused = [
        _added(each, sum(words), near)
        for each, words, near in zip(candidates, zip(*weighted[:3], strict=True), weighted[3], strict=True)
    ]
    return sorted(fused, key=lambda each: (-each.score, each.document))


def _in_order(candidate: Candidate) -> float:
    """With all words there, both scores are the same but for this."""
    return max(0.0, candidate.all_words - candidate.words)


def _added(candidate: Candidate, words: float, meaning: float) -> Fused:
    return Fused(candidate.document, words + meaning, words, meaning, candidate.fields)


def _nearness(scores: Sequence[float | None]) -> list[float]:
    """From 0, for the hundredth of the nearest and all beyond, to 1; beyond is also what is not known."""
    known = sorted((score for score in scores if score is not None), reverse=True)
    if not known:
        return [0.0] * len(scores)
    far = known[min(FAR, len(known)) - 1]
    span = known[0] - far
    return [_clipped((score - far) / span if span > 0 else 1.0) if score is not None else 0.0 for score in scores]


def _clipped(share: float) -> float:
    return min(1.0, max(0.0, share))


def _relative(scores: Sequence[float], best: float | None = None) -> list[float]:
    """As shares of the best one."""
    whole = max(scores, default=0.0) if best is None else best
    return [score / whole if whole > 0 else 0.0 for score in scores]
