"""The embedded vector index: rows of one byte a number in one file, read in place.

A row is a key, a scale, a checksum and the numbers of a normalised vector as signed bytes. The file is only appended
to and keys are struck out in place, so readers of any process follow it by looking at its length. One writer at a time.
"""

from __future__ import annotations

import mmap
import os
import threading
import zlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rolltop.base.atomic_files import atomic_file
from rolltop.errors import InvalidInput
from rolltop.store.meaning.row_keys import RowKeys
from rolltop.store.meaning.sign_bits import Signs
from rolltop.store.seams import Numbers

__all__ = ["ByteVectors"]

_MAGIC = b"RTV2"
_HEADER = 16
_GONE = -(1 << 63)
"""The key of a row that was removed."""

BLOCK = 2048
"""Rows that are made floats at a time: what fits into the processor's cache."""
SCANNED = 100_000
"""Up to so many rows each one is compared; beyond, only those whose signs are near."""
SHORTLIST = 2000
WORTH_COMPACTING = 4096


class ByteVectors:
    """A `VectorIndex`. Nearness is the cosine; a byte a number keeps it to about a thousandth."""

    def __init__(self, path: Path, *, scanned: int = SCANNED) -> None:
        self._path = path
        self._scanned = scanned
        self._lock = threading.Lock()
        self._view = _View.empty()

    def __len__(self) -> int:
        return int(np.count_nonzero(self._current().rows["key"] != _GONE))

    @property
    def width(self) -> int:
        """How many numbers a vector has; 0 while there is none."""
        return self._current().width

    def extent(self) -> tuple[tuple[int, int], int]:
        """Which file it is, and how many rows it has, removed ones too."""
        view = self._current()
        return view.file, view.length

    # writing -------------------------------------------------------------------------------------

    def add(self, keys: Sequence[int], vectors: Numbers) -> None:
        """Add or replace vectors; on disk when this returns."""
        if not len(keys):
            return
        numbers = np.asarray(vectors, np.float32).reshape(len(keys), -1)
        width = self._current().width
        if width and numbers.shape[1] != width:
            raise InvalidInput(f"vectors have {numbers.shape[1]} numbers, the index {width}")
        self.remove(keys)
        self._append(_packed(np.asarray(keys, np.int64), numbers))

    def remove(self, keys: Iterable[int]) -> None:
        """Strike out these keys."""
        present = np.array(self._current().rows["key"])
        self._strike(present, np.isin(present, np.fromiter(keys, np.int64)))

    def retain(self, keys: Collection[int]) -> None:
        """Strike out all other keys."""
        present = np.array(self._current().rows["key"])
        self._strike(present, ~np.isin(present, np.fromiter(keys, np.int64)) & (present != _GONE))

    def _strike(self, present: NDArray[np.int64], chosen: NDArray[np.bool_]) -> None:
        """Strike out rows; a file of rows that are mostly struck out is written anew."""
        view, struck = self._current(), np.flatnonzero(chosen)
        if len(struck):
            with self._path.open("r+b") as file:
                for row in struck:
                    os.pwrite(file.fileno(), _GONE.to_bytes(8, "little", signed=True), view.place(int(row)))
        gone = np.count_nonzero(present == _GONE) + len(struck)
        if gone > len(present) // 2 and gone >= WORTH_COMPACTING:
            self.compact()

    def compact(self) -> None:
        """Leave no trace of removed rows."""
        view = self._current()
        kept = view.rows[view.rows["key"] != _GONE]
        if len(kept) < len(view.rows):
            with atomic_file(self._path) as file:
                file.write(_header(view.width))
                file.write(kept.tobytes())

    def _append(self, rows: NDArray[np.void]) -> None:
        width = rows["numbers"].shape[1]
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_file(self._path) as file:
                file.write(_header(width) + rows.tobytes())
            return
        with self._path.open("r+b") as file:
            whole = _HEADER + self._current().length * rows.itemsize
            file.truncate(whole)  # a row that was half written when its writer died
            file.seek(whole)
            file.write(rows.tobytes())
            file.flush()
            os.fdatasync(file.fileno())

    def clear(self) -> None:
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            self._view = _View.empty()

    # asking --------------------------------------------------------------------------------------

    def nearest(self, vector: Numbers, limit: int) -> list[tuple[int, float]]:
        """(key, cosine) of the nearest vectors, the nearest first."""
        view = self._current()
        asked = np.asarray(vector, np.float32)
        if not view.length or limit < 1:
            return []
        if len(asked) != view.width:
            raise InvalidInput(f"the vector has {len(asked)} numbers, the index {view.width}")
        asked = asked / (np.linalg.norm(asked) or 1)
        wanted = limit
        while True:
            places, scores = self._best(view, asked, wanted)
            keys = view.rows["key"][places]
            there = keys != _GONE
            if np.count_nonzero(there) >= limit or wanted >= view.length:
                break
            wanted *= 4  # some of the nearest were removed: look further
        order = np.lexsort((keys[there], -scores[there]))[:limit]
        return list(zip(keys[there][order].tolist(), scores[there][order].tolist(), strict=True))

    def scores(self, vector: Numbers, keys: Sequence[int]) -> list[float]:
        """The cosine of each of these vectors; 0 for one that is not there."""
        view = self._current()
        asked = np.asarray(vector, np.float32)
        places = view.places(np.asarray(keys, np.int64))
        there = np.flatnonzero(places >= 0)
        found = np.zeros(len(keys), np.float32)
        if len(there):
            order = there[np.argsort(places[there])]  # as they lie in the file
            found[order] = view.scores_of(places[order], asked / (np.linalg.norm(asked) or 1))
        return found.tolist()

    def _best(
        self, view: _View, asked: NDArray[np.float32], limit: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """The rows that are nearest, in no order, and how near they are."""
        if view.length <= self._scanned:
            candidates = None
            scores = view.all_scores(asked)
        else:
            candidates = view.signs().near(asked, max(SHORTLIST, 4 * limit, view.length // 200))
            scores = view.scores_of(candidates, asked)
        if limit < len(scores):
            best = np.argpartition(scores, len(scores) - limit)[-limit:]
        else:
            best = np.arange(len(scores))
        return (best if candidates is None else candidates[best]), scores[best]

    def damage(self) -> list[str]:
        """Rows whose numbers are not what was written."""
        rows = self._current().rows
        wrong = sum(zlib.crc32(row["numbers"].tobytes()) != row["check"] for row in rows if row["key"] != _GONE)
        return [f"vectors: {wrong} rows are damaged"] if wrong else []

    def _current(self) -> _View:
        """The file as it is now; another process may have written since."""
        with self._lock:
            self._view = self._view.follow(self._path)
            return self._view


class _View:
    """The rows of the file at one moment."""

    def __init__(
        self, file: tuple[int, int], width: int, rows: NDArray[np.void], mapped: mmap.mmap | None = None
    ) -> None:
        self.file = file
        self.width = width
        self.rows = rows
        self._mapped = mapped
        self.length = len(rows)
        self._scales = np.empty(0, np.float32)
        self._keys = RowKeys(_GONE)
        self._signs: Signs | None = None

    @classmethod
    def empty(cls) -> _View:
        return cls((0, 0), 0, np.empty(0, _row_type(0)))

    def follow(self, path: Path) -> _View:
        try:
            found = path.stat()
        except FileNotFoundError:
            return self if self.file == (0, 0) else _View.empty()
        same = self.file == (found.st_dev, found.st_ino)
        if same and found.st_size == _HEADER + self.length * self.rows.itemsize:
            return self
        view = _opened(path)
        if same and view.length >= self.length:
            # Rows do not change once they are written: what was worked out from them stays.
            view._scales, view._signs, view._keys = self._scales, self._signs, self._keys
        return view

    def place(self, row: int) -> int:
        """Where in the file a row begins."""
        return _HEADER + row * self.rows.itemsize

    def all_scores(self, asked: NDArray[np.float32]) -> NDArray[np.float32]:
        # Row by row (vecdot): a product of matrices wakes a thread for each core, which costs more than it gives.
        scores, numbers = np.empty(self.length, np.float32), self.rows["numbers"]
        for start in range(0, self.length, BLOCK):
            block = numbers[start : start + BLOCK].astype(np.float32)
            np.vecdot(block, asked, out=scores[start : start + BLOCK])
        return scores * self._all_scales()

    def scores_of(self, places: NDArray[np.intp], asked: NDArray[np.float32]) -> NDArray[np.float32]:
        rows = self.rows[places]
        scores: NDArray[np.float32] = np.vecdot(rows["numbers"].astype(np.float32), asked) * rows["scale"]
        return scores

    def _all_scales(self) -> NDArray[np.float32]:
        known = self._scales
        if len(known) < self.length:
            known = self._scales = np.concatenate([known, self.rows["scale"][len(known) :]])
        return known

    def places(self, keys: NDArray[np.int64]) -> NDArray[np.intp]:
        """The rows that have these keys; -1 for a key that none has."""
        if not self.length:
            return np.full(len(keys), -1, np.intp)
        self._keys.follow(self.rows["key"])
        rows = self._keys.rows(keys)
        return np.where(self.rows["key"][rows] == keys, rows, -1)

    def signs(self) -> Signs:
        signs = self._signs or Signs(self.width)
        for start in range(len(signs), self.length, BLOCK):
            signs.add(self.rows["numbers"][start : start + BLOCK])
        if signs is not self._signs:
            self._forget_pages()
        self._signs = signs
        return signs

    def _forget_pages(self) -> None:
        """Everything was read once and will not be again: it need not count as our memory."""
        if self._mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)


def _row_type(width: int) -> np.dtype[np.void]:
    return np.dtype([("key", "<i8"), ("scale", "<f4"), ("check", "<u4"), ("numbers", "i1", (width,))])


def _header(width: int) -> bytes:
    body = _MAGIC + width.to_bytes(4, "little")
    return body + zlib.crc32(body).to_bytes(4, "little") + bytes(4)


def _opened(path: Path) -> _View:
    """The rows of a file; one that is no index counts as empty: whoever follows the catalogue fills it again."""
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        head = file.read(_HEADER)
        width = int.from_bytes(head[4:8], "little")
        if len(head) < _HEADER or head != _header(width):
            return _View.empty()
        kind = _row_type(width)
        length = (found.st_size - _HEADER) // kind.itemsize
        if not length:
            return _View((found.st_dev, found.st_ino), width, np.empty(0, kind))
        mapped = mmap.mmap(file.fileno(), _HEADER + length * kind.itemsize, access=mmap.ACCESS_READ)
    rows = np.frombuffer(mapped, kind, length, _HEADER)
    return _View((found.st_dev, found.st_ino), width, rows, mapped)


def _packed(keys: NDArray[np.int64], numbers: NDArray[np.float32]) -> NDArray[np.void]:
    """Rows as they are written: normalised, then scaled so that the largest number is 127."""
    lengths = np.linalg.norm(numbers, axis=1, keepdims=True)
    unit = numbers / np.where(lengths == 0, 1, lengths)
    scale = np.abs(unit).max(axis=1, keepdims=True) / 127
    rows = np.zeros(len(keys), _row_type(numbers.shape[1]))
    rows["key"], rows["scale"] = keys, scale[:, 0]
    rows["numbers"] = np.rint(unit / np.where(scale == 0, 1, scale))
    rows["check"] = [zlib.crc32(row.tobytes()) for row in rows["numbers"]]
    return rows
