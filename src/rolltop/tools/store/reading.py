"""Parts of a content that fit into an answer."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from rolltop.errors import InvalidInput
from rolltop.store import Document, Library

__all__ = ["Part", "Wanted", "read_part"]

BLOB_SHARE = 3 / 4
"""Base64 makes bytes a third longer."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of a content: bytes or lines, and how many bytes an answer can carry."""

    offset: int = 0
    length: int | None = None
    start_line: int | None = None
    end_line: int | None = None
    most: int = 60_000


@dataclass(frozen=True, slots=True)
class Part:
    content: str | None
    blob: str | None
    start: int
    end: int
    complete: bool
    next_offset: int | None
    start_line: int | None = None
    end_line: int | None = None


def read_part(library: Library, document: Document, number: int, size: int, wanted: Wanted) -> Part:
    """A part of an object. What is left out is said: `complete` is false and `next_offset` leads on."""
    if wanted.start_line is not None or wanted.end_line is not None:
        return _lines(library, document, number, wanted)
    if wanted.offset < 0 or (wanted.length is not None and wanted.length < 0):
        raise InvalidInput("offset and length must not be negative")
    asked = size if wanted.length is None else min(size, wanted.offset + wanted.length)
    end = min(asked, wanted.offset + wanted.most)
    data = library.read_span(number, wanted.offset, end)
    found = _as_text(data) if document.is_text else None
    if found is None:
        end = min(asked, wanted.offset + int(wanted.most * BLOB_SHARE))
        data = data[: end - wanted.offset]
        return _part(None, base64.b64encode(data).decode(), wanted.offset, data, asked)
    text, data = found
    return _part(text, None, wanted.offset, data, asked)


def _part(text: str | None, blob: str | None, start: int, data: bytes, asked: int) -> Part:
    end = start + len(data)
    return Part(text, blob, start, end, end >= asked, None if end >= asked else end)


def _as_text(data: bytes) -> tuple[str, bytes] | None:
    """The text, without the beginning of a character that was cut; None where it is no text."""
    for cut in range(min(4, len(data) + 1)):
        kept = data[: len(data) - cut]
        try:
            return kept.decode(), kept
        except UnicodeDecodeError:
            continue
    return None


def _lines(library: Library, document: Document, number: int, wanted: Wanted) -> Part:
    if not document.is_text:
        raise InvalidInput("the document is not text: it has no lines", hint="Use offset and length.")
    first = wanted.start_line if wanted.start_line is not None else 1
    if first < 1 or (wanted.end_line is not None and wanted.end_line < first):
        raise InvalidInput("lines count from 1, and end_line is not before start_line")
    lines = library.read_object(number).splitlines(keepends=True)
    last = min(len(lines), wanted.end_line or len(lines))
    start = sum(map(len, lines[: first - 1]))
    kept, size = list[bytes](), 0
    for line in lines[first - 1 : last]:
        if kept and size + len(line) > wanted.most:
            break
        kept.append(line)
        size += len(line)
    shown = first - 1 + len(kept)
    complete = shown >= last
    return Part(
        b"".join(kept).decode("utf-8", "replace"),
        None,
        start,
        start + size,
        complete,
        None if complete else start + size,
        first,
        shown,
    )
