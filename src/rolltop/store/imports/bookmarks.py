"""Bookmarks as every browser exports them: the Netscape bookmark file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from rolltop.store.imports.item import Item, file_name, moment_of, tags_from

__all__ = ["are_bookmarks", "bookmarks_in"]

_WEB = re.compile(r"https?:|ftp:", re.IGNORECASE)


def are_bookmarks(data: bytes) -> bool:
    return b"netscape-bookmark-file-1" in data[:1024].lower()


def bookmarks_in(data: bytes) -> Iterator[Item]:
    """A document for each bookmark of a page on the web."""
    reader = _Reader()
    reader.feed(data.decode("utf-8", "replace"))
    reader.close()
    for folders, title, attributes, about in reader.found:
        address = attributes.get("href") or ""
        if not _WEB.match(address):
            continue
        name = title.strip() or address
        lines = [f"# {name}", "", f"<{address}>", *(["", about.strip()] if about.strip() else [])]
        place = "/".join(["bookmarks", *(folder.replace("/", "-").strip(". ") or "-" for folder in folders)])
        yield Item(
            f"{place}/{file_name(name, address)}",
            ("\n".join(lines) + "\n").encode("utf-8", "replace"),
            ("bookmark", *tags_from(attributes.get("tags") or "")),
            {"url": address},
            moment_of(attributes.get("add_date")),
            moment_of(attributes.get("last_modified")) or moment_of(attributes.get("add_date")),
        )


class _Reader(HTMLParser):
    """Collects (folders, title, attributes, description). The format closes few of its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[tuple[str, ...], str, dict[str, str | None], str]] = []
        self._folders: list[str] = []
        self._heading: str | None = None
        self._pending: str | None = None
        self._text = ""
        self._attributes: dict[str, str | None] | None = None
        self._describes = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._describes = tag == "dd"
        if tag == "h3":
            self._heading = ""
        elif tag == "dl":
            self._folders.append(self._pending or "")
            self._pending = None
        elif tag == "a":
            self._attributes, self._text = dict(attrs), ""

    def handle_endtag(self, tag: str) -> None:
        self._describes = False
        if tag == "h3":
            self._pending, self._heading = self._heading, None
        elif tag == "dl" and self._folders:
            self._folders.pop()
        elif tag == "a" and self._attributes is not None:
            self.found.append((tuple(filter(None, self._folders)), self._text, self._attributes, ""))
            self._attributes = None

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading += data
        elif self._attributes is not None:
            self._text += data
        elif self._describes and self.found:
            self.found[-1] = (*self.found[-1][:3], self.found[-1][3] + data)
