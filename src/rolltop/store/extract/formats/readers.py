"""Which reader reads which format."""

from __future__ import annotations

from importlib import import_module

from rolltop.store.extract.detect import format_of
from rolltop.store.extract.formats.draft import Draft
from rolltop.store.extract.formats.limits import Enough, Limits, Spent, Unreadable
from rolltop.store.extract.plain import decoded, read_plain
from rolltop.store.extract.record import Extracted
from rolltop.store.file_types import extension_of

__all__ = ["read_document", "read_into"]

READERS = {
    "pdf": "pdf.document",
    "docx": "docx",
    "xlsx": "xlsx",
    "pptx": "pptx",
    "odf": "odf.document",
    "epub": "epub",
    "html": "html",
    "mail": "mail",
    "notebook": "notebook",
    "rtf": "rtf",
    "zip": "archive",
    "tar": "archive",
    "packed": "archive",
}
"""The module for each format that `format_of` knows."""


def read_document(data: bytes, name: str, limits: Limits | None = None) -> Extracted:
    """The text of a document in a foreign format; what cannot be read is said in its note."""
    draft = Draft(Spent(limits or Limits()))
    try:
        read_into(data, name, draft)
    except (Unreadable, Enough) as error:
        draft.refused(error)
    if not draft.notes and not draft.text().strip():
        draft.note("it holds no text")
    return draft.finished()


def read_into(data: bytes, name: str, draft: Draft) -> None:
    """Read any document into a draft."""
    form = format_of(data, name)
    if form == "text":
        found = read_plain(decoded(data), name, extension_of(name))
        for heading in found.headings:
            draft.heading(heading)
        draft.symbols += found.symbols
        draft.line(found.body)
    elif form in READERS:
        import_module(f"rolltop.store.extract.formats.{READERS[form]}").read(data, draft)
    elif form == "ole":
        raise Unreadable("it is an old Office file or an encrypted one: save it as DOCX, XLSX or PPTX without password")
