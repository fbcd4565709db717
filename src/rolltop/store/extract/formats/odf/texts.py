"""The language of OpenDocument: paragraphs with what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolltop.store.extract.formats.draft import PARTED, Draft, joined
from rolltop.store.extract.formats.xml import START, TEXT, Event

__all__ = ["Texts"]

_SPACE = re.compile(r"[ \t\r\n]+")
"""Where more than one space is meant, an element says so."""
_PARAGRAPHS = frozenset({"p", "h"})
_LEFT_OUT = frozenset({"tracked-changes", "forms", "styles", "automatic-styles", "settings", "ruby-text"})
"""`ruby-text` says how the characters before it sound, between the characters of a word."""

_ASIDE = frozenset(
    {
        *("note", "annotation", "frame"),
        *("custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon", "path", "connector"),
        *("caption", "measure", "regular-polygon"),
    }
)
"""What stands in the middle of a paragraph and has paragraphs of its own."""
_DESCRIBING = frozenset({"title", "desc"})
_OBJECTS = frozenset({"object", "object-ole"})
MOST_OBJECTS = 1000


class Texts:
    """Paragraphs and headings; the pages of a presentation are slides.

    What a paragraph has beside its text (notes, comments, boxes) comes after it: its own words stay together.
    """

    heeded = _PARAGRAPHS | _ASIDE | _DESCRIBING | _OBJECTS | {"page", "notes", "a", "tab", "line-break", "s"}

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._pieces: list[str] | None = None
        """Of the paragraph that has begun; None outside, and in what has text only in paragraphs of its own."""
        self._open: list[tuple[str, list[str] | None]] = []
        """What has begun, with the pieces of what it stands in."""
        self._after: list[tuple[str, bool]] = []
        self._slides = 0
        self._title_at = 0
        """How many have begun where the title of a slide did; 0 outside of it."""
        self.objects: dict[str, str] = {}
        """What has a part of its own in the package, and the place of it."""

    def write(self, found: Iterator[Event]) -> None:
        left_out = 0
        heeded = self.heeded
        for event, value, said in found:
            if event == TEXT:
                if (pieces := self._pieces) is not None and not left_out:
                    pieces.append(_SPACE.sub(" ", value) if "\n" in value or "  " in value else value)
            elif value in _LEFT_OUT:
                left_out += 1 if event == START else -1
            elif value not in heeded or left_out:
                continue
            elif event == START:
                self.start(value, said)
            else:
                self.end(value)

    def start(self, name: str, said: dict[str, str]) -> None:
        if name in _PARAGRAPHS:
            self._begin(name, [])
        elif name in _ASIDE:
            self._begin(name, None)
            if said.get("class") == "title" and not self._title_at:
                self._title_at = len(self._open)
        elif name == "page":
            self._slides += 1
            self.draft.at(f"slide {self._slides}")
        elif name == "notes":
            self.draft.at(f"slide {self._slides}, notes")
        elif name == "a":
            self.draft.link(said.get("href"))
        elif name in _OBJECTS:
            if len(self.objects) < MOST_OBJECTS:
                self.objects.setdefault(said.get("href", ""), self.drawing())
        elif name in _DESCRIBING:
            if self._open and self._pieces is None:  # of a picture; in a paragraph, it is a part of that
                self._begin(name, [])
        elif self._pieces is not None:
            count = said.get("c", "1")
            spaces = " " * min(int(count), 100) if count.isdecimal() else " "
            self._pieces.append({"tab": "\t", "line-break": "\n"}.get(name, spaces))

    def _begin(self, name: str, pieces: list[str] | None) -> None:
        if self._pieces is not None:
            self._pieces.append(PARTED)
        self._open.append((name, self._pieces))
        self._pieces = pieces

    def end(self, name: str) -> None:
        if self._open and self._open[-1][0] == name:
            pieces = self._pieces
            is_heading = name == "h" or 0 < self._title_at < len(self._open)
            _, self._pieces = self._open.pop()
            if pieces is not None:
                self._ended(joined(pieces), heading=is_heading)
            if len(self._open) < self._title_at:
                self._title_at = 0

    def _ended(self, text: str, *, heading: bool) -> None:
        if self._open and any(pieces is not None for _, pieces in self._open):
            self._after.append((text, heading))
            return
        self.paragraph(text, heading=heading)
        if self._after:
            after, self._after = self._after, []
            for each, is_heading in after:
                self.paragraph(each, heading=is_heading)

    def drawing(self) -> str:
        """The place of what is drawn here."""
        return f"slide {self._slides}, drawing" if self._slides else "drawing"

    def is_beside(self) -> bool:
        """Whether what ends now stands in a note or a box."""
        return any(name in _ASIDE for name, _ in self._open)

    def paragraph(self, text: str, *, heading: bool) -> None:
        self.draft.line(text)
        if heading:
            self.draft.heading(text)
