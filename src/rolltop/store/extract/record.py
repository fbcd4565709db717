"""What was found in a document: its text, and where in the document each piece of the text stands."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["PARSED", "Anchor", "Extracted", "Symbol", "column_letters", "decode", "encode", "opened_request", "request"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """From the character `start` of the body on, the text comes from `label`: "page 3", "slide 2", "notes/a.txt".

    In a sheet (`row` above 0) every line of the body is a row, beginning with this one, and tabs part its cells.
    """

    start: int
    label: str
    row: int = 0


_PAGE = re.compile(r"(?:page|slide) (\d+)\b")

PARSED = "definition"
"""The kind of a symbol that a parser found and that no line shows by its look."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something that code defines: a function, a class, a method, a type, a constant."""

    name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a document.

    `body` is what words are found in. `anchors` are ordered by `start`; without any, places are lines.
    `links` are targets that the format keeps apart from its text. `note` says why there is no text, or not all;
    `needs` is the part that would have to be installed for it.
    """

    title: str = ""
    headings: tuple[str, ...] = ()
    body: str = ""
    symbols: tuple[Symbol, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    note: str | None = None
    links: tuple[str, ...] = ()
    needs: str = ""

    def pages(self) -> dict[int, tuple[int, int]]:
        """Where each page, slide or sheet begins and ends in the body, by its number; empty where there are none."""
        found: dict[int, tuple[int, int]] = {}
        numbers: dict[str, int] = {}
        ends = (*(anchor.start for anchor in self.anchors[1:]), len(self.body))
        for anchor, end in zip(self.anchors, ends, strict=False):
            told = _PAGE.match(anchor.label)
            number = int(told[1]) if told else numbers.setdefault(anchor.label, len(numbers) + 1)
            found[number] = found.get(number, (anchor.start, end))[0], end
        return found

    def place(self, offset: int) -> str:
        """Where the character at `offset` of the body stands: "page 3", "Sheet1!B7", "slide 2", "line 12"."""
        after = bisect_right(self.anchors, offset, key=lambda anchor: anchor.start)
        if not after:
            return f"line {self.body.count(chr(10), 0, offset) + 1}"
        anchor = self.anchors[after - 1]
        if not anchor.row:
            return anchor.label
        row = anchor.row + self.body.count("\n", anchor.start, offset)
        first = self.body.rfind("\n", anchor.start, offset) + 1 or anchor.start
        return f"{anchor.label}!{column_letters(self.body.count(chr(9), first, offset))}{row}"


def column_letters(number: int) -> str:
    """The letters of a column, counted from 0: A, B, … Z, AA."""
    letters = ""
    while number >= 0:
        number, rest = divmod(number, 26)
        letters = chr(ord("A") + rest) + letters
        number -= 1
    return letters


def encode(text: Extracted) -> bytes:
    """For the way out of a worker, and for keeping."""
    symbols = [(symbol.name, symbol.kind, symbol.line) for symbol in text.symbols]
    anchors = [(anchor.start, anchor.label, anchor.row) for anchor in text.anchors]
    fields = (text.title, text.headings, text.body, symbols, anchors, text.note, text.links, text.needs)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decode(data: bytes) -> Extracted:
    """What `encode` wrote. It comes from a process that read foreign bytes: anything else is a ValueError."""
    try:
        title, headings, body, symbols, anchors, note, links, needs = json.loads(data)
        found = Extracted(
            title,
            tuple(headings),
            body,
            tuple(Symbol(*symbol) for symbol in symbols),
            tuple(Anchor(*anchor) for anchor in anchors),
            note,
            tuple(links),
            needs,
        )
    except (TypeError, ValueError, RecursionError):
        raise ValueError("not an extracted text") from None
    texts = (title, body, note or "", needs, *found.headings, *found.links, *(s.name + s.kind for s in found.symbols))
    numbers = [number for anchor in found.anchors for number in (anchor.start, anchor.row)]
    if not all(type(text) is str for text in (*texts, *(anchor.label for anchor in found.anchors))):
        raise ValueError("not an extracted text")
    if not all(type(number) is int for number in (*numbers, *(symbol.line for symbol in found.symbols))):
        raise ValueError("not an extracted text")
    if any(a.start > b.start for a, b in pairwise(found.anchors)):
        raise ValueError("places that are not in order")
    return found


def request(name: str, data: bytes) -> bytes:
    """A document for the way into a worker."""
    title = name.encode("utf-8", "replace")
    return len(title).to_bytes(4, "little") + title + data


def opened_request(payload: bytes) -> tuple[bytes, str]:
    """The content and the name that `request` packed."""
    start = 4 + int.from_bytes(payload[:4], "little")
    return payload[start:], payload[4:start].decode("utf-8", "replace")
