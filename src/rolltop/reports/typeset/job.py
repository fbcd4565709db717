"""What a confined worker does: pages in, PDF out. Opens no file; all fonts are typst's own."""

from __future__ import annotations

import json

import typst

__all__ = ["set_page"]

# Loaded when the module is: the process that serves cannot open files any more.
_FONTS = typst.Fonts(include_system_fonts=False)


def set_page(request: bytes) -> bytes:
    """Compile `{name: text}` with its `main.typ`."""
    sources = {name: text.encode() for name, text in json.loads(request).items()}
    document = typst.compile(sources, font_paths=_FONTS, ignore_system_fonts=True)  # type: ignore[call-overload]
    assert isinstance(document, bytes)
    return document
