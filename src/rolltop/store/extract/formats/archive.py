"""Archives: the names of their members, and the texts of those that have one."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from typing import IO, Protocol, cast

import zstandard

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Spent, Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.parts import read_part

__all__ = ["read"]

LONGEST_MEMBER = 32 << 20
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, ValueError)


def read(data: bytes, draft: Draft) -> None:
    if data.startswith(b"PK"):
        _zip(data, draft)
    elif data[257:262] == b"ustar":
        _tar(io.BytesIO(data), draft)
    else:
        _packed(data, draft)


def _zip(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    for name in package.names:
        if name.endswith("/"):
            continue
        draft.spent.member()
        if package.size(name) > LONGEST_MEMBER:
            _only_named(name, draft, f"longer than {LONGEST_MEMBER >> 20} MB")
            continue
        try:
            content = package.read(name)
        except Unreadable as error:
            _only_named(name, draft, str(error))
        else:
            read_part(content, name, draft)


def _only_named(name: str, draft: Draft, why: str) -> None:
    draft.at(name)
    draft.line(name)
    draft.note(f"{name}: {why}")


class _Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


def _tar(file: _Readable, draft: Draft) -> None:
    try:
        with tarfile.open(fileobj=cast(IO[bytes], file), mode="r|") as archive:
            for member in archive:
                draft.spent.member()
                stream = archive.extractfile(member) if member.isreg() else None
                if member.isdir():
                    continue
                if stream is None or member.size > LONGEST_MEMBER:
                    _only_named(member.name, draft, "not read")
                else:
                    read_part(stream.read(), member.name, draft)
    except (tarfile.TarError, *_BROKEN) as error:
        if not draft.length:
            raise Unreadable(f"the archive is damaged ({error})") from None
        draft.note(f"the archive is cut off or damaged ({error})")


def _packed(data: bytes, draft: Draft) -> None:
    """One file, compressed; often a tar archive."""
    stream = _Bounded(_unpacker(data), draft.spent)
    try:
        head = stream.read(512)
        if head[257:262] == b"ustar":
            _tar(_Joined(head, stream), draft)
            return
        content = head + stream.read(LONGEST_MEMBER)
    except _BROKEN as error:
        raise Unreadable(f"it cannot be unpacked ({error})") from None
    if stream.read(1):
        draft.note(f"only the first {LONGEST_MEMBER >> 20} MB were unpacked")
    read_part(content, "content", draft)


def _unpacker(data: bytes) -> _Readable:
    file = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if data.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if data.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(file)
    return zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file)


class _Bounded:
    """A stream that stops the reading where too much has been unpacked."""

    def __init__(self, stream: _Readable, spent: Spent) -> None:
        self._stream = stream
        self._spent = spent

    def read(self, size: int = -1) -> bytes:
        wanted = self._spent.left + 1 if size < 0 else size
        pieces, have = [], 0
        while have < wanted and (piece := self._stream.read(min(wanted - have, 1 << 18))):
            self._spent.unpack(len(piece))
            pieces.append(piece)
            have += len(piece)
        return b"".join(pieces)


class _Joined:
    """A beginning that was read already, then the rest."""

    def __init__(self, head: bytes, rest: _Bounded) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        first, self._head = (self._head, b"") if size < 0 else (self._head[:size], self._head[size:])
        missing = -1 if size < 0 else size - len(first)
        return first + (self._rest.read(missing) if missing else b"")
