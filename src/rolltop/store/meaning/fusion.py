"""One order from two: what the keywords find and what the vectors find."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

__all__ = ["Blend", "Candidate", "Fused", "fuse", "unit_score"]


@dataclass(frozen=True, slots=True)
class Blend:
    """How much counts what, as tuned by bench/judged.py.

    A document that holds every word of the query once counts about 1 for its words. `nearness` is for the cosine.
    `in_order` is for words that stand one after the other: who types a line of a document means that document.
    """

    nearness: float
    in_order: float = 4.0
    few_words: float = 1.25
    """The power of the words' share: above 1, a document with few of the words counts less than their share."""


USUAL, FARTHEST = 0.6, 2.0
"""The cosine that the nearest document usually has, and by how much at most another one is made comparable with it.

How near the nearest is depends on the query more than on the documents: a vague one is near to nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that either leg found, with the scores of both: none is missing because only one of them found it."""

    document: int
    words: float
    """What any of the words are worth in it."""
    in_order: float
    """What it is worth in addition that they stand in order."""
    nearness: float | None
    """How near it is, from -1 to 1; None where that is not known (yet)."""


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


def unit_score(worth: float) -> float:
    """What a document is worth as a score from 0 to 1; 1 for all of the words gives 0.63, twice that 0.86."""
    return -math.expm1(-max(0.0, worth))


def fuse(candidates: Sequence[Candidate], blend: Blend, full: float) -> list[Fused]:
    """The candidates by a common score from 0 to 1, the best first.

    `full` is about what holding every word is worth. Both legs count by what they say of a document and not by how it
    compares with others: where even the best document holds few of the words, the meaning decides by itself. Cosines
    are made comparable between queries first.
    """
    in_order = max((each.in_order for each in candidates), default=0.0)
    nearest = max((each.nearness or 0.0 for each in candidates), default=0.0)
    scaled = replace(blend, nearness=blend.nearness * _comparable(nearest))
    fused = [_fused(each, scaled, full, in_order) for each in candidates]
    return [each for _, each in sorted(fused, key=lambda pair: (-pair[1].score, -pair[0], pair[1].document))]


def _comparable(nearest: float) -> float:
    return min(FARTHEST, max(1 / FARTHEST, USUAL / nearest)) if nearest > 0 else 1.0


def _fused(candidate: Candidate, blend: Blend, full: float, in_order: float) -> tuple[float, Fused]:
    words = (candidate.words / full) ** blend.few_words if full > 0 else 0.0
    if in_order > 0:
        words += blend.in_order * candidate.in_order / in_order
    meaning = blend.nearness * max(0.0, candidate.nearness or 0.0)
    worth = words + meaning
    score = unit_score(worth)
    scale = score / worth if worth else 0.0
    return worth, Fused(candidate.document, score, words * scale, meaning * scale)
