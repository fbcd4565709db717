"""EPUB: the chapters in their reading order."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from rolltop.store.extract.formats import html
from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Unreadable
from rolltop.store.extract.formats.package import Package
from rolltop.store.extract.formats.xml import START

__all__ = ["read"]


def read(data: bytes, draft: Draft) -> None:
    package = Package(data, draft.spent)
    book = _book(package)
    draft.title = package.title(book)
    sealed = _sealed(package)
    for number, name in enumerate(_chapters(package, book), 1):
        draft.at(f"chapter {number}")
        try:
            if name in sealed:
                raise Unreadable("it is encrypted")
            html.write_page(package.read(name), draft, sections=False)
        except Unreadable as error:
            draft.note(f"chapter {number}: {error}")


def _book(package: Package) -> str:
    place = "META-INF/container.xml"
    if place in package:
        for event, name, said in package.events(place):
            if event == START and name == "rootfile" and said.get("full-path", "") in package:
                return said["full-path"]
    raise Unreadable("it does not say where its book is")


def _sealed(package: Package) -> set[str]:
    """What is encrypted; often only the fonts are."""
    place = "META-INF/encryption.xml"
    said = package.events(place) if place in package else ()
    return {
        unquote(about.get("URI", "")) for event, name, about in said if event == START and name == "CipherReference"
    }


def _chapters(package: Package, book: str) -> list[str]:
    folder = posixpath.dirname(book)
    files: dict[str, str] = {}
    order: list[str] = []
    for event, name, said in package.events(book):
        if event == START and name == "item":
            written = said.get("href", "").partition("#")[0]
            targets = (posixpath.normpath(posixpath.join(folder, each)) for each in (unquote(written), written))
            files[said.get("id", "")] = next((each for each in targets if each in package), written)
        elif event == START and name == "itemref":
            order.append(said.get("idref", ""))
    return [files[chapter] for chapter in order if chapter in files]
