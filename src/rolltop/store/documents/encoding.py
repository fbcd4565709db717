"""How the text of stored bytes is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rolltop.store.extract.charsets import WESTERN, codec_named, declared_in
from rolltop.store.extract.detect import HEAD, whole_characters
from rolltop.store.extract.plain import codec_of
from rolltop.store.file_types import is_text
from rolltop.store.records import Document

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["text_codec"]


def text_codec(library: Library, document: Document, number: int) -> tuple[str, int]:
    """How the text of an object is written, and the length of the mark at its beginning."""
    if number == document.object and document.is_text:
        return "utf-8", 0
    head = library.documents.read_span(number, 0, HEAD)
    codec, mark = codec_of(head)
    if mark:
        return codec, mark
    _, says, charset = document.mime.rpartition("charset=")
    named = codec_named(charset) if says and number == document.object else None
    if named is not None and named != WESTERN and not named.startswith("utf"):
        return named, 0
    # Before pages were read as they declare, their type said Western.
    declared = None if is_text(whole_characters(head)) else declared_in(head)
    return declared or named or codec, 0
