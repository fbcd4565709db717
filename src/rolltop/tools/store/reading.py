"""Parts of a content that fit into an answer."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from rolltop.errors import InvalidInput
from rolltop.store import Document, Library, decoded, lines_in, text_codec

__all__ = ["Part", "Wanted", "read_part"]

BLOB_SHARE = 3 / 4
"""Base64 makes bytes a third longer."""

OTHER_SHARE = 1 / 3
"""UTF-8 makes a text in another encoding up to three times as long."""


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
    end = min(asked, wanted.offset + (wanted.most if document.is_text else int(wanted.most * OTHER_SHARE)))
    data = library.read_span(number, wanted.offset, end)
    found = _as_text(data, *text_codec(library, document, number), wanted.offset) if document.kind == "text" else None
    if found is None:
        end = min(asked, wanted.offset + int(wanted.most * BLOB_SHARE))
        data = library.read_span(number, wanted.offset, end)
        return _part(None, base64.b64encode(data).decode(), wanted.offset, data, asked)
    text, data = found
    return _part(text, None, wanted.offset, data, asked)


def _part(text: str | None, blob: str | None, start: int, data: bytes, asked: int) -> Part:
    end = start + len(data)
    return Part(text, blob, start, end, end >= asked, None if end >= asked else end)


def _as_text(data: bytes, codec: str, mark: int, start: int) -> tuple[str, bytes] | None:
    """The text, without the beginning of a character that was cut; None where it is no text."""
    if mark and start % mark:  # a mark is as long as a character is at least
        return None
    for cut in range(min(4, len(data) + 1)):
        kept = data[: len(data) - cut]
        try:
            return kept[mark if start == 0 else 0 :].decode(codec), kept
        except UnicodeDecodeError:
            continue
    return None


def _lines(library: Library, document: Document, number: int, wanted: Wanted) -> Part:
    if document.kind != "text":
        raise InvalidInput("the document is not text: it has no lines", hint="Use offset and length.")
    first = wanted.start_line if wanted.start_line is not None else 1
    if first < 1 or (wanted.end_line is not None and wanted.end_line < first):
        raise InvalidInput("lines count from 1, and end_line is not before start_line")
    codec, mark = text_codec(library, document, number)
    if codec.startswith(("utf-16", "utf-32")):
        return _wide_lines(library.read_object(number), codec, mark, first, wanted)
    found = library.read_lines(number, first, wanted.end_line, wanted.most)
    return Part(
        found.data.decode(codec, "replace"),
        None,
        found.start,
        found.end,
        found.complete,
        None if found.complete else found.end,
        first,
        first - 1 + found.count,
    )


def _wide_lines(content: bytes, codec: str, mark: int, first: int, wanted: Wanted) -> Part:
    """Lines of a text whose characters are two or four bytes: their ends cannot be found in its bytes."""
    lines = lines_in(decoded(content))
    lengths = [len(line.encode(codec, "replace")) for line in lines]
    last = min(len(lines), wanted.end_line or len(lines))
    shown, size = first - 1, 0
    while shown < last and (size + len(lines[shown]) <= wanted.most or shown < first):
        size += len(lines[shown])
        shown += 1
    before = mark if first > 1 else 0
    start = before + sum(lengths[: first - 1])
    end = mark + sum(lengths[:shown])
    complete = shown >= last
    return Part("".join(lines[first - 1 : shown]), None, start, end, complete, None if complete else end, first, shown)
