"""Where content is cut: FastCDC, with each cut moved to the end of its line.

The cuts of FastCDC depend on the bytes around them alone. Moving a cut forward to the next newline keeps
that property, and makes every leaf of text a whole number of lines: leaves can then be searched one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyfastcdc import FastCDC

__all__ = ["SINGLE", "cut"]

MINIMUM, AVERAGE, MAXIMUM = 4 << 10, 16 << 10, 64 << 10
SINGLE = AVERAGE
"""Content up to this size is one leaf."""

LINE_REACH = 4 << 10

_chunker = FastCDC(avg_size=AVERAGE, min_size=MINIMUM, max_size=MAXIMUM)


def cut(data: bytes) -> tuple[list[int], bool]:
    """The ends of the leaves, and whether every one of them but the last is the end of a line."""
    if len(data) <= SINGLE:
        return [len(data)], True
    ends: list[int] = []
    aligned = True
    for end in _fastcdc_ends(data):
        if ends and end <= ends[-1]:
            continue
        newline = data.find(b"\n", end - 1, end + LINE_REACH)
        if newline < 0:
            ends.append(end)
            aligned = aligned and end == len(data)
        else:
            ends.append(newline + 1)
    return ends, aligned


def _fastcdc_ends(data: bytes) -> Iterator[int]:
    for chunk in _chunker.cut_buf(data):
        yield chunk.offset + chunk.length
