"""HTML: what a reader of the page sees, with headings and links."""

from __future__ import annotations

import re

from lxml import etree

from rolltop.store.extract.charsets import declared_in
from rolltop.store.extract.formats.draft import PARTED, Draft, joined
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.plain import decoded
from rolltop.store.naming import is_text

__all__ = ["parsed", "read", "write_page"]

_LEFT_OUT = frozenset({"script", "style", "template", "svg", "object", "iframe", "head", "rt", "rp"})
"""`rt` and `rp` say how the characters below them sound, between the characters of a word."""
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


def read(data: bytes, draft: Draft) -> None:
    page = parsed(data)
    if page is None:
        raise Unreadable("it holds no HTML")
    write_page(page, draft)


def parsed(data: bytes, charset: str | None = None) -> etree._Element | None:
    """The tree of a page that is written in `charset`, or as it says itself."""
    # Not `huge_tree`: pages nested deeper than the parser's own limit are cut there.
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(_in_utf8(data, charset), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Unreadable(f"it is no HTML that could be read ({error})") from None


def _in_utf8(data: bytes, charset: str | None) -> bytes:
    if charset is None and b"\x1b" in data[:_SHIFTS] and data.isascii():
        charset = declared_in(data[:_SHIFTS])  # written in ASCII, but not meant so
    if charset is None and is_text(data):
        return data
    return decoded(data, charset).encode("utf-8", "replace")


def write_page(page: etree._Element, draft: Draft, *, sections: bool = True) -> None:
    """Write a page into a draft; with `sections`, places are the headings above."""
    title = page.find(".//title")
    if title is not None and not draft.title:
        draft.title = str(title.xpath("string()"))
    text = _Text(draft, sections=sections)
    skipped: etree._Element | None = None
    for event, element in etree.iterwalk(page, events=("start", "end")):
        if skipped is not None:
            if event == "end" and element is skipped:
                skipped = None
                text.words(element.tail)
            continue
        tag = element.tag
        if event == "end":
            text.end(element, tag)
        elif tag in _LEFT_OUT:
            skipped = element
            if tag in _BOXES:
                text.part()
        else:
            text.start(element, tag)
    text.break_line()


class _Text:
    """Words with one space between, blocks on lines of their own."""

    def __init__(self, draft: Draft, *, sections: bool) -> None:
        self._draft = draft
        self._sections = sections
        self._line: list[str] = []
        self._heading: list[str] | None = None
        self._exact = 0

    def start(self, element: etree._Element, tag: str) -> None:
        if tag in _BLOCKS:
            self.break_line()
            if tag in _HEADINGS:
                self._heading = []
            elif tag == "pre":
                self._exact += 1
        elif tag in _LINKS:
            self._draft.link(element.get("href"))
            if self._in_word() and _is_sign(element):
                self._line.append(PARTED)
        elif tag in _BOXES:
            self.part()
            if tag == "img":
                self.words(element.get("alt"))
        if text := element.text:
            self.words(text)

    def end(self, element: etree._Element, tag: str) -> None:
        if tag in _BLOCKS:
            if tag in _HEADINGS:
                self._end_heading()
            elif tag == "pre":
                self._exact = max(0, self._exact - 1)
            self.break_line()
        elif tag in _CELLS:
            self._line.append("\t")
        elif tag in _BOXES:
            self.part()
        if tail := element.tail:
            self.words(tail)

    def part(self) -> None:
        """Part the words before a box in the line from those in it and after it."""
        if self._in_word():
            self.words(" ")

    def _in_word(self) -> bool:
        return bool(self._line) and not self._line[-1][-1:].isspace()

    def words(self, text: str | None) -> None:
        if text and (self._line or self._exact or not text.isspace()):
            self._line.append(text if self._exact else _SPACE.sub(" ", text))
            if self._heading is not None:
                self._heading.append(text)

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
        self._line = []
        if line := (line.rstrip() if self._exact else line.strip(" \n\r")):
            self._draft.line(line)


def _is_sign(link: etree._Element) -> bool:
    """Whether a link is the sign of a note, above the line: it is no part of the word before it."""
    if any("note" in (link.get(name) or "") for name in ("epub:type", "role", "class")):
        return True
    parent = link.getparent()
    return (parent is not None and parent.tag == "sup") or any(child.tag == "sup" for child in link)
