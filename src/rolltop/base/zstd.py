"""zstd of the standard library from Python 3.14 on, and its backport before."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["MIN_DICTIONARY", "decompress_exactly", "zstd"]

MIN_DICTIONARY = 8
"""Bytes. zstd makes no use of a shorter dictionary, and the binding refuses it."""


def decompress_exactly(frame: bytes, size: int, dictionary: zstd.ZstdDict | None = None) -> bytes | None:
    """Return the content of one frame if it has exactly `size` bytes, else None. Never unpacks more than that.

    Raises `zstd.ZstdError` for what is no frame or needs another dictionary.
    """
    decompressor = zstd.ZstdDecompressor(zstd_dict=dictionary)
    content = decompressor.decompress(frame, max_length=size + 1)
    return content if decompressor.eof and len(content) == size else None
