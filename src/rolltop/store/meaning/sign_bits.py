"""The signs of vectors, a bit a number: which vectors can be near at all, at a thirtieth of the reading."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Signs"]


class Signs:
    """Sign bits in columns of 64, in the order in which vectors were added."""

    def __init__(self, width: int) -> None:
        self._words = -(-width // 64)
        self._columns: NDArray[np.uint64] = np.empty((self._words, 0), np.uint64)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, vectors: NDArray[np.int8]) -> None:
        bits = self._bits(vectors)
        end = self._length + len(bits)
        if end > self._columns.shape[1]:
            grown = np.empty((self._words, max(end, self._columns.shape[1] * 3 // 2)), np.uint64)
            grown[:, : self._length] = self._columns[:, : self._length]
            self._columns = grown
        self._columns[:, self._length : end] = bits.T
        self._length = end

    def near(self, asked: NDArray[np.float32], count: int) -> NDArray[np.intp]:
        """At least `count` places (or all) whose signs differ least from those of the vector that is asked for."""
        bits = self._bits(asked[None, :])[0]
        distance = np.zeros(self._length, np.uint16)
        for column, word in zip(self._columns, bits, strict=True):
            distance += np.bitwise_count(column[: self._length] ^ word)
        within = np.cumsum(np.bincount(distance))
        return np.flatnonzero(distance <= np.searchsorted(within, min(count, self._length)))

    def _bits(self, vectors: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.uint64]:
        packed = np.packbits(vectors > 0, axis=1)
        padded = np.zeros((len(packed), self._words * 8), np.uint8)
        padded[:, : packed.shape[1]] = packed
        return padded.view(np.uint64)
