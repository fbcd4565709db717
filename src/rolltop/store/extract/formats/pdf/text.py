"""The letters on a page of a PDF, all of them."""

from __future__ import annotations

import ctypes
from typing import Any

from rolltop.store.extract.formats.pdf.letters import in_reading_order, may_be_out_of_order

__all__ = ["text_on"]

_BEYOND = -1
"""The place in the text of what is no part of it."""


def text_on(words: Any, most: int) -> str:
    """The text of a page that was loaded for its text; `most` is how many characters are wanted where it takes long."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    place = pdfium.FPDFText_GetTextIndexFromCharIndex
    first, last = 0, pdfium.FPDFText_CountChars(words) - 1
    while first <= last and place(words, first) == _BEYOND:
        first += 1
    while first <= last and place(words, last) == _BEYOND:
        last -= 1
    if first > last:
        return ""
    size = place(words, last) - place(words, first) + 1
    buffer = (ctypes.c_ushort * (size + 1))()
    written = pdfium.FPDFText_GetText(words, first, last - first + 1, buffer) - 1
    text = _whole(bytes(buffer)[: 2 * written])
    if written == size and not may_be_out_of_order(text):
        return text
    # What has more than 16 bits is left out there, and has to be asked for letter by letter.
    shown = (each for each in range(first, min(last, first + most) + 1) if place(words, each) != _BEYOND)
    letters = in_reading_order(words, shown)
    return _whole(letters.encode("utf-16-le", "surrogatepass")).replace("\0", "")


def _whole(units: bytes) -> str:
    """Some PDF have the halves of such letters one by one."""
    return units.decode("utf-16-le", "ignore")
