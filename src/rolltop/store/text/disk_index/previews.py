"""The beginning of a text, kept beside its words: what a hit is shown with, without opening the document.

A head is of one change of its document. Whoever shows it compares that with the catalogue and checks nothing else:
the bytes carry a checksum, and what fails it is no head.
"""

from __future__ import annotations

import struct
import threading

import zstandard

from rolltop.store.seams import TextHead, TextUnit

__all__ = ["pack_head", "unpack_head"]

LENGTH = 1 << 16
"""Characters. Most documents are shorter; of a longer one the rest is read where the head does not show enough."""

_LAYOUT = struct.Struct("<QIIB")  # change, bytes of the title, bytes of the text, whether that is all of it


class _Codecs(threading.local):
    """zstd contexts may not be shared between threads."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=1, write_checksum=True, write_content_size=True)
        self.decompressor = zstandard.ZstdDecompressor()


_codecs = _Codecs()


def pack_head(unit: TextUnit) -> bytes:
    """The head of a document, for keeping."""
    title = (unit.title or unit.name).encode("utf-8", "replace")
    # Without lines to name places by, the text alone does not show enough.
    text = unit.body[:LENGTH].encode("utf-8", "replace") if unit.in_lines else b""
    whole = unit.in_lines and len(unit.body) <= LENGTH
    return _LAYOUT.pack(unit.change, len(title), len(text), whole) + _codecs.compressor.compress(title + text)


def unpack_head(data: bytes) -> TextHead | None:
    """What `pack_head` packed; None where it is something else."""
    try:
        change, titled, length, whole = _LAYOUT.unpack_from(data)
        frame = data[_LAYOUT.size :]
        # Asked before it is unpacked: a wrong bit must not ask for gigabytes.
        if zstandard.frame_content_size(frame) != titled + length:
            return None
        content = _codecs.decompressor.decompress(frame)
        return TextHead(change, content[:titled].decode(), content[titled:].decode(), bool(whole))
    except (struct.error, zstandard.ZstdError, UnicodeDecodeError):
        return None
