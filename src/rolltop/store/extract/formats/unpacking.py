"""Compressed files, unpacked piece by piece: what comes before a damage is there."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from typing import Protocol

from rolltop.base.zstd import zstd
from rolltop.store.extract.formats.limits import Spent

__all__ = ["BROKEN", "Joined", "Readable", "Unpacked"]

BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError, ValueError)
"""What unpacking raises where the file is not whole."""

_PIECE = 1 << 18
_WINDOW = 27
"""Powers of two: what unpacking may keep in memory, 128 MB."""


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
                return self._stream.read1(size)
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
    return zstd.ZstdFile(file, options={zstd.DecompressionParameter.window_log_max: _WINDOW})


class Joined:
    """A beginning that was read already, then the rest."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        first, self._head = (self._head, b"") if size < 0 else (self._head[:size], self._head[size:])
        missing = -1 if size < 0 else size - len(first)
        return first + (self._rest.read(missing) if missing else b"")
