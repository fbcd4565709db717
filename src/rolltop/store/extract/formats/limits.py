"""How much of a document is read, and what is said when that is not all."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Enough", "Limits", "MissingPart", "Spent", "Unreadable"]


class Unreadable(Exception):
    """The document cannot be read; the words say why."""


class MissingPart(Unreadable):
    """Reading this format needs a part that is not installed."""

    def __init__(self, words: str, part: str) -> None:
        super().__init__(words)
        self.part = part


class Enough(Exception):
    """A limit was reached: what has been read so far is the text."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is read of one document."""

    characters: int = 8 << 20
    unpacked: int = 192 << 20
    members: int = 2000
    nesting: int = 3


class Spent:
    """What has been unpacked of one document, over all its parts and what is packed inside them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.unpacked = 0
        self.members = 0

    @property
    def left(self) -> int:
        return self.limits.unpacked - self.unpacked

    def unpack(self, size: int) -> None:
        self.unpacked += size
        if self.unpacked > self.limits.unpacked:
            raise Enough(f"only the first {self.limits.unpacked >> 20} MB were unpacked")

    def member(self) -> None:
        self.members += 1
        if self.members > self.limits.members:
            raise Enough(f"only the first {self.limits.members} members were read")
