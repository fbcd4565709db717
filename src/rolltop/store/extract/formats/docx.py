"""DOCX: paragraphs, headings, tables, notes; pages where the program that wrote it left their breaks."""

from __future__ import annotations

import re

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.xml import START, TEXT
from rolltop.store.extract.record import Anchor

__all__ = ["read"]

_ASIDE = re.compile(r"word/(footnotes|endnotes|comments|header\d*|footer\d*)\.xml")
_HEADING = re.compile(r"(heading \d|title)", re.IGNORECASE)


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    main = _main_part(package)
    draft.title = package.title("docProps/core.xml")
    headings = _heading_styles(package)
    for kind, target in package.relations(main).values():
        if kind == "hyperlink":
            draft.link(target)
    _Text(draft, headings).read(package, main)
    for name in sorted(filter(_ASIDE.fullmatch, package.names)):
        draft.at(name.removeprefix("word/").removesuffix(".xml"))
        _Text(draft, set()).read(package, name)


def _main_part(package: Package) -> str:
    for kind, target in package.relations("").values():
        if kind == "officeDocument" and target in package:
            return target
    if "word/document.xml" in package:
        return "word/document.xml"
    raise Unreadable("it has no main part")


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
    """Writes one part of the document into the draft."""

    def __init__(self, draft: Draft, headings: set[str]) -> None:
        self._draft = draft
        self._headings = headings
        self._paragraph: list[str] = []
        self._begun = ""
        """The part of the paragraph that stands on the page before."""
        self._is_heading = False
        self._cells = 0
        self._page = 1

    def read(self, package: Package, part: str) -> None:
        inside_text = skipped = 0
        for event, value, said in package.events(part):
            if event == TEXT:
                if inside_text and not skipped:
                    self._paragraph.append(value)
                continue
            step = 1 if event == START else -1
            if value == "Fallback":  # the same again, for programs that do not know the newer form
                skipped += step
            elif value == "t":
                inside_text += step
            elif not skipped:
                self._element(event, value, said)

    def _element(self, event: str, name: str, said: dict[str, str]) -> None:
        if event == START:
            if name == "pStyle":
                self._is_heading = said.get("val", "") in self._headings
            elif name in ("br", "cr", "tab"):
                self._break(name, said)
            elif name == "lastRenderedPageBreak":
                self._next_page()
            elif name == "tc":
                self._cells += 1
        elif name == "p":
            self._end_paragraph()
        elif name == "tc":
            self._cells -= 1
            self._draft.say("\t")
        elif name == "tr":
            self._draft.line()

    def _break(self, name: str, said: dict[str, str]) -> None:
        if said.get("type") != "page":
            self._paragraph.append("\t" if name == "tab" else "\n")

    def _next_page(self) -> None:
        if not self._draft.anchors:
            self._draft.anchors.append(Anchor(0, "page 1"))
        before = "".join(self._paragraph)
        self._paragraph, self._begun = [], self._begun + before
        self._draft.say(before)
        self._page += 1
        self._draft.at(f"page {self._page}")

    def _end_paragraph(self) -> None:
        text = "".join(self._paragraph)
        if self._is_heading:
            self._draft.heading(self._begun + text)
        self._paragraph, self._begun, self._is_heading = [], "", False
        if self._cells:
            self._draft.say(text.replace("\n", " ") + " ")
        else:
            self._draft.line(text)
