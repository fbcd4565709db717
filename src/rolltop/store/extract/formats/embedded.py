"""Documents that were put into others as they were: a sheet in a text, a text on a slide."""

from __future__ import annotations

from rolltop.store.extract.detect import format_of
from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.parts import read_part

__all__ = ["write_embedded", "write_part"]

_EMBEDDED = frozenset({"package", "oleObject", "aFChunk"})


def write_embedded(package: Package, parts: list[str], draft: Draft) -> None:
    """Write what is embedded in these parts, each once and under its own name."""
    related = (relation for part in parts for relation in package.relations(part).values())
    for target in dict.fromkeys(target for kind, target in related if kind in _EMBEDDED and target in package):
        write_part(package, target, draft)


def write_part(package: Package, part: str, draft: Draft) -> None:
    """Write a part that is a document of its own; what cannot be read only says why."""
    draft.spent.member()
    name = part.rpartition("/")[2]
    try:
        content = package.read(part)
    except Unreadable as error:
        draft.note(f"{name}: {error}")
        return
    if format_of(content, name) == "ole":
        draft.note("objects that are embedded in the form from before 2007 were not read")
    else:
        read_part(content, name, draft)
