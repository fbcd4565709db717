"""PPTX: the text of each slide in the order of the show, with its charts, its notes and what was said about it."""

from __future__ import annotations

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.drawn import described, write_drawn
from rolltop.store.extract.formats.embedded import write_embedded
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.xml import START, TEXT

__all__ = ["read"]


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    show = package.main_part("ppt/presentation.xml")
    draft.title = package.title("docProps/core.xml")
    relations = package.relations(show)
    slides = [said.get("id", "") for event, name, said in package.events(show) if event == START and name == "sldId"]
    parts = [part for slide in slides if (part := relations.get(slide, ("", ""))[1]) in package]
    for number, part in enumerate(parts, 1):
        draft.at(f"slide {number}")
        _text(package, part, draft, titled=True)
        write_drawn(package, part, draft, f"slide {number}, drawing")
        for kind, target in package.relations(part).values():
            if kind == "hyperlink":
                draft.link(target)
            elif kind == "notesSlide" and target in package:
                draft.at(f"slide {number}, notes")
                _text(package, target, draft, titled=False)
            elif kind == "comments" and target in package:
                draft.at(f"slide {number}, comments")
                _text(package, target, draft, titled=False)
    write_embedded(package, parts, draft)


_SHAPES = frozenset({"sp", "graphicFrame", "grpSp"})
_TEXTS = frozenset({"t", "text"})
_ENDS = frozenset({"p", "text"})


def _text(package: Package, part: str, draft: Draft, *, titled: bool) -> None:
    inside, skipped = False, 0
    is_title, paragraph = False, list[str]()
    for event, value, said in package.events(part):
        if event == TEXT:
            if inside and not skipped:
                paragraph.append(value)
        elif value == "Fallback":  # the same again, for programs that do not know the newer form
            skipped += 1 if event == START else -1
        elif event == START:
            inside = value in _TEXTS
            if value in _SHAPES:
                is_title = False
            elif value == "ph":
                is_title = titled and said.get("type") in ("title", "ctrTitle")
            elif value == "cNvPr" and not skipped and (words := described(said)):
                draft.line(words)
            elif value == "br":
                paragraph.append("\n")
        else:
            inside = False
            if value in _ENDS and paragraph:
                text = "".join(paragraph)
                paragraph = []
                draft.line(text)
                if is_title:
                    draft.heading(text)
