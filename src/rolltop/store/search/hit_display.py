"""Hits as they are shown: a title and the piece of text that answers best, out of what the index has kept or, where
that is not enough or of another time, out of the document."""

from __future__ import annotations

from collections.abc import Sequence

from rolltop.store.extract import Extracts
from rolltop.store.records import Document
from rolltop.store.seams import Catalog, TextHead, TextHit
from rolltop.store.search.results import Hit
from rolltop.store.text import ENOUGH, Needles, snippet

__all__ = ["Showing", "beginning"]


def beginning(extracts: Extracts, document: Document) -> str:
    """The piece that a text begins with, for a document that was not found by words."""
    shown = snippet(extracts.shown(document, ENOUGH).body, Needles(()), 0)
    assert shown is not None, "a whole text always has a piece"
    return shown.text


class Showing:
    """Shows the hits of one query."""

    def __init__(
        self, catalog: Catalog, extracts: Extracts, words: tuple[str, ...], families: tuple[tuple[str, ...], ...]
    ) -> None:
        self._catalog = catalog
        self._extracts = extracts
        self._words = words
        self._families = families
        self._needles = Needles(self._families)

    def hits(self, ranked: Sequence[TextHit]) -> list[Hit]:
        """Those of the documents that are still there."""
        found = self._catalog.listings.numbered([each.document for each in ranked])
        documents = {document.id: document for document in found}
        return [self._hit(documents[each.document], each) for each in ranked if each.document in documents]

    def _hit(self, document: Document, each: TextHit) -> Hit:
        head = each.head()
        if head is not None and head.change != document.change:
            head = None  # the document has been changed since, or what is on disk is damaged
        title, text, place = self._from_head(head, each) or self._from_document(document, head, each)
        return Hit(document, each.score, title, text, place, self._words, each.parts, self._families)

    def _from_head(self, head: TextHead | None, each: TextHit) -> tuple[str, str, str] | None:
        if head is None or not (head.text or head.whole):
            return None
        shown = snippet(head.text, self._needles, each.offset, whole=head.whole)
        if shown is None:
            return None
        place = f"line {head.text.count(chr(10), 0, shown.offset) + 1}" if head.text else ""
        return head.title, shown.text, place

    def _from_document(self, document: Document, head: TextHead | None, each: TextHit) -> tuple[str, str, str]:
        # Who has the title already needs no headings looked for, and who has no place only the beginning.
        if head is not None:
            found = self._extracts.shown(document, ENOUGH if each.offset is None else None)
        else:
            found = self._extracts.of(document)
        shown = snippet(found.body, self._needles, each.offset)
        assert shown is not None, "a whole text always has a piece"
        title = (head.title if head is not None else found.title) or document.name
        return title, shown.text, found.place(shown.offset) if found.body else ""
