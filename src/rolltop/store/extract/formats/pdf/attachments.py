"""Files that are attached to a PDF: the data of an invoice, the documents of a portfolio."""

from __future__ import annotations

from functools import partial
from typing import Any

from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.parts import read_part
from rolltop.store.extract.formats.pdf.annotations import filled

__all__ = ["write_attached"]


def write_attached(document: Any, draft: Draft) -> None:
    """Write what is attached, each under its own name; what cannot be read only says why."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - an extra

    for number in range(document.count_attachments()):
        draft.spent.member()
        name = f"attachment {number + 1}"
        try:
            attached = document.get_attachment(number)
            name = filled(partial(pdfium.FPDFAttachment_GetName, attached)).strip() or name
            content = bytes(attached.get_data())
        except PdfiumError as error:
            draft.note(f"{name}: it cannot be read ({error})")
            continue
        draft.spent.unpack(len(content))
        read_part(content, name, draft)
