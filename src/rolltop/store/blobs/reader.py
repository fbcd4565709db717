"""Reads objects back, checking every byte it hands out."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from hashlib import sha256

from rolltop.errors import Damaged, NotFound
from rolltop.store.blobs import frames
from rolltop.store.records import Frame, Object
from rolltop.store.seams import BlobStore, Catalog

__all__ = ["Reader"]

CACHE_BYTES = 16 << 20


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
        position = 0
        for leaf in self._parts(entry):
            if position < end and position + leaf.size > start:
                yield self.leaf(leaf)[max(0, start - position) : end - position]
            position += leaf.size

    def pieces(self, entry: Object) -> Iterator[bytes]:
        """The object leaf by leaf, for what is too large to hold at once."""
        for leaf in self._parts(entry):
            yield self.leaf(leaf)

    def _parts(self, entry: Object) -> Iterator[Object]:
        if entry.parts is None:
            yield entry
            return
        for number in entry.parts:
            leaf = self._catalog.objects.get(number)
            if leaf is None:
                raise _wrong(entry)
            yield leaf

    def leaf(self, leaf: Object) -> bytes:
        """The bytes of a leaf; their SHA-256 has been checked."""
        if leaf.frame is None:
            data = b""
        else:
            raw = self._raw_of(leaf)
            data = raw[leaf.start : leaf.start + leaf.size]
        if sha256(data).digest() != leaf.hash:
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
