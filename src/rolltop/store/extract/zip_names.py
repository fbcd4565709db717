"""The names in a zip archive, out of its directory alone: what is packed inside of it is not looked at."""

from __future__ import annotations

import struct
from collections.abc import Iterator

__all__ = ["zip_names"]

_END, _ENTRY = b"PK\x05\x06", b"PK\x01\x02"
_END_SIZE, _ENTRY_SIZE = 22, 46
_LONGEST_REMARK = 0xFFFF
"""What may stand behind the end of the directory."""

_WIDE_END = b"PK\x06\x06"
_WIDE_SIZE = 56 + 20
"""The end of a directory with numbers of 64 bits, and where it says it is; both stand before the usual end."""

MOST = 100_000
"""Names that are looked at; no document has so many parts."""


def zip_names(data: bytes) -> Iterator[bytes]:
    """Names in the order of the directory, at most `MOST`; none where there is no directory."""
    at = _directory(data)
    for _ in range(MOST):
        if at < 0 or data[at : at + 4] != _ENTRY or at + _ENTRY_SIZE > len(data):
            return
        name, more, remark = struct.unpack_from("<3H", data, at + 28)
        yield data[at + _ENTRY_SIZE : at + _ENTRY_SIZE + name]
        at += _ENTRY_SIZE + name + more + remark


def _directory(data: bytes) -> int:
    """Where the directory begins, below 0 for nowhere."""
    end = data.rfind(_END, max(0, len(data) - _END_SIZE - _LONGEST_REMARK))
    if end < 0 or end + _END_SIZE > len(data):
        return -1
    size, start = struct.unpack_from("<2I", data, end + 12)
    # Something may stand before the archive: then it ends where it should, but does not begin there.
    places = [start, end - size]
    wide = end - _WIDE_SIZE
    if wide >= 0 and data.startswith(_WIDE_END, wide):
        wide_size, wide_start = struct.unpack_from("<2Q", data, wide + 40)
        places = [wide_start, wide - wide_size]
    return next((place for place in places if place >= 0 and data.startswith(_ENTRY, place)), -1)
