"""Charts, diagrams and boxes of Office documents, which have parts of their own in the package."""

from __future__ import annotations

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.xml import START, TEXT

__all__ = ["described", "write_drawn"]

_DRAWN = frozenset({"chart", "chartEx", "diagramData", "drawing", "chartUserShapes"})
_CACHED = frozenset({"strCache", "strLit", "lvl", "tx"})
"""Where a chart keeps the names of what it shows, beside the numbers."""


def described(said: dict[str, str]) -> str:
    """What a picture or another shape shows, in words, for those who do not see it; `said` are its properties."""
    return "\n".join(filter(None, (said.get(key, "").strip() for key in ("title", "descr"))))


def write_drawn(package: Package, part: str, draft: Draft, label: str) -> None:
    """Write what is drawn into a part of a document; its place is `label`. What cannot be read only says why."""
    seen: set[str] = set()
    waiting = [part]
    while waiting:
        try:
            for kind, target in package.relations(waiting.pop()).values():
                if kind in _DRAWN and target in package and target not in seen:
                    seen.add(target)
                    waiting.append(target)
                    _write(package, target, draft, label)
        except Unreadable as error:
            draft.note(str(error))


def _write(package: Package, part: str, draft: Draft, label: str) -> None:
    said: dict[str, None] = {}
    pieces: list[str] = []
    inside = cached = 0
    for event, value, properties in package.events(part):
        if event == TEXT:
            if inside:
                pieces.append(value)
            continue
        if value == "cNvPr" and (words := described(properties)):
            said[words] = None
        step = 1 if event == START else -1
        if value == "t" or (value == "v" and cached):
            inside += step
        elif value in _CACHED:
            cached += step
        if event != START and value in ("p", "v"):
            text, pieces = "".join(pieces).strip(), []
            if text:
                said[text] = None
    if said:
        draft.at(label)
        draft.line("\n".join(said))
