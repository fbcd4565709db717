"""Line and column in a text of which only a part is at hand."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Any

__all__ = ["ReadAgain", "Whereabouts", "second_look"]

_CONTINUATION = bytes(range(0x80, 0xC0))
_BLOCK = 1 << 20
ReadAgain = Callable[[int, int], bytes]
"""So many bytes of a source from a place on; what is read next from the source itself stays the same."""


def second_look(source: Any) -> ReadAgain | None:
    """A way to read a source again from where it is now; None for pipes and whatever else is gone once read."""
    try:
        descriptor, start = source.fileno(), source.tell()
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
    except (AttributeError, OSError):
        return None
    return lambda size, at: os.pread(descriptor, size, start + at)


class Whereabouts:
    """How much text has gone by.

    Looking for line breaks in everything takes a twentieth of the time of a whole run, and only failures ask for it.
    So where text can be read again, it is looked at then.
    """

    def __init__(self, again: ReadAgain | None = None, start: int = 0) -> None:
        """`start` bytes of the source are a mark that is no text."""
        self._again = again
        self._passed = self._seen = start
        """Bytes that have gone by, and those of them that were looked at."""
        self._lines = 0
        self._columns = 0

    def pass_over(self, buffer: bytes, end: int) -> None:
        """The first bytes of the buffer are behind us; they may end inside a character."""
        self._passed += end
        if self._again is None:
            self._look_at(buffer, end)

    def _look_at(self, block: bytes, end: int) -> None:
        self._seen += end
        self._lines += block.count(b"\n", 0, end)
        last = block.rfind(b"\n", 0, end)
        if last >= 0:
            self._columns = 0
        tail = block[last + 1 : end]
        self._columns += len(tail) if tail.isascii() else len(tail.translate(None, _CONTINUATION))

    def _catch_up(self) -> None:
        while self._again is not None and self._seen < self._passed:
            block = self._again(min(_BLOCK, self._passed - self._seen), self._seen)
            if not block:
                return  # somebody made the file shorter; what is left of it is counted
            self._look_at(block, len(block))

    def of(self, text: str) -> tuple[int, int]:
        """1-based line and column of the place after this text, which begins where we are."""
        self._catch_up()
        last = text.rfind("\n")
        if last >= 0:
            return self._lines + text.count("\n") + 1, len(text) - last
        return self._lines + 1, self._columns + len(text) + 1
