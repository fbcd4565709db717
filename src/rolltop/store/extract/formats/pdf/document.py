"""PDF: the text of each page, what was filled in and remarked on it, where its links lead, and what is attached."""

from __future__ import annotations

import contextlib
from itertools import islice
from typing import Any

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import MissingPart, Unreadable
from rolltop.store.extract.formats.pdf.annotations import write_beside
from rolltop.store.extract.formats.pdf.attachments import write_attached
from rolltop.store.extract.formats.pdf.links import links_on
from rolltop.store.extract.formats.pdf.text import text_on

__all__ = ["read"]

MOST_PAGES = 10_000
MOST_CHAPTERS = 1000


def read(data: bytes, draft: Draft) -> None:
    try:
        import pypdfium2  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingPart("reading PDF needs pypdfium2; `rolltop doctor` shows how to get it", "pypdfium2") from None
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        reason = "it is encrypted" if "password" in str(error).lower() else "the PDF is damaged"
        raise Unreadable(reason) from None
    with contextlib.suppress(pypdfium2.PdfiumError):  # then only its fields are not read
        document.init_forms()
    pages = len(document)
    draft.title = document.get_metadata_value("Title") if pages else ""
    _chapters(document, draft)
    for number in range(min(pages, MOST_PAGES)):
        draft.at(f"page {number + 1}")
        _page(document, number, draft)
    if pages > MOST_PAGES:
        draft.note(f"only the first {MOST_PAGES} of {pages} pages were read")
    if not draft.text().strip():
        draft.note("its pages hold no text, perhaps only pictures of text")
    write_attached(document, draft)


def _page(document: Any, number: int, draft: Draft) -> None:
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - an extra

    try:
        page = document[number]
        words = page.get_textpage()
        text = text_on(words, draft.spent.limits.characters)
        words.close()
        for target in links_on(document, page):
            draft.link(target)
        # A word that is parted at the end of a line is one word.
        draft.line(text.replace("\ufffe", "").replace("\r\n", "\n").replace("\x02\n", ""))
        write_beside(document.formenv, page, draft, f"page {number + 1}")
        page.close()
    except PdfiumError as error:
        draft.note(f"page {number + 1} cannot be read ({error})")


def _chapters(document: Any, draft: Draft) -> None:
    for entry in islice(document.get_toc(max_depth=5), MOST_CHAPTERS):
        draft.heading(entry.get_title() or "")
