"""DOCX: paragraphs, headings, tables, boxes, charts, notes; pages where the program that wrote it left their breaks."""

from __future__ import annotations

import re

from rolltop.store.extract.formats.draft import PARTED, Draft, joined
from rolltop.store.extract.formats.drawn import described, write_drawn
from rolltop.store.extract.formats.embedded import write_embedded
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.xml import START, TEXT
from rolltop.store.extract.record import Anchor

__all__ = ["read"]

_ASIDE = re.compile(r"word/(footnotes|endnotes|comments|header\d*|footer\d*)\.xml")
_KINDS = frozenset({"footnotes", "endnotes", "comments", "header", "footer"})
_SKIPPED = frozenset({"Fallback", "moveFrom", "rt"})
"""The same again for programs that do not know the newer form, the same where it has been moved from, and how the
characters that follow sound."""
_REFERENCES = ("footnoteReference", "endnoteReference")
_SIGNS = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "-"} | dict.fromkeys(_REFERENCES, PARTED)
_DRAWN_WORDS = {"shape": "alt", "textpath": "string"}
"""What a shape of older programs shows, and letters that are drawn, such as those across a page."""
_SHAPES = frozenset({"docPr", *_DRAWN_WORDS})
_FIELDS = frozenset({"fldChar", "fldSimple"})
_HEEDED = frozenset({"p", "pStyle", "br", "lastRenderedPageBreak", "tc", "tr", *_SIGNS, *_SHAPES, *_FIELDS})
_LINK = re.compile(r'HYPERLINK\s+"([^"]+)"')
_HEADING = re.compile(r"(heading \d|title)", re.IGNORECASE)


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    main = package.main_part("word/document.xml")
    draft.title = package.title("docProps/core.xml")
    headings = _heading_styles(package)
    _Text(draft, headings).read(package, main)
    write_drawn(package, main, draft, "drawing")
    for name in _beside(package, main):
        draft.at(name.rpartition("/")[2].removesuffix(".xml"))
        _Text(draft, set()).read(package, name)
    write_embedded(package, [main], draft)


def _beside(package: Package, main: str) -> list[str]:
    """Notes, comments and margins, which have parts of their own."""
    related = {target for kind, target in package.relations(main).values() if kind in _KINDS and target in package}
    return sorted(related.union(filter(_ASIDE.fullmatch, package.names)))


def _heading_styles(package: Package) -> set[str]:
    """Ids of the styles that are headings; the ids are words of the author's language, the names are not."""
    found = {f"Heading{number}" for number in range(1, 10)} | {"Title"}
    if "word/styles.xml" in package:
        style = ""
        for event, name, said in package.events("word/styles.xml"):
            if event == START and name == "style":
                style = said.get("styleId", "")
            elif event == START and name == "name" and _HEADING.fullmatch(said.get("val", "")):
                found.add(style)
    return found


class _Text:
    """Writes one part of the document into the draft.

    A box of text stands in the middle of a paragraph; what it holds comes after that, so that words stay together.
    """

    def __init__(self, draft: Draft, headings: set[str]) -> None:
        self._draft = draft
        self._headings = headings
        self._paragraph: list[str] = []
        self._outer: list[tuple[list[str], bool]] = []
        """Paragraphs around the box that is being read, and whether they are headings."""
        self._after: list[str] = []
        self._instruction: list[str] = []
        """What has been said of a field."""
        self._begun = ""
        """The part of the paragraph that stands on the page before."""
        self._is_heading = False
        self._depth = 0
        self._cells = 0
        self._page = 1

    def read(self, package: Package, part: str) -> None:
        for kind, target in package.relations(part).values():
            if kind == "hyperlink":
                self._draft.link(target)
        inside_text = inside_field = skipped = 0
        for event, value, said in package.events(part):
            if event == TEXT:
                if inside_text and not skipped:
                    self._paragraph.append(value)
                elif inside_field:
                    self._instruction.append(value)
            elif value == "instrText":
                inside_field += 1 if event == START else -1
            elif value == "t":
                inside_text += 1 if event == START else -1
            elif value in _SKIPPED:
                skipped += 1 if event == START else -1
            elif value in _HEEDED and not skipped:
                if event == START:
                    self._start(value, said)
                else:
                    self._end(value)

    def _start(self, name: str, said: dict[str, str]) -> None:
        if name == "p":
            self._begin_paragraph()
        elif name == "pStyle":
            self._is_heading = said.get("val", "") in self._headings
        elif name in _SIGNS:
            if name != "tab" or not said:  # with attributes, it is where tabs lead to
                self._paragraph.append(_SIGNS[name])
        elif name == "br":
            if self._paragraph or said.get("type") != "page":
                self._paragraph.append("\n")
        elif name == "lastRenderedPageBreak":
            self._next_page()
        elif name == "tc":
            self._cells += 1
        elif name in _SHAPES:
            self._describe(described(said) if name == "docPr" else said.get(_DRAWN_WORDS[name], ""))
        elif name in _FIELDS:
            self._end_instruction(said.get("instr", ""))

    def _describe(self, words: str) -> None:
        if words:
            self._paragraph.append(PARTED)
            self._after.append(words.replace("\n", " ") + " " if self._cells else words + "\n")

    def _end_instruction(self, said: str) -> None:
        """A field says what it is in pieces, and then what it shows."""
        if link := _LINK.search("".join(self._instruction) or said):
            self._draft.link(link[1])
        self._instruction = []

    def _end(self, name: str) -> None:
        if name == "p":
            self._end_paragraph()
        elif name == "tc":
            self._cells -= 1
            self._write("\t")
        elif name == "tr":
            self._write("\n")

    def _begin_paragraph(self) -> None:
        self._depth += 1
        if self._depth > 1:
            self._paragraph.append(PARTED)
            self._outer.append((self._paragraph, self._is_heading))
            self._paragraph, self._is_heading = [], False

    def _next_page(self) -> None:
        if self._outer:
            return
        if not self._draft.anchors:
            self._draft.anchors.append(Anchor(0, "page 1"))
        before = joined(self._paragraph)
        self._paragraph, self._begun = [], self._begun + before
        self._draft.say(before)
        self._page += 1
        self._draft.at(f"page {self._page}")

    def _end_paragraph(self) -> None:
        self._depth -= 1
        text = joined(self._paragraph)
        if self._is_heading:
            self._draft.heading(text if self._outer else self._begun + text)
        line = text.replace("\n", " ") + " " if self._cells else text + "\n"
        if self._outer:
            self._after.append(line)
            self._paragraph, self._is_heading = self._outer.pop()
            return
        self._draft.say(line)
        self._paragraph, self._begun, self._is_heading = [], "", False
        if self._after:
            after, self._after = "".join(self._after), []
            self._draft.say(after)

    def _write(self, text: str) -> None:
        if self._depth:  # a table inside of a box
            self._after.append(text)
        else:
            self._draft.say(text)
