"""What people put on a page of a PDF: what they filled in, and what they remarked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from rolltop.store.extract.formats.draft import Draft

__all__ = ["filled", "write_beside"]

MOST = 10_000
"""Fields and remarks of one page."""


def write_beside(form: Any, page: Any, draft: Draft, label: str) -> None:
    """Write the values of fields, where the document has a `form`, and remarks; their places begin with `label`."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    values: dict[str, None] = {}
    remarks: dict[str, None] = {}
    count = pdfium.FPDFPage_GetAnnotCount(page)
    for number in range(min(count, MOST)):
        with _opened(page, number) as found:
            if not found or pdfium.FPDFAnnot_GetFlags(found) & pdfium.FPDF_ANNOT_FLAG_HIDDEN:
                continue
            kind = pdfium.FPDFAnnot_GetSubtype(found)
            if kind == pdfium.FPDF_ANNOT_WIDGET:
                values[_value(form, found)] = None
            elif kind not in (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP) and not _is_state(found):
                remarks[_string(found, b"Contents")] = None
    for texts, what in ((values, "form"), (remarks, "comments")):
        if said := [text for text in texts if text.strip()]:
            draft.at(f"{label}, {what}")
            draft.line("\n".join(said))
    if count > MOST:
        draft.note(f"only the first {MOST} fields and comments of each page were read")


@contextmanager
def _opened(page: Any, number: int) -> Iterator[Any]:
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    found = pdfium.FPDFPage_GetAnnot(page, number)
    try:
        yield found
    finally:
        if found:
            pdfium.FPDFPage_CloseAnnot(found)


def _is_state(found: Any) -> bool:
    """Whether it only says that somebody accepted or marked another remark."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    return bool(pdfium.FPDFAnnot_HasKey(found, b"StateModel"))


def _value(form: Any, found: Any) -> str:
    """What was typed or chosen in a field; nothing for what is ticked, pressed or signed."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    kind = pdfium.FPDFAnnot_GetFormFieldType(form, found) if form else pdfium.FPDF_FORMFIELD_UNKNOWN
    if kind in (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX):
        if chosen := "\n".join(_chosen(form, found)):
            return chosen
    elif kind != pdfium.FPDF_FORMFIELD_TEXTFIELD:
        return ""
    return filled(partial(pdfium.FPDFAnnot_GetFormFieldValue, form, found))


def _chosen(form: Any, found: Any) -> Iterator[str]:
    """The options that are chosen, as they are shown; the value may be a code for them."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    for number in range(min(pdfium.FPDFAnnot_GetOptionCount(form, found), MOST)):
        if pdfium.FPDFAnnot_IsOptionSelected(form, found, number):
            yield filled(partial(pdfium.FPDFAnnot_GetOptionLabel, form, found, number))


def _string(found: Any, key: bytes) -> str:
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    return filled(partial(pdfium.FPDFAnnot_GetStringValue, found, key))


def filled(fill: Callable[[Any, int], int]) -> str:
    """What a function of PDFium writes into a buffer, in UTF-16; asked without one, it says how long that is."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 - an extra

    size = fill(None, 0)
    buffer = (pdfium.FPDF_WCHAR * (size // 2 + 1))()
    fill(buffer, size)
    text = bytes(buffer)[: max(0, size - 2)].decode("utf-16-le", "ignore")
    return text.replace("\r\n", "\n").replace("\r", "\n")
