"""Text that is being collected, with its places."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rolltop.store.extract.formats.limits import Enough, MissingPart, Spent, Unreadable
from rolltop.store.extract.record import Anchor, Extracted, Symbol

__all__ = ["PARTED", "Draft", "joined"]

PARTED = "\0"
"""Stands between the pieces of a paragraph where a note or a box does, which parts words."""
_MAY_PART = "\N{SOFT HYPHEN}"
_PARTS = re.compile(r"(?<=\w)\0+(?=\w)")

MOST_HEADINGS = 1000
MOST_LINKS = 2000
MOST_ANCHORS = 50_000
LONGEST_HEADING = 500


def joined(pieces: Iterable[str]) -> str:
    """A paragraph of its pieces, with a space only where two words would become one."""
    text = "".join(pieces)
    return _PARTS.sub(" ", text).replace(PARTED, "") if PARTED in text else text


class Draft:
    """What readers write into. A draft inside another (a member of an archive) has a label before its places."""

    def __init__(self, spent: Spent, *, depth: int = 0) -> None:
        self.spent = spent
        self.depth = depth
        self.title = ""
        self.is_table = False
        """Headings are names of sheets or of messages, which say little about the whole."""
        self.headings: list[str] = []
        self.links: dict[str, None] = {}
        self.anchors: list[Anchor] = []
        self.symbols: list[Symbol] = []
        self.notes: list[str] = []
        self.needs = ""
        self._pieces: list[str] = []
        self.length = 0

    def say(self, text: str) -> None:
        """Add text; where a word may be parted is not seen in it."""
        text = text.replace(_MAY_PART, "")
        room = self.spent.limits.characters - self.length
        if len(text) > room:
            self._pieces.append(text[:room])
            self.length += room
            raise Enough(f"only the first {self.spent.limits.characters >> 20} million characters were read")
        self._pieces.append(text)
        self.length += len(text)

    def line(self, text: str = "") -> None:
        """Add text that ends its line."""
        self.say(text + "\n")

    def at(self, label: str, row: int = 0) -> None:
        """What follows comes from here."""
        if len(self.anchors) >= MOST_ANCHORS:
            raise Enough(f"only the first {MOST_ANCHORS} places were read")
        if self.anchors and self.anchors[-1].start == self.length:
            self.anchors.pop()
        self.anchors.append(Anchor(self.length, label, row))

    def heading(self, text: str) -> None:
        text = " ".join(text.replace(_MAY_PART, "").split())[:LONGEST_HEADING]
        if text and len(self.headings) < MOST_HEADINGS:
            self.headings.append(text)

    def link(self, target: str | None) -> None:
        if target and len(self.links) < MOST_LINKS:
            self.links[target.strip()[:2000]] = None

    def refused(self, error: Unreadable | Enough) -> None:
        """Note why reading ended."""
        self.note(str(error))
        if isinstance(error, MissingPart):
            self.needs = error.part

    def note(self, words: str) -> None:
        if words not in self.notes and len(self.notes) < 10:
            self.notes.append(words)

    def take_in(self, part: Draft, label: str) -> None:
        """Add what a part (an attachment, a member) holds, with its places under its name."""
        base = self.length
        self.at(label)
        for anchor in part.anchors:
            place = Anchor(base + anchor.start, f"{label}, {anchor.label}", anchor.row)
            if self.anchors[-1].start == place.start:
                self.anchors.pop()
            self.anchors.append(place)
        for heading in part.headings:
            self.heading(heading)
        for link in part.links:
            self.link(link)
        for words in part.notes:
            self.note(f"{label}: {words}")
        self.needs = self.needs or part.needs
        self.say(part.text())

    def text(self) -> str:
        return "".join(self._pieces)

    def finished(self) -> Extracted:
        title = self.title.strip() or (self.headings[0] if self.headings and not self.is_table else "")
        body = self.text()
        # A NUL is no text, and a lone surrogate could not be kept.
        body = body.replace("\0", " ").encode("utf-8", "replace").decode() if body else ""
        return Extracted(
            title=" ".join(title.split())[:LONGEST_HEADING],
            headings=tuple(self.headings),
            body=body,
            symbols=tuple(self.symbols),
            anchors=tuple(self.anchors),
            note="; ".join(self.notes) or None,
            links=tuple(self.links),
            needs=self.needs,
        )
