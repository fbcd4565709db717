"""HTML: what a reader of the page sees, with headings and links."""

from __future__ import annotations

import re
from typing import Any, cast

from lxml import etree

from rolltop.store.extract.charsets import declared_in
from rolltop.store.extract.formats.draft import PARTED, Draft, joined
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.plain import decoded
from rolltop.store.file_types import is_text

__all__ = ["read", "write_page"]

_LEFT_OUT = frozenset({"script", "style", "template", "svg", "object", "iframe", "head", "rt", "rp"})
"""`rt` and `rp` say how the characters below them sound, between the characters of a word."""
_LABELS = frozenset({"text", "foreignobject"})
_NOT_DRAWN = frozenset({"defs", "symbol", "metadata", "style", "script"})
"""Of a drawing, what stands in it as text is read; what these hold is not shown where it stands."""
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figcaption"),
        *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol"),
        *("option", "p", "pre", "section", "table", "tr", "ul", "title", "caption"),
        *("center", "details", "dialog", "dir", "frameset", "hgroup", "legend", "listing", "marquee", "menu"),
        *("multicol", "noframes", "noscript", "optgroup", "plaintext", "search", "summary", "textarea", "xmp"),
    }
)
_BOXES = frozenset(
    {
        *("annotation", "audio", "button", "canvas", "embed", "iframe", "img", "input", "math", "meter", "object"),
        *("output", "progress", "select", "svg", "video"),
    }
)
"""Stand in the line, but not in a word."""
_LINKS = frozenset({"a", "link"})
_CELLS = frozenset({"td", "th"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SHIFTS = 4096
"""In so much of the beginning, a page in an alphabet that is shifted to is told."""
_SPACE = re.compile(r"\s+")
_FED = 1 << 16
"""Bytes that the parser gets at a time: where enough was read, it stops only between two pieces."""
_PIECE = 1 << 18
"""Spaces are looked for in so many characters at a time: every one that is found takes memory."""
DEEPEST = 100_000
"""Elements inside of each other: the parser looks through all of them for the one that an end tag means."""


def read(data: bytes, draft: Draft) -> None:
    if not write_page(data, draft):
        raise Unreadable("it holds no HTML")


def write_page(data: bytes, draft: Draft, charset: str | None = None, *, sections: bool = True) -> bool:
    """Write a page that is written in `charset`, or as it says itself, into a draft; false where there is none.

    With `sections`, places are the headings above.
    """
    if not data or data.isspace():
        return False
    # No tree is built: however deep a page is nested, only the names of what is open are remembered.
    page = _Page(draft, sections=sections)
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, target=cast(Any, page))
    try:
        source = memoryview(_in_utf8(data, charset))
        for place in range(0, len(source), _FED):
            parser.feed(bytes(source[place : place + _FED]))
        parser.close()
    except _TooDeep:
        draft.note(f"only what is nested up to {DEEPEST} deep was read")
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Unreadable(f"it is no HTML that could be read ({error})") from None
    for stopped in list(parser.error_log.filter_from_fatals())[:1]:
        draft.note(f"the page was read up to line {stopped.line} ({stopped.message.strip()})")
    return page.begun


def _in_utf8(data: bytes, charset: str | None) -> bytes:
    if charset is None and b"\x1b" in data[:_SHIFTS] and data.isascii():
        charset = declared_in(data[:_SHIFTS])  # written in ASCII, but not meant so
    if charset is None and is_text(data):
        return data
    return decoded(data, charset).encode("utf-8", "replace")


class _TooDeep(Exception):
    """The rest of the page is left out."""


class _Page:
    """What a parser tells of a page: what is seen of it goes on, without what is left out, and the title apart."""

    def __init__(self, draft: Draft, *, sections: bool) -> None:
        self._draft = draft
        self._text = _Text(draft, sections=sections)
        self._open: list[str] = []
        self._skipped = 0
        """How deep what is left out began; 0 outside of it."""
        self._drawings: list[int] = []
        """How deep drawings began. They are left out, but for the words in them."""
        self._labels: list[int] = []
        """How deep such words began."""
        self._title: list[str] | None = None
        self._title_at = 0
        self._said: list[str] = []
        self._size = 0
        self.begun = False

    def start(self, tag: str, said: dict[str, str]) -> None:
        self._flush()
        self.begun = True
        parent = self._open[-1] if self._open else ""
        self._open.append(tag)
        if len(self._open) > DEEPEST:
            self._text.break_line()
            raise _TooDeep
        if tag == "title" and self._title is None and not self._drawings:
            self._title, self._title_at = [], len(self._open)
        if self._skipped:
            self._drawn(tag)
        elif tag in _LEFT_OUT:
            self._skipped = len(self._open)
            if tag == "svg":
                self._drawings.append(self._skipped)
            if tag in _BOXES:
                self._text.part()
        else:
            self._text.start(tag, said, parent)

    def _drawn(self, tag: str) -> None:
        """What begins inside of what is left out: words, where that is a drawing."""
        depth = len(self._open)
        if not self._drawings or self._skipped != self._drawings[-1]:
            return
        if tag in _LABELS:
            self._labels.append(depth)
            self._skipped = 0
            self._text.break_line()
        elif tag in _NOT_DRAWN:
            self._skipped = depth

    def end(self, tag: str) -> None:
        self._flush()
        depth = len(self._open)
        if depth == self._title_at:
            self._end_title()
        if self._labels and depth == self._labels[-1]:
            self._labels.pop()
            self._text.break_line()
            self._skipped = self._drawings[-1]
        elif not self._skipped:
            self._text.end(tag)
        elif depth == self._skipped:
            self._end_left_out(depth)
        if depth:
            self._open.pop()

    def _end_left_out(self, depth: int) -> None:
        if self._drawings and depth == self._drawings[-1]:
            self._drawings.pop()
        in_drawing = len(self._drawings) > len(self._labels)
        self._skipped = self._drawings[-1] if in_drawing else 0

    def data(self, text: str) -> None:
        """A text comes in pieces, wherever the parser's buffer ended."""
        if not self._skipped or self._title_at:
            self._said.append(text)
            self._size += len(text)
            if self._size > self._draft.spent.limits.characters:
                self._flush()

    def close(self) -> None:
        self._flush()
        self._end_title()
        self._text.break_line()

    def _flush(self) -> None:
        if self._said:
            text = "".join(self._said)
            self._said, self._size = [], 0
            if self._title_at and self._title is not None:
                self._title.append(text)
            if not self._skipped:
                for place in range(0, len(text), _PIECE):
                    self._text.words(text[place : place + _PIECE])

    def _end_title(self) -> None:
        if self._title_at:
            self._draft.title = self._draft.title or "".join(self._title or ())
            self._title_at = 0


class _Text:
    """Words with one space between, blocks on lines of their own."""

    def __init__(self, draft: Draft, *, sections: bool) -> None:
        self._draft = draft
        self._sections = sections
        self._line: list[str] = []
        self._heading: list[str] | None = None
        self._exact = 0
        self._size = 0
        self._link_at = -1
        """Where in the line a link began that stands right behind a word."""

    def start(self, tag: str, said: dict[str, str], parent: str) -> None:
        if tag in _BLOCKS:
            self.break_line()
            if tag in _HEADINGS:
                self._heading = []
            elif tag == "pre":
                self._exact += 1
        elif tag in _LINKS:
            self._draft.link(said.get("href"))
            if self._in_word():
                self._begin_link(is_sign=parent == "sup" or _is_sign(said))
        elif tag == "sup" and parent in _LINKS and self._link_at >= 0:
            self._line.insert(self._link_at, PARTED)
            self._link_at = -1
        elif tag == "tspan" and not said.keys().isdisjoint(("x", "y", "dy")):
            self.part()  # it stands elsewhere, often on a line of its own
        elif tag in _BOXES:
            self.part()
            if tag == "img":
                self.words(said.get("alt"))

    def end(self, tag: str) -> None:
        if tag in _BLOCKS:
            if tag in _HEADINGS:
                self._end_heading()
            elif tag == "pre":
                self._exact = max(0, self._exact - 1)
            self.break_line()
        elif tag in _CELLS:
            self._line.append("\t")
        elif tag in _LINKS:
            self._link_at = -1
        elif tag in _BOXES:
            self.part()

    def _begin_link(self, *, is_sign: bool) -> None:
        """A link that is the sign of a note, above the line, is no part of the word before it."""
        if is_sign:
            self._line.append(PARTED)
        else:
            self._link_at = len(self._line)

    def part(self) -> None:
        """Part the words before a box in the line from those in it and after it."""
        if self._in_word():
            self.words(" ")

    def _in_word(self) -> bool:
        return bool(self._line) and not self._line[-1][-1:].isspace()

    def words(self, text: str | None) -> None:
        if text and (self._line or self._exact or not text.isspace()):
            text = text if self._exact else _SPACE.sub(" ", text)
            self._line.append(text)
            if self._heading is not None:
                self._heading.append(text)
            self._size += len(text)
            if self._size > self._draft.spent.limits.characters:
                self.break_line()  # which says that it is enough

    def _end_heading(self) -> None:
        heading = " ".join("".join(self._heading or ()).split())
        self._heading = None
        if heading:
            self._draft.heading(heading)
            if self._sections:
                self._draft.at(f"section {heading[:80]}")

    def break_line(self) -> None:
        if self._heading is not None:
            self._heading.append(" ")
        if not self._line:
            return
        line = joined(self._line)
        self._line, self._size, self._link_at = [], 0, -1
        if line := (line.rstrip() if self._exact else line.strip(" \n\r")):
            self._draft.line(line)


def _is_sign(link: dict[str, str]) -> bool:
    """Whether a link says that it leads to a note."""
    return any("note" in (link.get(name) or "") for name in ("epub:type", "role", "class"))
