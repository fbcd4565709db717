"""One order from two: what the keywords find and what the vectors find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Blend", "Candidate", "Fused", "fuse"]

ROUNDING = 0.001


@dataclass(frozen=True, slots=True)
class Blend:
    """How much counts what, beside the words; as tuned by bench/meaning.py.

    The best document by its words counts 1 for them: 2 would be twice as much. `all_words` is for documents that hold
    every word. `in_order` is for words that stand one after the other, as in a heading: who types a line of a document
    means that document, whatever else is near.
    """

    nearness: float
    all_words: float = 1.0
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


@dataclass(frozen=True, slots=True)
class Fused:
    """A document with its place in the common order; the parts say where its score comes from."""

    document: int
    score: float
    words: float
    meaning: float
    fields: Mapping[str, float] = field(default_factory=dict)
    """What its words are worth by field, if that was asked for."""

    @property
    def parts(self) -> dict[str, float]:
        """The words by field where the fields are known."""
        whole = sum(self.fields.values())
        words = {name: self.words * part / whole for name, part in self.fields.items()} if whole else {}
        parts = {**(words or {"words": self.words}), "meaning": self.meaning}
        return {name: part for name, part in parts.items() if part}


def fuse(candidates: Sequence[Candidate], blend: Blend, far: float = 0.0) -> list[Fused]:
    """The candidates by a common score from 0 to 1, the best first. `far` is a nearness that says nothing."""
    parts = (
        (1.0, _relative([each.words for each in candidates])),
        (blend.all_words, _relative([each.all_words for each in candidates])),
        (blend.in_order, _relative([_in_order(each) for each in candidates])),
        (blend.nearness, _nearness([each.nearness for each in candidates], far)),
    )
    whole = sum(weight for weight, shares in parts if any(shares)) or 1.0
    weighted = [[weight * share / whole for share in shares] for weight, shares in parts]
    fused = [
        _added(each, sum(words), near)
        for each, words, near in zip(candidates, zip(*weighted[:3], strict=True), weighted[3], strict=True)
    ]
    return sorted(fused, key=lambda each: (-each.score, each.document))


def _in_order(candidate: Candidate) -> float:
    """With all words there, both scores are the same but for this, and for rounding."""
    more = candidate.all_words - candidate.words
    return more if more > candidate.all_words * ROUNDING else 0.0


def _added(candidate: Candidate, words: float, meaning: float) -> Fused:
    return Fused(candidate.document, words + meaning, words, meaning)


def _nearness(scores: Sequence[float | None], far: float) -> list[float]:
    """From 0, for what is far or not known, to 1 for the nearest."""
    span = max((score for score in scores if score is not None), default=far) - far
    return [_clipped((score - far) / span) if score is not None and span > 0 else 0.0 for score in scores]


def _clipped(share: float) -> float:
    return min(1.0, max(0.0, share))


def _relative(scores: Sequence[float]) -> list[float]:
    """As shares of the best one."""
    best = max(scores, default=0.0)
    return [score / best if best > 0 else 0.0 for score in scores]
