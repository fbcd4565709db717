"""The frame codec: header, checksums, compression, and mending a flipped bit. See docs/design/store-format.md."""

from __future__ import annotations

import struct
import threading
import zlib
from array import array
from itertools import product

from rolltop.base.zstd import MIN_DICTIONARY, decompress_exactly, zstd
from rolltop.errors import Damaged

__all__ = ["HEADER", "MAX_DEPTH", "check", "decode", "encode", "mend"]

MAGIC = b"RTF1"
_LAYOUT = struct.Struct("<4sBBHIIQI")
_CHECK = struct.Struct("<I")
HEADER = _LAYOUT.size + _CHECK.size
STORED, ZSTD, BASED = 0, 1, 2
LEVEL = 3
MAX_DEPTH = 8
"""How many bases a leaf may need, at most."""

_POLYNOMIAL = 0xEDB88320
_steps = array("I")


class _Codecs(threading.local):
    """zstd contexts may not be shared between threads."""

    def __init__(self) -> None:
        self.compressor = zstd.ZstdCompressor(level=LEVEL)


_codecs = _Codecs()


def encode(number: int, raw: bytes, leaves: int, base: bytes | None = None) -> bytes:
    """The frame of `raw`, compressed with `base` as dictionary when one is given."""
    if base is not None:
        kind, payload = BASED, zstd.compress(raw, LEVEL, zstd_dict=_dictionary(base))
    else:
        kind, payload = ZSTD, _codecs.compressor.compress(raw, zstd.ZstdCompressor.FLUSH_FRAME)
        if len(payload) >= len(raw):
            kind, payload = STORED, raw
    header = _LAYOUT.pack(MAGIC, kind, 0, leaves, len(raw), len(payload), number, zlib.crc32(payload))
    return header + _CHECK.pack(zlib.crc32(header)) + payload


def _dictionary(base: bytes) -> zstd.ZstdDict | None:
    return zstd.ZstdDict(base, is_raw=True) if len(base) >= MIN_DICTIONARY else None


def check(data: bytes, number: int) -> tuple[int, int, bytes]:
    """The kind, raw length and payload of a frame whose checksums are right; else `Damaged`."""
    if len(data) < HEADER:
        raise _damaged(number, "it is cut short")
    fields = data[: _LAYOUT.size]
    if zlib.crc32(fields) != _CHECK.unpack_from(data, _LAYOUT.size)[0]:
        raise _damaged(number, "its header fails its checksum")
    magic, kind, _, _, raw_length, length, stored_number, check = _LAYOUT.unpack(fields)
    payload = data[HEADER:]
    if magic != MAGIC or stored_number != number or len(payload) != length:
        raise _damaged(number, "another frame, or none, is in its place")
    if zlib.crc32(payload) != check:
        raise _damaged(number, "its bytes fail their checksum")
    return kind, raw_length, payload


def decode(data: bytes, number: int, base: bytes | None = None) -> bytes:
    """The raw bytes of a frame, or `Damaged`."""
    kind, raw_length, payload = check(data, number)
    return _unpack(kind, payload, raw_length, number, base)


def _unpack(kind: int, payload: bytes, raw_length: int, number: int, base: bytes | None) -> bytes:
    if kind == STORED:
        raw: bytes | None = payload
    else:
        try:
            raw = decompress_exactly(payload, raw_length, _dictionary(base or b"") if kind == BASED else None)
        except zstd.ZstdError:
            raise _damaged(number, "its base does not fit" if kind == BASED else "it cannot be unpacked") from None
    if raw is None or len(raw) != raw_length:
        raise _damaged(number, "it has another length than it says")
    return raw


def _damaged(number: int, why: str) -> Damaged:
    return Damaged(
        f"frame {number} of the store is damaged: {why}",
        code="damaged",
        hint="Run `rolltop store repair`; it mends single flipped bits and names what it cannot mend.",
        details={"frame": number},
    )


def mend(data: bytes, number: int, leaves: int, raw_length: int) -> bytes | None:
    """The frame with a single flipped bit turned back, or None when that is not what happened.

    The catalogue knows what the header must say, apart from the kind and the payload's checksum; the
    checksum places a flipped bit in the payload.
    """
    if len(data) < HEADER:
        return None
    payload = data[HEADER:]
    stated = _LAYOUT.unpack_from(data)
    # Leaves that were stored again since lie elsewhere: then the header knows better how many there were.
    for kind, count in product((STORED, ZSTD, BASED), {leaves, stated[3]}):
        for check in {stated[7], zlib.crc32(payload)}:
            header = _LAYOUT.pack(MAGIC, kind, 0, count, raw_length, len(payload), number, check)
            seal = _CHECK.pack(zlib.crc32(header))
            if (header + seal)[:HEADER] == data[:HEADER] or _bits_apart(header + seal, data[:HEADER]) == 1:
                mended = payload if zlib.crc32(payload) == check else _flip_back(payload, check)
                if mended is not None:
                    return header + seal + mended
    return None


def _bits_apart(left: bytes, right: bytes) -> int:
    return (int.from_bytes(left) ^ int.from_bytes(right)).bit_count()


def _flip_back(payload: bytes, check: int) -> bytes | None:
    """Undo the one bit flip that explains the difference between the checksum and the bytes."""
    import numpy as np  # noqa: PLC0415 - seldom needed

    wanted = zlib.crc32(payload) ^ check
    found = np.flatnonzero(np.frombuffer(_changes(8 * len(payload)), np.uint32)[: 8 * len(payload)] == wanted)
    if not len(found):
        return None
    distance = int(found[0])
    mended = bytearray(payload)
    mended[-1 - distance // 8] ^= 0x80 >> distance % 8
    return bytes(mended)


def _changes(bits: int) -> bytes:
    """What a flipped bit changes in a CRC: that depends only on its distance from the end, a step for each bit."""
    if len(_steps) < bits:
        change = _steps[-1] if _steps else 1
        more = array("I")
        for _ in range(len(_steps), bits):
            change = (change >> 1) ^ (_POLYNOMIAL if change & 1 else 0)
            more.append(change)
        _steps.extend(more)
    return _steps.tobytes()
