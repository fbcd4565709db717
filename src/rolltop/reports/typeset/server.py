"""The job that runs typst, in a worker of `rolltop.confine` that cannot open files or connect anywhere.

A request is JSON: `{name: text}` with its `main.typ` asks for a PDF, a string asks which of its characters no font
has. An answer is one byte (0: what was asked for follows, 1: an error message follows) and the rest.
"""

from __future__ import annotations

import json
import re

import typst

__all__ = ["set_pages"]

_SMALL = "#set page(width: 60pt, height: 40pt, margin: 5pt)\n"
_SHAPE = re.compile(rb'<use [^>]*href="#(\w+)"')
_NOWHERE = "\U0010fffd"
"""A character for private use that no font of typst's has."""
_AT_ONCE = 200
_FONTS = typst.Fonts(include_system_fonts=False)  # read when this is imported: a worker cannot open files


def set_pages(request: bytes) -> bytes:
    try:
        asked = json.loads(request)
        if isinstance(asked, str):
            return b"\0" + without_glyph(asked).encode()
        sources = {name: text.encode() for name, text in asked.items()}
        document = typst.compile(sources, font_paths=_FONTS, ignore_system_fonts=True)  # type: ignore[call-overload]
    except Exception as error:  # whatever a page makes typst say is the page's own fault
        return b"\1" + str(error).encode("utf-8", "replace")[:2000]
    assert isinstance(document, bytes)
    return b"\0" + document


def without_glyph(characters: str) -> str:
    """The first of the characters for which typst would set the box of its main font."""
    for at in range(0, len(characters), _AT_ONCE):
        some = characters[at : at + _AT_ONCE]
        box, *glyphs = _glyphs(_NOWHERE + some)
        if missing := "".join(each for each, shown in zip(some, glyphs, strict=True) if box & shown):
            return missing
    return ""


def _glyphs(characters: str) -> list[set[bytes]]:
    """For each character the names of the shapes that a page with it alone consists of."""
    pages = "\n#pagebreak()\n".join(f'#text("\\u{{{ord(each):x}}}")' for each in characters)
    sources = {"main.typ": f"{_SMALL}{pages}".encode()}
    drawn = typst.compile(sources, font_paths=_FONTS, ignore_system_fonts=True, format="svg")  # type: ignore[call-overload]
    return [set(_SHAPE.findall(page)) for page in ([drawn] if isinstance(drawn, bytes) else drawn)]
