"""The text of documents."""

from __future__ import annotations

from rolltop.errors import Damaged, NotFound
from rolltop.store.extract.plain import decoded, read_plain
from rolltop.store.extract.record import Extracted
from rolltop.store.reader import Reader
from rolltop.store.records import Document
from rolltop.store.seams import Catalog

__all__ = ["Extracts"]

LONGEST_READ = 64 << 20
"""A longer document is found by name, tag and grep; its text is not read."""


class Extracts:
    """What was found in documents, by their content."""

    def __init__(self, catalog: Catalog, reader: Reader) -> None:
        self._catalog = catalog
        self._reader = reader

    def of(self, document: Document) -> Extracted:
        """The text of a document as far as it is known; never fails, never waits."""
        if document.size > LONGEST_READ:
            return Extracted(document.name, note=f"longer than {LONGEST_READ >> 20} MB: its text is not read")
        if not document.is_text:
            return Extracted(document.name, note=f"no text is read from {document.mime}")
        try:
            return read_plain(decoded(self._content(document)), document.name, document.extension)
        except (Damaged, NotFound) as error:
            # One damaged document must not keep the others from being found; reading it says what is wrong.
            return Extracted(document.name, note=error.message)

    def _content(self, document: Document) -> bytes:
        entry = self._catalog.objects.get(document.object)
        if entry is None:
            raise NotFound("the content is not in the store any more", code="document_not_found")
        return self._reader.content(entry)
