"""Going on with a search: what its pages have shown so far, and the cursor that carries that.

Scores change with every document that is stored, so a place in an order means something else a moment later. A page
therefore is the best of what no page before it has shown: nothing comes twice, and nothing that still answers is lost.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rolltop.errors import InvalidInput
from rolltop.store.query import unknown_cursor

__all__ = ["Shown", "decode_shown", "encode_shown"]

_KINDS = {b"w": (True, False), b"a": (False, False), b"h": (True, True)}
"""The first byte of a cursor: all words were wanted, any of them counted, or it was a search by hash."""

_CHECKED = 4
_LONGEST = 1 << 24


@dataclass(frozen=True, slots=True)
class Shown:
    """What was on the pages before. Where no document had all words, it stays at any of them, whatever comes."""

    documents: frozenset[int] = frozenset()
    complete: bool = True
    by_hash: bool = False
    """Then numbers are those of a content and a document in one."""

    def and_these(self, documents: Iterable[int]) -> Shown:
        return replace(self, documents=self.documents.union(documents))


def encode_shown(shown: Shown, question: str) -> str:
    """A cursor for going on with one question; about a character and a half per document."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(_gaps(shown.documents)) + packer.flush()
    kind = next(kind for kind, told in _KINDS.items() if told == (shown.complete, shown.by_hash))
    return base64.urlsafe_b64encode(kind + _check(packed, question) + packed).decode().rstrip("=")


def decode_shown(cursor: str, question: str) -> Shown:
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
        kind, check, packed = _KINDS[data[:1]], data[1 : 1 + _CHECKED], data[1 + _CHECKED :]
    except (ValueError, KeyError):
        raise unknown_cursor() from None
    if check != _check(packed, question):
        raise InvalidInput(
            "the cursor belongs to another search",
            hint="Give the same query and options as for the page before, or start again without a cursor.",
        )
    try:
        gaps = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, _LONGEST)
    except zlib.error:
        raise unknown_cursor() from None
    return Shown(frozenset(_numbers(gaps)), *kind)


def _check(packed: bytes, question: str) -> bytes:
    return zlib.crc32(packed, zlib.crc32(question.encode("utf-8", "surrogatepass"))).to_bytes(_CHECKED, "big")


def _gaps(numbers: Iterable[int]) -> bytes:
    """Numbers in order, each as what it is more than the one before, in groups of seven bits."""
    data, before = bytearray(), 0
    for number in sorted(numbers):
        gap, before = number - before, number
        while gap > 127:
            data.append(gap & 127 | 128)
            gap >>= 7
        data.append(gap)
    return bytes(data)


def _numbers(data: bytes) -> list[int]:
    numbers, number, gap, shift = [], 0, 0, 0
    for byte in data:
        gap |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            number += gap
            numbers.append(number)
            gap = shift = 0
    return numbers
