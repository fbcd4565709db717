"""Where the links on a page of a PDF lead: addresses, and other files."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

__all__ = ["links_on"]

MOST = 1000
"""Links of one page; the list may lead into itself."""
LONGEST = 4096


def links_on(document: Any, page: Any) -> Iterator[str]:
    """The targets outside of the document, in the order of the page."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    place, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(MOST):
        if not pdfium.FPDFLink_Enumerate(page, place, link):
            return
        action = pdfium.FPDFLink_GetAction(link)
        kind = pdfium.FPDFAction_GetType(action) if action else pdfium.PDFACTION_UNSUPPORTED
        if kind == pdfium.PDFACTION_URI:
            yield _text(pdfium.FPDFAction_GetURIPath, document, action)
        elif kind in (pdfium.PDFACTION_REMOTEGOTO, pdfium.PDFACTION_LAUNCH):
            yield _text(pdfium.FPDFAction_GetFilePath, action)


def _text(fill: Any, *given: Any) -> str:
    """What a function of PDFium writes into a buffer; nothing if that is too long."""
    buffer = ctypes.create_string_buffer(LONGEST)
    size = fill(*given, buffer, LONGEST)
    return buffer.raw[: size - 1].decode("utf-8", "replace") if 0 < size <= LONGEST else ""
