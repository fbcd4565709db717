"""How the leaves of a long object are written down: varint differences, deflated."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from rolltop.store.catalog.row_checksums import damaged_row

__all__ = ["pack_parts", "unpack_parts"]


def pack_parts(leaves: Sequence[int], *, aligned: bool) -> bytes:
    out = bytearray()
    previous = 0
    for leaf in leaves:
        step = leaf - previous
        previous = leaf
        value = step << 1 if step >= 0 else (-step << 1) - 1
        while value > 0x7F:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    return bytes([int(aligned)]) + zlib.compress(bytes(out), 6)


def unpack_parts(data: bytes) -> tuple[tuple[int, ...], bool]:
    leaves: list[int] = []
    value = shift = previous = 0
    try:
        numbers = zlib.decompress(data[1:])
    except (zlib.error, TypeError):
        raise damaged_row() from None
    for byte in numbers:
        value |= (byte & 0x7F) << shift
        if byte & 0x80:
            shift += 7
            continue
        previous += value >> 1 if not value & 1 else -((value + 1) >> 1)
        leaves.append(previous)
        value = shift = 0
    return tuple(leaves), bool(data[0] & 1)
