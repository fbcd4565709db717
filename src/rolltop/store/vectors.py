"""The embedded vector index: exact nearest neighbours over a matrix in one file, with a checksum."""

from __future__ import annotations

import os
import tempfile
import threading
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rolltop.errors import InvalidInput

__all__ = ["ExactVectors"]

_MAGIC = b"RTV1"


class ExactVectors:
    """A `VectorIndex`. Vectors are normalised; nearness is the cosine. Up to some 100,000 vectors this is quick."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._matrix: NDArray[np.float32] = np.empty((0, 0), np.float32)
        self._load()

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, keys: Sequence[int], vectors: Sequence[Sequence[float]]) -> None:
        """Add or replace vectors; kept on disk when this returns."""
        if not len(keys):
            return
        fresh: NDArray[np.float32] = np.asarray(vectors, np.float32).reshape(len(keys), -1)
        if len(self._keys) and fresh.shape[1] != self._matrix.shape[1]:
            raise InvalidInput(f"vectors have {fresh.shape[1]} numbers, the index {self._matrix.shape[1]}")
        lengths = np.linalg.norm(fresh, axis=1, keepdims=True)
        fresh = (fresh / np.where(lengths == 0, 1, lengths)).astype(np.float32)
        with self._lock:
            kept = ~np.isin(self._keys, np.asarray(keys, np.int64))
            old = self._matrix[kept] if len(self._keys) else np.empty((0, fresh.shape[1]), np.float32)
            self._keys = np.concatenate([self._keys[kept], np.asarray(keys, np.int64)])
            self._matrix = np.concatenate([old, fresh])
            self._save()

    def remove(self, keys: Iterable[int]) -> None:
        with self._lock:
            kept = ~np.isin(self._keys, np.fromiter(keys, np.int64))
            self._keys, self._matrix = self._keys[kept], self._matrix[kept]
            self._save()

    def nearest(self, vector: Sequence[float], limit: int) -> list[tuple[int, float]]:
        """(key, cosine) of the nearest vectors, the nearest first."""
        keys, matrix = self._keys, self._matrix
        if not len(keys) or limit < 1:
            return []
        asked = np.asarray(vector, np.float32)
        asked = asked / (np.linalg.norm(asked) or 1)
        scores = matrix @ asked
        best = np.argpartition(-scores, min(limit, len(scores)) - 1)[:limit]
        best = best[np.lexsort((keys[best], -scores[best]))]
        return [(int(keys[place]), float(scores[place])) for place in best]

    def clear(self) -> None:
        with self._lock:
            self._keys, self._matrix = np.empty(0, np.int64), np.empty((0, 0), np.float32)
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Nothing is open between calls."""

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        shape = np.array([len(self._keys), self._matrix.shape[1] if len(self._keys) else 0], np.int64)
        body = shape.tobytes() + self._keys.tobytes() + self._matrix.tobytes()
        handle, temporary = tempfile.mkstemp(dir=self._path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + zlib.crc32(body).to_bytes(4, "little") + body)
        os.replace(temporary, self._path)

    def _load(self) -> None:
        """Read the file; a damaged one counts as empty, and is filled again by whoever follows the catalogue."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return
        body = data[8:]
        if data[:4] != _MAGIC or zlib.crc32(body).to_bytes(4, "little") != data[4:8]:
            return
        count, width = np.frombuffer(body[:16], np.int64)
        self._keys = np.frombuffer(body[16 : 16 + 8 * count], np.int64).copy()
        self._matrix = np.frombuffer(body[16 + 8 * count :], np.float32).reshape(count, width).copy()
