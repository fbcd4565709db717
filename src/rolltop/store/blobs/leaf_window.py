"""What is held while content is cut into leaves: a window of a stream, and the leaves of the version before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["Bases", "Window", "windows"]

WINDOW = 16 << 20


class Bases:
    """Which leaf of the previous version stands where a changed piece stands now."""

    def __init__(self, leaves: tuple[int, ...]) -> None:
        self._leaves = leaves
        self._position = {leaf: index for index, leaf in enumerate(leaves)}
        self._next = 0

    def passed(self, leaf: int) -> None:
        self._next = self._position.get(leaf, self._next - 1) + 1

    def beside(self) -> int | None:
        found = self._leaves[self._next] if self._next < len(self._leaves) else None
        self._next += 1
        return found


@dataclass(frozen=True, slots=True)
class Window:
    data: bytes
    last: bool


def windows(blocks: Iterable[bytes]) -> Iterator[Window]:
    """Blocks gathered to about `WINDOW` bytes; the last one is marked, and there is always one."""
    held: bytes | None = None
    gathered: list[bytes] = []
    length = 0
    for block in blocks:
        gathered.append(block)
        length += len(block)
        if length >= WINDOW:
            if held is not None:
                yield Window(held, last=False)
            held, gathered, length = b"".join(gathered), [], 0
    if held is not None and gathered:
        yield Window(held, last=False)
        held = None
    yield Window(b"".join(gathered) if held is None else held, last=True)
