"""How the leaves of a long object are written down: varint differences, deflated, then marks for finding lines.

A mark covers `STRIDE` leaves: how many bytes and how many line ends they hold. With the marks, a line far inside a
large object is found by reading a few leaves. Objects that were stored before there were marks have none.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence

from rolltop.store.catalog.row_checksums import damaged_row
from rolltop.store.records import Mark

__all__ = ["pack_parts", "unpack_marks", "unpack_parts"]


def pack_parts(leaves: Sequence[int], *, aligned: bool, marks: Sequence[Mark] = ()) -> bytes:
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
    packed = bytes([int(aligned)]) + zlib.compress(bytes(out), 6)
    return (
        packed + zlib.compress(array("I", [number for mark in marks for number in mark]).tobytes(), 6)
        if marks
        else packed
    )


def unpack_marks(data: bytes) -> list[Mark]:
    """The marks that follow the leaves; none where the object was stored without."""
    leaves = zlib.decompressobj()
    try:
        leaves.decompress(data[1:])
        numbers = array("I", zlib.decompress(leaves.unused_data)) if leaves.unused_data else array("I")
    except (zlib.error, TypeError, ValueError):
        raise damaged_row() from None
    return [Mark(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]


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
