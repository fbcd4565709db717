"""The beginning of a text, kept beside its words: what a hit is shown with, without opening the document.

A head is of one change of its document. Whoever shows it compares that with the catalogue and checks nothing else:
the bytes carry a checksum, and what fails it is no head.
"""

from __future__ import annotations

import struct
import threading

from rolltop.base.zstd import decompress_exactly, zstd
from rolltop.store.seams import TextHead, TextUnit

__all__ = ["pack_head", "unpack_head"]

LENGTH = 1 << 16
"""Characters. Most documents are shorter; of a longer one the rest is read where the head does not show enough."""

_LAYOUT = struct.Struct("<QIIB")  # change, bytes of the title, bytes of the text, whether that is all of it


class _Codecs(threading.local):
    """zstd contexts may not be shared between threads."""

    def __init__(self) -> None:
        parameter = zstd.CompressionParameter
        self.compressor = zstd.ZstdCompressor(options={parameter.compression_level: 1, parameter.checksum_flag: 1})


_codecs = _Codecs()


def pack_head(unit: TextUnit) -> bytes:
    """The head of a document, for keeping."""
    title = (unit.title or unit.name).encode("utf-8", "replace")
    # Without lines to name places by, the text alone does not show enough.
    text = unit.body[:LENGTH].encode("utf-8", "replace") if unit.in_lines else b""
    whole = unit.in_lines and len(unit.body) <= LENGTH
    frame = _codecs.compressor.compress(title + text, zstd.ZstdCompressor.FLUSH_FRAME)
    return _LAYOUT.pack(unit.change, len(title), len(text), whole) + frame


def unpack_head(data: bytes) -> TextHead | None:
    """What `pack_head` packed; None where it is something else."""
    try:
        change, titled, length, whole = _LAYOUT.unpack_from(data)
        content = decompress_exactly(data[_LAYOUT.size :], titled + length)
        if content is None:
            return None
        return TextHead(change, content[:titled].decode(), content[titled:].decode(), bool(whole))
    except (struct.error, zstd.ZstdError, UnicodeDecodeError):
        return None
