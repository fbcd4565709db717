"""What is said of a document that is stored, by its name and its bytes: type, kind, encoding."""

from __future__ import annotations

import codecs

from rolltop.store.blobs.writer import Kept
from rolltop.store.catalog import NewDocument
from rolltop.store.extract.detect import LEGIBLE, format_of
from rolltop.store.extract.plain import charset_of
from rolltop.store.file_types import is_text, kind_of, mime_of, name_and_extension

__all__ = ["TextProbe", "described"]


class TextProbe:
    """Whether a stream is UTF-8, block by block."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = True

    def seen(self, block: bytes) -> bytes:
        if self._text:
            try:
                self._decoder.decode(block)
            except UnicodeDecodeError:
                self._text = False
            self._text = self._text and b"\0" not in block
        return block

    def finished(self) -> bool:
        return self._text


def described(
    path: str, kept: Kept, head: bytes, mime: str | None, times: tuple[int, int], *, text: bool | None = None
) -> NewDocument:
    """The document that a path and kept content make; `head` is the content, or its beginning where `text` is known."""
    name, extension = name_and_extension(path)
    textual = is_text(head) if text is None else text
    charset = _other_charset(head, name) if text is None and not textual else None
    mime = mime or mime_of(extension, head[:64], text=textual or charset is not None)
    if charset is not None and charset != "utf-8" and "charset=" not in mime:
        mime = f"{mime}; charset={charset}"
    kind = kind_of(mime, text=textual or charset is not None)
    return NewDocument(path, name, extension, mime, kind, kept.object, kept.size, *times)


def _other_charset(data: bytes, name: str) -> str | None:
    """How a text is written that is not UTF-8; None for what is no text."""
    form = format_of(data, name)
    return charset_of(data) if form == "text" or form in LEGIBLE else None
