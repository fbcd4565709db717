"""Trigram segments: immutable files that say which frames hold which trigrams. See docs/design/store-format.md."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rolltop.base.atomic_files import atomic_file
from rolltop.store.grep.trigrams import CODES, codes_of_text
from rolltop.store.seams import Trigrams

__all__ = ["WIDEST", "BadSegment", "Segment", "write_segment"]

MAGIC = b"RTT1"
WIDEST = 2048
"""A segment spans at most so many frame numbers: a full list is then 256 bytes."""

_HEAD = struct.Struct("<4sIIIII")  # magic, first, last, fingerprint, codes, checksum of the tables
Bits = NDArray[np.bool_]


class BadSegment(Exception):
    """The file is not the segment it should be; it has to be built again."""


def write_segment(directory: Path, numbers: Sequence[int], contents: Iterable[bytes], fingerprint: int) -> Path:
    """Write the segment of some frames, which are in order."""
    first, last = numbers[0], numbers[-1]
    width = (last - first) // 8 + 1
    per_frame = [(number - first, codes_of_text(raw)) for number, raw in zip(numbers, contents, strict=True)]
    codes, payload, lengths = _lists(per_frame, width)
    ends = np.concatenate(([0], np.cumsum(lengths))).astype(np.uint32)
    checks = np.fromiter((zlib.crc32(payload[ends[i] : ends[i + 1]]) for i in range(len(codes))), np.uint32, len(codes))
    tables = codes.tobytes() + ends.tobytes() + checks.tobytes()
    head = _HEAD.pack(MAGIC, first, last, fingerprint, len(codes), zlib.crc32(tables))
    return _put(
        directory, f"{first:010d}-{last:010d}.tri", head + zlib.crc32(head).to_bytes(4, "little"), tables, payload
    )


def _lists(
    per_frame: list[tuple[int, NDArray[np.uint32]]], width: int
) -> tuple[NDArray[np.uint32], bytes, NDArray[np.int64]]:
    """The codes in order, their lists one after the other, and the lists' lengths."""
    counts = np.zeros(CODES, np.uint32)
    for _, found in per_frame:
        counts[found] += 1
    codes = np.flatnonzero(counts).astype(np.uint32)
    sparse = counts * 2 < width  # an array of 16-bit numbers is shorter than a bitmap
    lengths = np.where(sparse[codes], counts[codes] * 2, width).astype(np.int64)
    starts = np.zeros(CODES, np.int64)
    starts[codes] = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    payload = np.zeros(int(lengths.sum()), np.uint8)
    used = np.zeros(CODES, np.int64)
    for local, found in per_frame:
        thin = found[sparse[found]]
        places = starts[thin] + used[thin]
        payload[places] = local & 0xFF
        payload[places + 1] = local >> 8
        used[thin] += 2
        thick = found[~sparse[found]]
        payload[starts[thick] + (local >> 3)] |= np.uint8(1 << (local & 7))
    return codes, payload.tobytes(), lengths


def _put(directory: Path, name: str, *parts: bytes) -> Path:
    target = directory / name
    with atomic_file(target, durable=False) as file:
        file.writelines(parts)
    return target


class Segment:
    """An opened segment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        head = _HEAD.size + 4
        try:
            self._data = np.memmap(path, np.uint8, mode="r")
        except (OSError, ValueError) as error:
            raise BadSegment(str(error)) from None
        beginning = self._data[:head].tobytes()
        if len(beginning) < head or zlib.crc32(beginning[:-4]).to_bytes(4, "little") != beginning[-4:]:
            raise BadSegment("its header fails its checksum")
        magic, self.first, self.last, self.fingerprint, count, check = _HEAD.unpack(beginning[:-4])
        tables = self._data[head : head + count * 12 + 4]
        if magic != MAGIC or zlib.crc32(tables.tobytes()) != check:
            raise BadSegment("its tables fail their checksum")
        self._codes = tables[: count * 4].view(np.uint32)
        self._ends = tables[count * 4 : count * 8 + 4].view(np.uint32)
        self._checks = tables[count * 8 + 4 :].view(np.uint32)
        self._lists = self._data[head + count * 12 + 4 :]
        if len(self._lists) != (int(self._ends[-1]) if count else 0):
            raise BadSegment("it is cut short")
        self.width = self.last - self.first + 1

    def frames(self, asked: Trigrams) -> NDArray[np.int64]:
        """The frames that may hold a match."""
        found: NDArray[np.int64] = np.flatnonzero(self._answer(asked)) + self.first
        return found

    def _answer(self, asked: Trigrams) -> Bits:
        kind, parts = asked
        # Rare trigrams are not known to be rare before they are looked up; lists are short, so all are.
        result = np.full(self.width, kind == "and")
        for part in parts:
            bits = self._list(part) if isinstance(part, int) else self._answer(part)
            if kind == "and":
                result &= bits
                if not result.any():
                    break
            else:
                result |= bits
        return result

    def _list(self, code: int) -> Bits:
        place = int(np.searchsorted(self._codes, code))
        bits = np.zeros(self.width, np.bool_)
        if place == len(self._codes) or self._codes[place] != code:
            return bits
        data = self._lists[int(self._ends[place]) : int(self._ends[place + 1])]
        if zlib.crc32(data.tobytes()) != self._checks[place]:
            raise BadSegment("a list fails its checksum")
        if len(data) < (self.width - 1) // 8 + 1:
            bits[data.view(np.uint16)] = True
        else:
            bits[:] = np.unpackbits(data, bitorder="little")[: self.width]
        return bits

    def check(self) -> None:
        """Compare every list with its checksum."""
        lists, ends = memoryview(self._lists), self._ends.tolist()  # type: ignore[arg-type]
        crc32, start = zlib.crc32, 0
        for end, expected in zip(ends[1:], self._checks.tolist(), strict=True):
            if crc32(lists[start:end]) != expected:
                raise BadSegment("a list fails its checksum")
            start = end
