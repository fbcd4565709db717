"""One file of different words: read where it lies on disk, never as a whole.

Words are grouped by length, so that near words are looked for among those that can be near, and sorted within a
group, so that a word is looked up by bisection. Beside them lie their signatures and their stems.
"""

from __future__ import annotations

import json
import os
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rolltop.store.text.words.analysis import stems
from rolltop.store.text.words.edit_distance import allowed, lengths, possible, signature, signatures

__all__ = ["WordFile", "write_words"]

_MAGIC = b"RTW1"
_HEAD = 4 + 4 + 4  # magic, length of the header, checksum of all that follows


@dataclass(frozen=True, slots=True)
class _Group:
    """Words of so many characters and bytes, from the word number `first` and the byte `start` on."""

    characters: int
    width: int
    count: int
    first: int
    start: int


def _grouped(words: Iterable[str]) -> list[tuple[tuple[int, int], list[str]]]:
    """Words by their length in characters and bytes, both in order."""
    groups: dict[tuple[int, int], list[str]] = {}
    for word in words:
        groups.setdefault((len(word), len(word.encode())), []).append(word)
    return [(key, sorted(groups[key])) for key in sorted(groups)]


def _code(stem: str) -> int:
    return zlib.crc32(stem.encode())


def write_words(path: Path, words: Iterable[str]) -> None:
    """Write a file of these words; it is complete and on disk when this returns."""
    groups = _grouped(words)
    ordered = [word for _, each in groups for word in each]
    marks = [signatures(each) for _, each in groups]
    codes = np.array([_code(stem) for stem in stems(ordered)], np.uint32)
    order = np.argsort(codes, kind="stable").astype(np.uint32)
    arrays = [
        np.concatenate([one for one, _ in marks] or [np.empty(0, np.uint64)]),
        np.concatenate([two for _, two in marks] or [np.empty(0, np.uint64)]),
        codes[order],
        order,
    ]
    header = json.dumps([[*key, len(each)] for key, each in groups]).encode()
    header += b" " * (-(_HEAD + len(header)) % 8)
    body = header + b"".join([array.tobytes() for array in arrays]) + "".join(ordered).encode()
    with path.open("wb") as file:
        file.write(_MAGIC + len(header).to_bytes(4, "little") + zlib.crc32(body).to_bytes(4, "little") + body)
        file.flush()
        os.fsync(file.fileno())


class WordFile:
    """A file of words, mapped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bytes: NDArray[np.uint8] = np.memmap(path, np.uint8, "r").view(np.ndarray)  # plain arrays slice faster
        size = int.from_bytes(self._bytes[4:8].tobytes(), "little")
        if self._bytes[:4].tobytes() != _MAGIC:
            raise ValueError(f"{path.name} is not a file of words")
        sizes = json.loads(self._bytes[_HEAD : _HEAD + size].tobytes())
        self.count = sum(count for _, _, count in sizes)
        at = _HEAD + size
        self._singles = self._array(at, np.dtype(np.uint64))
        self._doubles = self._array(at + 8 * self.count, np.dtype(np.uint64))
        self._codes = self._array(at + 16 * self.count, np.dtype(np.uint32))
        self._order = self._array(at + 20 * self.count, np.dtype(np.uint32))
        self._groups = list(_placed(sizes, at + 24 * self.count))
        self._by_size = {(group.characters, group.width): group for group in self._groups}
        self._firsts = [group.first for group in self._groups]
        # For looking one number up, a plain view is many times as quick as an array.
        self._stemmed = memoryview(self._codes)  # type: ignore[arg-type]

    def _array(self, at: int, kind: np.dtype[np.generic]) -> NDArray[np.generic]:
        return self._bytes[at : at + self.count * kind.itemsize].view(kind)

    def _table(self, group: _Group) -> NDArray[np.bytes_]:
        end = group.start + group.count * group.width
        return self._bytes[group.start : end].view(f"S{group.width}")

    def words(self) -> Iterator[str]:
        for group in self._groups:
            yield from map(bytes.decode, self._table(group).tolist())

    def _named(self, number: int) -> str:
        group = self._groups[bisect_right(self._firsts, number) - 1]
        start = group.start + (number - group.first) * group.width
        return self._bytes[start : start + group.width].tobytes().decode()

    def known(self, words: Iterable[str]) -> set[str]:
        """Those of the words that are here."""
        found: set[str] = set()
        for key, same in _grouped(words):
            group = self._by_size.get(key)
            if group is not None:
                asked = np.array([word.encode() for word in same])
                table = self._table(group)
                at = np.minimum(np.searchsorted(table, asked), group.count - 1)
                found.update(map(bytes.decode, asked[table[at] == asked].tolist()))
        return found

    def variants(self, stem: str) -> list[str]:
        """The words that have this stem."""
        code, codes = _code(stem), self._stemmed
        first = bisect_left(codes, code)
        last = bisect_right(codes, code, first) if first < self.count and codes[first] == code else first
        words = [self._named(number) for number in self._order[first:last].tolist()]
        return [word for word, its in zip(words, stems(words), strict=True) if its == stem] if words else []

    def candidates(self, word: str, similarity: float) -> list[str]:
        """Words that may be so similar: all that are, and some that are not."""
        found: list[str] = []
        own = signature(word)
        wanted = lengths(len(word), similarity)
        reached = [group for group in self._groups if group.characters in wanted]
        for distance, same in groupby(reached, lambda group: allowed(max(group.characters, len(word)), similarity)):
            groups = list(same)  # they lie one after the other
            first, end = groups[0].first, groups[-1].first + groups[-1].count
            at = first + possible(own, self._singles[first:end], self._doubles[first:end], distance)  # type: ignore[arg-type]
            for group in groups:
                here = at[slice(*np.searchsorted(at, (group.first, group.first + group.count)))]
                found += map(bytes.decode, self._table(group)[here - group.first].tolist())
        return found

    def damaged(self) -> bool:
        expected = int.from_bytes(self._bytes[8:12].tobytes(), "little")
        return zlib.crc32(self._bytes[_HEAD:].data) != expected


def _placed(sizes: list[tuple[int, int, int]], start: int) -> Iterator[_Group]:
    first = 0
    for characters, width, count in sizes:
        yield _Group(characters, width, count, first, start)
        first, start = first + count, start + count * width
