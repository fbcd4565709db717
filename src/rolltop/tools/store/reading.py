"""Parts of a content that fit into an answer."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace

from rolltop.errors import InvalidInput
from rolltop.store import Document, Extracted, Library, decoded, lines_in, text_codec, whole_characters
from rolltop.tools.store.operations import document_holding

__all__ = ["Part", "Wanted", "read_part"]

BLOB_SHARE = 3 / 4
"""Base64 makes bytes a third longer."""

OTHER_SHARE = 1 / 3
"""UTF-8 makes a text in another encoding up to three times as long."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of a content: bytes, lines or a page, and how many bytes an answer can carry.

    Of a PDF and the like it is a part of the text that was read out of it, unless it is `raw`.
    """

    offset: int = 0
    length: int | None = None
    start_line: int | None = None
    end_line: int | None = None
    most: int = 60_000
    page: int | None = None
    raw: bool = False


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
    extracted: bool | None = None
    pages: int | None = None


def read_part(library: Library, document: Document, number: int, size: int, wanted: Wanted) -> Part:
    """A part of an object. What is left out is said: `complete` is false and `next_offset` leads on."""
    readable = None if wanted.raw else library.texts.readable(document_holding(library, document, number))
    if readable is not None:
        return _extracted(readable, wanted)
    if wanted.page is not None:
        raise InvalidInput("the document has no pages", hint="Leave page out; use start_line and end_line for text.")
    if wanted.start_line is not None or wanted.end_line is not None:
        return _lines(library, document, number, wanted)
    if wanted.offset < 0 or (wanted.length is not None and wanted.length < 0):
        raise InvalidInput("offset and length must not be negative")
    asked = size if wanted.length is None else min(size, wanted.offset + wanted.length)
    end = min(asked, wanted.offset + (wanted.most if document.is_text else int(wanted.most * OTHER_SHARE)))
    data = library.documents.read_span(number, wanted.offset, end)
    found = _as_text(data, *text_codec(library, document, number), wanted.offset) if document.kind == "text" else None
    if found is None:
        end = min(asked, wanted.offset + int(wanted.most * BLOB_SHARE))
        data = library.documents.read_span(number, wanted.offset, end)
        return _part(None, base64.b64encode(data).decode(), wanted.offset, data, asked)
    text, data = found
    return _part(text, None, wanted.offset, data, asked)


def _extracted(text: Extracted, wanted: Wanted) -> Part:
    """A part of the text that was read out of a document. Offsets count bytes of that text in UTF-8."""
    pages, body = text.pages(), text.body
    data = body.encode("utf-8", "replace")
    if wanted.page is not None:
        if wanted.page not in pages:
            known = f"Its pages go up to {max(pages)}." if pages else "It has none; use start_line and end_line."
            raise InvalidInput(f"there is no text on page {wanted.page}", hint=known)
        first, last = pages[wanted.page]
        start, end = (len(body[:place].encode("utf-8", "replace")) for place in (first, last))
        return _text_part(data, start, end, wanted.most, pages)
    if wanted.start_line is None and wanted.end_line is None:
        end = len(data) if wanted.length is None else min(len(data), wanted.offset + wanted.length)
        return _text_part(data, min(wanted.offset, end), end, wanted.most, pages)
    first, lines = _first_line(wanted), [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    start = sum(map(len, lines[: first - 1]))
    end = start + sum(map(len, lines[first - 1 : wanted.end_line]))
    part = _text_part(data, start, end, wanted.most, pages)
    shown = data[part.start : part.end]
    count = shown.count(b"\n") + (not shown.endswith(b"\n") and bool(shown))
    return replace(part, start_line=first, end_line=first - 1 + count)


def _text_part(data: bytes, start: int, end: int, most: int, pages: dict[int, tuple[int, int]]) -> Part:
    shown = whole_characters(data[start : min(end, start + most)])
    stop = start + len(shown)
    more = None if stop >= end else stop
    text = shown.decode("utf-8", "replace")
    return Part(text, None, start, stop, more is None, more, extracted=True, pages=max(pages, default=None))


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
    first = _first_line(wanted)
    codec, mark = text_codec(library, document, number)
    if codec.startswith(("utf-16", "utf-32")):
        return _wide_lines(library.documents.read_object(number), codec, mark, first, wanted)
    found = library.documents.read_lines(number, first, wanted.end_line, wanted.most)
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


def _first_line(wanted: Wanted) -> int:
    first = wanted.start_line if wanted.start_line is not None else 1
    if first < 1 or (wanted.end_line is not None and wanted.end_line < first):
        raise InvalidInput("lines count from 1, and end_line is not before start_line")
    return first


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
