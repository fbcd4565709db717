"""How far the catalogue has come, noted beside the packs: it tells an older catalogue from a crash.

Bytes that the catalogue does not know are what a crash left, and may go; or they are documents that were acknowledged,
and the catalogue beside them is an older copy, or lost its log. After each commit the writer notes here what the
catalogue has reached. A catalogue that has reached less is not the one that belongs to the packs.
"""

from __future__ import annotations

import os
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Reach", "ReachFile"]

_MAGIC = b"RTA1"
_LAYOUT = struct.Struct("<4s16sQQQ")
_CHECK = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Reach:
    """A state of a catalogue: whose it is, its last change, and the end of what was written to packs."""

    store: str
    change: int
    pack: int
    length: int

    def is_behind(self, other: Reach) -> bool:
        """Whether the catalogue of this state is older than the other one, or another store's."""
        return (
            self.store != other.store
            or self.change < other.change
            or (self.pack, self.length) < (other.pack, other.length)
        )


class ReachFile:
    """A few bytes that are overwritten in place. Not synced: what a power loss leaves of it is older, and true."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def read(self) -> Reach | None:
        """What was noted last; None where nothing was, or where it cannot be made out."""
        try:
            data = self._path.read_bytes()
        except OSError:
            return None
        fields = data[: _LAYOUT.size]
        if len(data) != _LAYOUT.size + _CHECK.size or zlib.crc32(fields) != _CHECK.unpack_from(data, len(fields))[0]:
            return None
        magic, store, change, pack, length = _LAYOUT.unpack(fields)
        return Reach(store.hex(), change, pack, length) if magic == _MAGIC else None

    def begin(self, reach: Reach) -> None:
        """Note it, on disk when this returns."""
        self.write(reach)
        os.fsync(self._opened())

    def write(self, reach: Reach) -> None:
        fields = _LAYOUT.pack(_MAGIC, bytes.fromhex(reach.store), reach.change, reach.pack, reach.length)
        os.pwrite(self._opened(), fields + _CHECK.pack(zlib.crc32(fields)), 0)

    def _opened(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file

    def close(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None
