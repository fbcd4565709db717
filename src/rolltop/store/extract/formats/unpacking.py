"""Compressed files, unpacked piece by piece: what comes before a damage is there."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from typing import Protocol

import zstandard

from rolltop.store.extract.formats.limits import Spent

__all__ = ["BROKEN", "Joined", "Readable", "Unpacked"]

BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, ValueError)
"""What unpacking raises where the file is not whole."""

_PIECE = 1 << 18
_ZSTD, _ZSTD_SKIPPED = b"\x28\xb5\x2f\xfd", range(0x184D2A50, 0x184D2A60)
_BLOCK_HEADER, _CHECKSUM = 3, 4
_LAST, _REPEATED, _SIZE_AT = 1, 1, 3
"""In the header of a block: whether it is the last one of its frame; it has a type, and its size."""


class Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class _Stream(Protocol):
    def read1(self, size: int = ..., /) -> bytes: ...


class Unpacked:
    """What a compressed file holds; it stops the reading where too much has been unpacked."""

    def __init__(self, data: bytes, spent: Spent) -> None:
        self._stream = _unpacker(data)
        self._spent = spent
        self._failure: Exception | None = None
        self._cut = data.startswith(_ZSTD) and not _is_whole(data)

    def read(self, size: int = -1) -> bytes:
        """The next bytes, fewer only before the end or a damage; raises one of `BROKEN` at a damage."""
        wanted = self._spent.left + 1 if size < 0 else size
        pieces, have = [], 0
        while have < wanted and (piece := self._next(min(wanted - have, _PIECE), have)):
            self._spent.unpack(len(piece))
            pieces.append(piece)
            have += len(piece)
        return b"".join(pieces)

    def _next(self, size: int, have: int) -> bytes:
        """A piece, nothing at the end. A damage is kept for the next call where this one has something to give."""
        if self._failure is None:
            try:
                piece = self._stream.read1(size)
                if piece or not self._cut:
                    return piece
                self._failure = EOFError("Compressed file ended before the end of its last frame")
            except BROKEN as error:
                self._failure = error
        if have:
            return b""
        raise self._failure


def _unpacker(data: bytes) -> _Stream:
    file = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if data.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if data.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(file)
    return zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file, read_across_frames=True)


def _is_whole(data: bytes) -> bool:
    """Whether the frames of zstd reach to the end: its reader takes a file that was cut off for one that ends there."""
    view, at = memoryview(data), 0
    while at < len(data):
        if int.from_bytes(view[at : at + 4], "little") in _ZSTD_SKIPPED:
            at += 8 + int.from_bytes(view[at + 4 : at + 8], "little")
            continue
        try:
            frame = zstandard.get_frame_parameters(view[at:])
            at += zstandard.frame_header_size(view[at:])
        except zstandard.ZstdError:
            return False
        last = False
        while not last and at < len(data):
            block = int.from_bytes(view[at : at + _BLOCK_HEADER], "little")
            last = bool(block & _LAST)
            at += _BLOCK_HEADER + (1 if (block >> 1) & 3 == _REPEATED else block >> _SIZE_AT)
        at += _CHECKSUM if frame.has_checksum else 0
        if not last:
            return False
    return at == len(data)


class Joined:
    """A beginning that was read already, then the rest."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        first, self._head = (self._head, b"") if size < 0 else (self._head[:size], self._head[size:])
        missing = -1 if size < 0 else size - len(first)
        return first + (self._rest.read(missing) if missing else b"")
