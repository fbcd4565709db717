"""How alike two words are, and which of very many words can be alike at all.

The similarity of two words is 1 - distance / length of the longer one. The distance counts single letters inserted,
left out or replaced, and neighbours that changed places ("optimal string alignment").
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

__all__ = ["allowed", "lengths", "letters", "near_in", "nearest", "pairs", "possible", "signature", "signatures"]

_BITS = 64
_TINY = 1e-9


def allowed(longer: int, similarity: float) -> int:
    """The largest distance that words of this length may have."""
    return math.floor((1.0 - similarity) * longer + _TINY)


def lengths(length: int, similarity: float) -> range:
    """The lengths that a word so similar to one of this length can have."""
    if similarity <= 0:
        return range(1 << 10)
    return range(math.ceil(length * similarity - _TINY), math.floor(length / similarity + _TINY) + 1)


def nearest(word: str, words: Sequence[str], similarity: float) -> list[tuple[str, float]]:
    """The words at least so similar, the most similar first."""
    widest = allowed(max((len(word), *map(len, words))), similarity) if words else 0
    found = process.extract_iter(word, words, scorer=OSA.distance, score_cutoff=widest)
    near = [
        (each, 1.0 - distance / max(len(each), len(word), 1))
        for each, distance, _ in found
        if distance <= allowed(max(len(each), len(word)), similarity)
    ]
    return sorted(near, key=lambda pair: (-pair[1], pair[0]))


# Signatures: the letters of a word as bits, and its pairs of neighbours as bits. A word that lacks too many of
# them is too far away, whatever the order of its letters: a single operation takes at most one letter and, with the
# two ends counted as neighbours, two pairs away (three, where neighbours change places).


Signature = tuple[np.uint64, np.uint64]
"""The letters of a word, and its pairs."""


def letters(word: str) -> int:
    bits = 0
    for char in word:
        bits |= 1 << (ord(char) % _BITS)
    return bits


def pairs(word: str) -> int:
    bits, before = 0, 0
    for code in (*map(ord, word), 0):
        bits |= 1 << ((before * 31 + code) % _BITS)
        before = code
    return bits


def signatures(words: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Letters and pairs of words of one length; quick where they are ASCII."""
    if words and all(map(str.isascii, words)):
        return _ascii_signatures(np.array(words, dtype=bytes))
    made = [(letters(word), pairs(word)) for word in words]
    return np.array([one for one, _ in made], np.uint64), np.array([two for _, two in made], np.uint64)


def _ascii_signatures(words: NDArray[np.bytes_]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    codes = words.view(np.uint8).reshape(len(words), -1).astype(np.uint64)
    one = np.uint64(1)
    ends = np.zeros((len(words), 1), np.uint64)
    before, after = np.hstack((ends, codes)), np.hstack((codes, ends))
    single = np.bitwise_or.reduce(one << (codes % np.uint64(_BITS)), axis=1)
    double = np.bitwise_or.reduce(one << ((before * np.uint64(31) + after) % np.uint64(_BITS)), axis=1)
    return single, double


def signature(word: str) -> Signature:
    return np.uint64(letters(word)), np.uint64(pairs(word))


def possible(
    word: Signature, singles: NDArray[np.uint64], doubles: NDArray[np.uint64], distance: int
) -> NDArray[np.int64]:
    """Which of the words with these signatures can be within the distance. Says yes too often, never too seldom."""
    own, own_pairs = word
    lacking = _lacking(own, singles)
    some = np.flatnonzero(lacking <= distance)
    lost = _lacking(own_pairs, doubles[some]) + lacking[some]  # at most 128
    return some[lost <= 3 * distance]


def _lacking(own: np.uint64, others: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """How many bits one has and the other has not, whichever lacks more."""
    more: NDArray[np.uint8] = np.maximum(np.bitwise_count(others), np.uint8(int(own).bit_count()))
    more -= np.bitwise_count(others & own)
    return more


def near_in(word: str, words: Iterable[str], similarity: float) -> list[tuple[str, float]]:
    """The same as `nearest` over few words, without signatures."""
    wanted = lengths(len(word), similarity)
    return nearest(word, [each for each in words if len(each) in wanted], similarity)
