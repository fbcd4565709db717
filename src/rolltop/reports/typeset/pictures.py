"""Pictures as SVG text: typst is given a project of texts, and an SVG may hold a bitmap."""

from __future__ import annotations

import struct
from base64 import b64encode

__all__ = ["as_svg"]


def as_svg(data: bytes) -> str | None:
    """The picture in its own size; None when it is of a kind that typst does not show."""
    if _is_svg(data):
        return data.decode("utf-8", "replace")
    for kind, size_of in (("png", _png), ("jpeg", _jpeg), ("gif", _gif), ("webp", _webp)):
        try:
            size = size_of(data)
        except (struct.error, IndexError):  # cut short
            return None
        if size is not None and all(size):
            return _wrapped(kind, size, data)
    return None


def _is_svg(data: bytes) -> bool:
    head = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith((b"<svg", b"<?xml", b"<!DOCTYPE svg", b"<!--")) and b"<svg" in data


def _wrapped(kind: str, size: tuple[int, int], data: bytes) -> str:
    """Dots of a picture are CSS pixels: the fast engine draws at 96 dots an inch."""
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width}" height="{height}"><image width="{width}" height="{height}" '
        f'xlink:href="data:image/{kind};base64,{b64encode(data).decode("ascii")}"/></svg>'
    )


def _png(data: bytes) -> tuple[int, int] | None:
    return struct.unpack(">II", data[16:24]) if data.startswith(b"\x89PNG\r\n\x1a\n") else None


def _gif(data: bytes) -> tuple[int, int] | None:
    return struct.unpack("<HH", data[6:10]) if data.startswith((b"GIF87a", b"GIF89a")) else None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """From the frame header, which comes after any number of other segments."""
    if not data.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while True:
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        stands_alone = marker == 0xFF or 0xD0 <= marker <= 0xD9
        at += (1 if marker == 0xFF else 2) if stands_alone else 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]


def _webp(data: bytes) -> tuple[int, int] | None:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    match data[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case _:
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
