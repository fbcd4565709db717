"""Line and column in a text of which only a part is at hand."""

from __future__ import annotations

__all__ = ["Whereabouts"]


_CONTINUATION = bytes(range(0x80, 0xC0))


class Whereabouts:
    """How much text has gone by."""

    def __init__(self) -> None:
        self.lines = 0
        self.columns = 0

    def pass_over(self, block: bytes) -> None:
        """The block is behind us; it may end inside a character."""
        self.lines += block.count(b"\n")
        last = block.rfind(b"\n")
        if last >= 0:
            self.columns = 0
        tail = block[last + 1 :]
        self.columns += len(tail) if tail.isascii() else len(tail.translate(None, _CONTINUATION))

    def of(self, text: str) -> tuple[int, int]:
        """1-based line and column of the place after this text, which begins where we are."""
        last = text.rfind("\n")
        if last >= 0:
            return self.lines + text.count("\n") + 1, len(text) - last
        return self.lines + 1, self.columns + len(text) + 1
