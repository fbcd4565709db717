"""Words that are nearly what was typed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

__all__ = ["near_words"]


def near_words(word: str, vocabulary: Iterable[str], similarity: float) -> list[str]:
    """The words whose edit distance, divided by the longer length, is at most 1 - similarity; nearest first."""
    found = process.extract(
        folded(word), vocabulary, scorer=Levenshtein.normalized_similarity, score_cutoff=similarity, limit=None
    )
    return [near for near, _, _ in found]


def folded(word: str) -> str:
    """A word as the index has it: without case and accents."""
    plain = unicodedata.normalize("NFD", word)
    return "".join(char for char in plain if not unicodedata.combining(char)).lower()
