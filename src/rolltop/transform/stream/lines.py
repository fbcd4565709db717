"""Pieces of JSON lines: whole lines, a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["line_pieces"]


def line_pieces(
    read: Callable[[int], bytes], work: Callable[[bytes, int], Any], size: int = 1 << 20, *, first: int = 1
) -> Iterator[Any]:
    """What the work makes of each block of lines; it is told the number of its first line, from `first` on."""
    held = b""
    while block := read(size):
        cut = block.rfind(b"\n") + 1
        if not cut:
            held += block
            continue
        piece, held = held + block[:cut], block[cut:]
        yield work(piece, first)
        first += piece.count(b"\n")
    if held.strip() or first == 1:
        yield work(held, first)
