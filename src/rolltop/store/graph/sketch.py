"""How alike two texts are, from a sketch of each: the smallest of many hashes of their runs of words (MinHash).

Of two sketches, the share of equal numbers estimates the share of runs that both texts have. The numbers are parted
into bands that are looked up whole. A pair as alike as `LEAST` differs in fewer numbers than there are bands, so at
least one band is equal: looking up bands finds exactly the pairs that comparing all with all would find.
"""

from __future__ import annotations

import re
import zlib

import numpy as np
from numpy.typing import NDArray

from rolltop.store.text.words.scripts import composed, spaced_out

__all__ = ["LEAST", "Sketch", "alike", "bands_of", "sketch_of"]

Sketch = NDArray[np.uint16]

NUMBERS, BANDS, ROWS = 48, 16, 3
LEAST = (NUMBERS - BANDS + 1) / NUMBERS
"""A little more than two thirds."""

RUN = 4
FEWEST_RUNS = 12
"""A shorter text is too short to be alike by its words."""

LONGEST = 2 << 20
_WORD = re.compile(r"\w+")
_GAPS = "".join(chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128))
_CHANCE = np.random.Generator(np.random.PCG64(20_261_116))  # fixed: sketches are kept
_FACTORS = _CHANCE.integers(1, 1 << 63, NUMBERS, dtype=np.uint64) | np.uint64(1)
_TERMS = _CHANCE.integers(0, 1 << 63, NUMBERS, dtype=np.uint64)
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], np.uint64)


def sketch_of(text: str) -> Sketch | None:
    """The sketch of a text; None for a short one."""
    words = _words(text[:LONGEST].lower())
    if len(words) < FEWEST_RUNS + RUN - 1:
        return None
    numbers = {word: zlib.crc32(word.encode("utf-8", "replace")) for word in set(words)}
    hashes = np.fromiter(map(numbers.__getitem__, words), np.uint64, len(words))
    runs = np.unique(_runs(hashes))
    return _smallest(runs) if len(runs) >= FEWEST_RUNS else None


def _words(text: str) -> list[str]:
    # The same in a fraction of the time.
    return text.translate(_GAPS).split() if text.isascii() else _WORD.findall(spaced_out(composed(text)))


def _runs(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    count = len(hashes) - RUN + 1
    mixed = np.zeros(count, np.uint64)
    for place in range(RUN):
        mixed = (mixed ^ (hashes[place : place + count] * _MIX[place])) * _MIX[0]
    return mixed ^ (mixed >> np.uint64(29))


def _smallest(runs: NDArray[np.uint64]) -> Sketch:
    best = np.full(NUMBERS, 0xFFFFFFFF, np.uint32)
    for start in range(0, len(runs), 4096):  # a table of all hashes of a long text would not fit
        table = runs[start : start + 4096, None] * _FACTORS + _TERMS
        best = np.minimum(best, (table >> np.uint64(32)).astype(np.uint32).min(axis=0))
    return best.astype(np.uint16)  # of a smallest number the low bits tell most


def bands_of(sketch: Sketch) -> list[int]:
    """One number for each band, different from band to band."""
    table = sketch.reshape(BANDS, ROWS).astype(np.uint64)
    mixed = np.arange(BANDS, dtype=np.uint64)
    for row in range(ROWS):
        mixed = (mixed ^ table[:, row]) * _MIX[row]
        mixed ^= mixed >> np.uint64(31)
    return [int(number) for number in (mixed >> np.uint64(32)).astype(np.uint32).view(np.int32)]


def alike(one: Sketch, others: Sketch) -> NDArray[np.float64]:
    """Between 0 and 1, for each row of sketches."""
    return np.asarray(np.count_nonzero(one == others, axis=-1) / NUMBERS, np.float64)
