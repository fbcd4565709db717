"""Reads objects back, checking every byte it hands out."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from rolltop.errors import Damaged, NotFound
from rolltop.store.blobs import frames
from rolltop.store.records import STRIDE, Frame, Mark, Object
from rolltop.store.seams import BlobStore, Catalog

__all__ = ["Lines", "Reader"]

CACHE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of an object, from the byte `start` on."""

    data: bytes
    start: int
    count: int
    complete: bool
    """False where not all that was asked for fits."""

    @property
    def end(self) -> int:
        return self.start + len(self.data)


def _cut(found: bytes, start: int, size: int, wanted: int | None, most: int) -> Lines:
    """The lines that were asked for, as far as they fit."""
    end = len(found)
    if wanted is not None:
        at = 0
        for _ in range(wanted):
            at = found.find(b"\n", at) + 1
            if not at:
                break
        end = at or end
    asked = end
    if end > most:
        end = found.rfind(b"\n", 0, most + 1) + 1 or most
    data = found[:end]
    count = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    reached = end == asked and (wanted is None or count >= wanted or start + end >= size)
    return Lines(data, start, count, complete=reached and (wanted is not None or start + end >= size))


class Reader:
    """Content by object; a few recently decoded frames are kept."""

    def __init__(self, catalog: Catalog, blobs: BlobStore) -> None:
        self._catalog = catalog
        self._blobs = blobs
        self._cache = _FrameCache(CACHE_BYTES)
        self._last: Frame | None = None

    def content(self, entry: Object) -> bytes:
        """The whole object; its SHA-256 has been checked."""
        if entry.parts is None:
            return self.leaf(entry)
        data = b"".join(self.leaf(leaf) for leaf in self._parts(entry))
        if sha256(data).digest() != entry.hash:
            raise _wrong(entry)
        return data

    def span(self, entry: Object, start: int, end: int) -> bytes:
        """Some bytes of an object, reading only the leaves that hold them."""
        return b"".join(self._span(entry, max(0, start), min(end, entry.size)))

    def _span(self, entry: Object, start: int, end: int) -> Iterator[bytes]:
        for position, leaf in self._leaves_from(entry, *self._before_byte(entry, start)):
            if position >= end:
                return
            if position + leaf.size > start:
                yield self.leaf(leaf)[max(0, start - position) : end - position]

    def pieces(self, entry: Object) -> Iterator[bytes]:
        """The object leaf by leaf, for what is too large to hold at once."""
        for _, leaf in self._leaves_from(entry):
            yield self.leaf(leaf)

    def lines(self, entry: Object, first: int, last: int | None, most: int) -> Lines:
        """Lines of an object, counted from 1; only the leaves that hold them are read. A line ends with a newline.

        As many whole lines as fit into `most` bytes; of a first line that does not fit, as much as does.
        """
        skipped, place, position = self._before_line(entry, first)
        found, start, wanted = bytearray(), None, None if last is None else last - first + 1
        ends = 0
        for at, leaf in self._leaves_from(entry, place, position):
            data = self.leaf(leaf)
            begin = 0
            if start is None:
                here = data.count(b"\n")
                if skipped + here < first - 1 or (skipped + here == first - 1 and here and data.endswith(b"\n")):
                    skipped += here
                    continue
                for _ in range(first - 1 - skipped):
                    begin = data.index(b"\n", begin) + 1
                skipped, start = first - 1, at + begin
            found += data[begin:] if begin else data
            ends += data.count(b"\n", begin)
            if len(found) > most or (wanted is not None and ends >= wanted):
                break
        if start is None:
            return Lines(b"", entry.size, 0, complete=True)
        return _cut(bytes(found), start, entry.size, wanted, most)

    def _before_line(self, entry: Object, line: int) -> tuple[int, int, int]:
        """(line ends before, number of the leaf, its first byte) of a mark before a line."""
        lines = place = position = 0
        for mark in self._marks(entry) if line > 1 else ():
            if lines + mark.lines >= line - 1:
                break
            lines, place, position = lines + mark.lines, place + STRIDE, position + mark.size
        return lines, place, position

    def _before_byte(self, entry: Object, start: int) -> tuple[int, int]:
        place = position = 0
        for mark in self._marks(entry) if start else ():
            if position + mark.size > start:
                break
            place, position = place + STRIDE, position + mark.size
        return place, position

    def _marks(self, entry: Object) -> list[Mark]:
        return self._catalog.objects.marks(entry.id) if entry.parts is not None else []

    def _leaves_from(self, entry: Object, place: int = 0, position: int = 0) -> Iterator[tuple[int, Object]]:
        """(first byte, leaf) from one of the leaves on."""
        if entry.parts is None:
            yield 0, entry
            return
        for start in range(place, len(entry.parts), STRIDE):
            numbers = entry.parts[start : start + STRIDE]
            known = self._catalog.objects.get_many(numbers)
            for number in numbers:
                leaf = known.get(number)
                if leaf is None:
                    raise _wrong(entry)
                yield position, leaf
                position += leaf.size

    def _parts(self, entry: Object) -> Iterator[Object]:
        for _, leaf in self._leaves_from(entry):
            yield leaf

    def leaf(self, leaf: Object) -> bytes:
        """The bytes of a leaf; their SHA-256 has been checked."""
        if leaf.frame is None:
            data = b""
        else:
            raw = self._raw_of(leaf)
            data = raw[leaf.start : leaf.start + leaf.size]
        if len(data) != leaf.size or sha256(data).digest() != leaf.hash:
            raise _wrong(leaf)
        return data

    def _raw_of(self, leaf: Object) -> bytes:
        assert leaf.frame is not None
        frame = self._frame(leaf.frame)
        if frame is None:
            # Collected and rewritten since the row was read: ask again.
            moved = self._catalog.objects.get(leaf.id)
            if moved is None or moved.frame is None or moved.frame == leaf.frame:
                raise _wrong(leaf)
            return self._realigned(leaf, moved)
        return self.raw(frame)

    def _frame(self, number: int) -> Frame | None:
        """The row of a frame. What is read one after the other often lies in one; a frame may move, never change."""
        last = self._last
        if last is None or last.id != number:
            self._last = last = self._catalog.objects.frame(number)
        return last

    def _realigned(self, leaf: Object, moved: Object) -> bytes:
        """The bytes of a moved leaf, padded so that its old start still finds it."""
        return bytes(leaf.start) + self.leaf(moved)

    def raw(self, frame: Frame) -> bytes:
        """A whole frame, decompressed."""
        cached = self._cache.get(frame)
        if cached is None:
            base = self._base_of(frame)
            cached = frames.decode(self._bytes_of(frame), frame.id, base)
            self._cache.put(frame, cached)
        return cached

    def fresh(self, frame: Frame) -> bytes:
        """A frame without a base, read past the cache: a scan of everything would only flush it."""
        cached = self._cache.get(frame)
        return frames.decode(self._bytes_of(frame), frame.id) if cached is None else cached

    def _bytes_of(self, frame: Frame) -> bytes:
        try:
            return self._blobs.read(frame.place)
        except NotFound:
            moved = self._catalog.objects.frame(frame.id)
            if moved is None or moved.place == frame.place:
                raise
            return self._blobs.read(moved.place)

    def _base_of(self, frame: Frame) -> bytes | None:
        if frame.base is None:
            return None
        base = self._catalog.objects.get(frame.base)
        if base is None:
            raise Damaged(f"frame {frame.id} needs an object that is not there", hint="Run `rolltop store verify`.")
        return self.leaf(base)

    def forget(self) -> None:
        """Drop what is cached, after bytes on disk were replaced."""
        self._cache.clear()
        self._last = None


class _FrameCache:
    """The most recently used frames, up to so many bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._frames: OrderedDict[tuple[int, int, int], bytes] = OrderedDict()
        self._lock = threading.Lock()

    @staticmethod
    def _key(frame: Frame) -> tuple[int, int, int]:
        return frame.id, frame.place.pack, frame.place.offset

    def get(self, frame: Frame) -> bytes | None:
        with self._lock:
            raw = self._frames.get(self._key(frame))
            if raw is not None:
                self._frames.move_to_end(self._key(frame))
            return raw

    def put(self, frame: Frame, raw: bytes) -> None:
        with self._lock:
            if self._key(frame) not in self._frames:
                self._size += len(raw)
            self._frames[self._key(frame)] = raw
            while self._size > self._limit:
                self._size -= len(self._frames.popitem(last=False)[1])

    def clear(self) -> None:
        with self._lock:
            self._frames.clear()
            self._size = 0


def _wrong(entry: Object) -> Damaged:
    return Damaged(
        f"the content {entry.hex} is damaged: the bytes on disk are not the bytes that were stored",
        hint="Run `rolltop store repair`; it mends what it can and names the documents it cannot.",
        details={"hash": entry.hex},
    )
