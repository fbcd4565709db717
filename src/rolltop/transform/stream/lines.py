"""Pieces of JSON lines: whole lines, a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

__all__ = ["Lines", "line_pieces"]


class Lines:
    """Whole lines, and the number that the first of them has in its file."""

    def __init__(self, block: bytes, first: int) -> None:
        self.block = block
        self.first = first

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines without their breaks; after the last break there is none."""
        found = self.block.split(b"\n")
        if not found[-1]:
            found.pop()
        return found


def line_pieces(
    read: Callable[[int], bytes], work: Callable[[Lines], Any], size: int = 1 << 20, *, first: int = 1
) -> Iterator[Any]:
    """What the work makes of each block of lines, numbered from `first` on."""
    held = b""
    while block := read(size):
        cut = block.rfind(b"\n") + 1
        if not cut:
            held += block
            continue
        piece, held = Lines(held + block[:cut], first), block[cut:]
        yield work(piece)
        first += len(piece.lines)
    if held.strip() or first == 1:
        yield work(Lines(held, first))
