"""Decode the bytes of a source: by byte order mark, by the XML declaration, else UTF-8."""

from __future__ import annotations

import re

from rolltop.errors import InvalidInput
from rolltop.transform.errors import ReadFailure
from rolltop.transform.formats.text import decode, encoding_of

__all__ = ["decode_source"]

_DECLARED = re.compile(rb"\s*<\?xml\b[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_WIDE = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
"""How XML of two bytes for a character begins without a mark."""


def decode_source(data: bytes, format_: str) -> tuple[str, str | None]:
    """The text, and the encoding that had to be guessed: a table in none that is declared is taken for Windows'."""
    if format_ in ("xml", "xsd"):
        return decode(data, "XML", _of_xml(data)), None
    try:
        return decode(data, format_.upper()), None
    except ReadFailure:
        if format_ != "csv" or b"\0" in data:
            raise
    # What Windows-1252 leaves undefined is nothing but control characters in Latin-1.
    guessed = "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "cp1252"
    return data.decode(guessed), guessed


def _of_xml(data: bytes) -> str:
    for start, encoding in _WIDE:
        if data.startswith(start):
            return encoding
    declared = _DECLARED.match(data)
    if declared is None:
        return "utf-8"
    name = declared[1].decode()
    try:
        # A declaration that can be read byte by byte is not written in two of them.
        return "utf-8" if encoding_of(name).startswith(("utf-16", "utf-32")) else encoding_of(name)
    except InvalidInput:
        raise ReadFailure(f"XML parse error at 1:1 - unknown encoding {name}", hint="Check the declaration.") from None
