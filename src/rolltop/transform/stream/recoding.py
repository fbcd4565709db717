"""Tables in other encodings than UTF-8, read as if they were in it."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any

from rolltop.errors import InvalidInput
from rolltop.transform.formats.text import MARKS, encoding_of

__all__ = ["as_utf8", "can_recode"]

Read = Callable[[int], bytes]
_WHOLE_ONLY = frozenset({"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape"})
"""Encodings in which the beginning of a text may mean something else than it does when more of it is there."""


def can_recode(encoding: Any) -> bool:
    """Whether text in this encoding (an option of the program; None for UTF-8) can be read piece by piece."""
    try:
        name = encoding_of(encoding)
    except InvalidInput:  # reading says so
        return False
    return name not in _WHOLE_ONLY and codecs.lookup(name).incrementaldecoder is not None


def as_utf8(read: Read, encoding: Any) -> Read:
    """A reader of the same text in UTF-8. A byte order mark says more about the encoding than an option."""
    head = b""
    while len(head) < len(codecs.BOM_UTF32) and (more := read(len(codecs.BOM_UTF32) - len(head))):
        head += more
    mark, name = next((found for found in MARKS if head.startswith(found[0])), (b"", encoding_of(encoding)))
    return _after(head, read) if name == "utf-8" else _recoded(head[len(mark) :], read, name)


def _after(head: bytes, read: Read) -> Read:
    """What was read already, then the rest."""

    def first_or_next(size: int) -> bytes:
        nonlocal head
        if not head:
            return read(size)
        begun, head = head, b""
        return begun + read(max(1, size - len(begun)))

    return first_or_next


def _recoded(head: bytes, read: Read, name: str) -> Read:
    decoder = codecs.getincrementaldecoder(name)()
    text, ended = decoder.decode(head), False
    # A mark of ours, as the text may begin with a character that would be taken for one.
    mark = codecs.BOM_UTF8

    def block(size: int) -> bytes:
        nonlocal text, ended, mark
        while not text and not ended:
            data = read(size)
            ended = not data
            text = decoder.decode(data, final=ended)
        made = mark + text.encode()
        text, mark = "", b""
        return made

    return block
