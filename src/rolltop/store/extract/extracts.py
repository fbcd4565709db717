"""The text of documents."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path

from rolltop.errors import Damaged, NotFound
from rolltop.store.blobs.reader import Reader
from rolltop.store.extract.detect import FOREIGN, HEAD, LEGIBLE, format_of, is_plain, whole_characters
from rolltop.store.extract.import_statements import LANGUAGES
from rolltop.store.extract.plain import decoded, read_plain
from rolltop.store.extract.record import PARSED, Extracted, Symbol
from rolltop.store.extract.text_cache import KeptTexts
from rolltop.store.records import Document, Object
from rolltop.store.seams import Catalog

__all__ = ["Extracts"]

LONGEST_READ = 64 << 20
"""A longer document is found by name, tag and grep; its text is not read."""

_WIDEST = 4
"""Bytes of a character in UTF-8, at most."""

_NOT_YET = "its text has not been read yet"


class Extracts:
    """What was found in documents, by their content."""

    def __init__(self, catalog: Catalog, reader: Reader, file: Path) -> None:
        self._catalog = catalog
        self._reader = reader
        self._file = file

    @cached_property
    def kept(self) -> KeptTexts:
        """Texts out of foreign formats; opened when first needed."""
        return KeptTexts(self._file, self._catalog.identity())

    def of(self, document: Document) -> Extracted:
        """The text of a document as far as it is known; never fails, never waits."""
        if document.size > LONGEST_READ:
            return Extracted(document.name, note=f"longer than {LONGEST_READ >> 20} MB: its text is not read")
        try:
            return self._text(document) if document.is_text else self._binary(document)
        except (Damaged, NotFound) as error:
            # One damaged document must not keep the others from being found; reading it says what is wrong.
            return Extracted(document.name, note=error.message)

    def shown(self, document: Document, length: int | None = None) -> Extracted:
        """The same without title, headings and names where these would have to be looked for in the text.

        With `length`, at least so many characters of a text are read and not much more.
        """
        if document.size > LONGEST_READ or not is_plain(text=document.is_text, extension=document.extension):
            return self.of(document)
        try:
            beginning = None if length is None else self._beginning(document, _WIDEST * length)
            return Extracted(body=decoded(self.content(document)) if beginning is None else beginning)
        except (Damaged, NotFound) as error:
            return Extracted(note=error.message)

    def _beginning(self, document: Document, size: int) -> str | None:
        """The first bytes as text; None where the whole has to be read to know what it is."""
        if document.size <= size:
            return None
        try:
            return whole_characters(self._reader.span(self._object(document), 0, size)).decode().removeprefix("\ufeff")
        except UnicodeDecodeError:
            return None

    def has_lines(self, document: Document) -> bool:
        """Whether the lines of its text are looked at, not those of its bytes: those of a PDF say nothing."""
        if is_plain(text=document.is_text, extension=document.extension):
            return False
        return self.kept.has_lines(document.hash)

    def lines(self, document: Document) -> Extracted | None:
        """The text whose lines are looked at instead of those of the bytes; None where there is none."""
        return self.kept.lines(document.hash) if self.has_lines(document) else None

    def is_foreign(self, document: Document) -> bool:
        """Whether people read the text in it, not its bytes: a PDF, a DOCX and the like."""
        if document.size > LONGEST_READ or is_plain(text=document.is_text, extension=document.extension):
            return False
        return self.format(document) in FOREIGN - LEGIBLE

    def note(self, document: Document) -> str | None:
        """Why a document has no text, or not all of it; a plain text is not read for that."""
        plain = is_plain(text=document.is_text, extension=document.extension) and document.size <= LONGEST_READ
        return None if plain else self.of(document).note

    def _text(self, document: Document) -> Extracted:
        data = self.content(document)
        known = is_plain(text=True, extension=document.extension)
        form = "text" if known else format_of(data, document.name)
        if form not in FOREIGN:
            return self._with_names(read_plain(decoded(data), document.name, document.extension), document)
        kept = self.kept.get(document.hash)
        if kept is not None and (kept.body or form not in LEGIBLE):
            return _named(kept, document)
        return self._written(data, document, kept) if form in LEGIBLE else Extracted(document.name, note=_NOT_YET)

    def _written(self, data: bytes, document: Document, kept: Extracted | None) -> Extracted:
        """Better the page as it is written than nothing."""
        return replace(read_plain(decoded(data), document.name, ""), note=kept.note if kept else _NOT_YET)

    def _with_names(self, text: Extracted, document: Document) -> Extracted:
        """With the names that a parser found defined and that no line shows by its look."""
        names = self.kept.names(document.hash) if document.extension in LANGUAGES else {}
        parsed = (Symbol(name, PARSED, line) for name, line in names.items())
        return replace(text, symbols=(*text.symbols, *parsed)) if names else text

    def learn_names(self, document: Document, text: Extracted, defined: dict[str, int]) -> bool:
        """Take over what a parser found in the text of a document, with its lines; whether that is news."""
        more = defined.keys() - {symbol.name for symbol in text.symbols}
        if more:
            news = {name: defined[name] for name in sorted(more)}
            self.kept.put_names(document.hash, self.kept.names(document.hash) | news)
        return bool(more)

    def _binary(self, document: Document) -> Extracted:
        kept = self.kept.get(document.hash)
        if kept is not None and kept.body:
            return _named(kept, document)
        form = self.format(document)
        if form in LEGIBLE:
            return self._written(self.content(document), document, kept)
        if kept is not None:
            return _named(kept, document)
        if form == "text":  # not UTF-8, but text all the same
            return self.transcribed(self.content(document), document)
        return Extracted(document.name, note=_NOT_YET if form else f"no text is read from {document.mime}")

    def transcribed(self, content: bytes, document: Document) -> Extracted:
        """The text of a document that is not UTF-8 but text all the same."""
        return read_plain(decoded(content), document.name, document.extension)

    def format(self, document: Document) -> str:
        """What the document is by its first bytes, see `format_of`."""
        return format_of(self._reader.span(self._object(document), 0, HEAD), document.name)

    def needs_reading(self, document: Document) -> bool:
        """Whether its text has to be read and kept: that of a foreign format, or in another encoding than UTF-8."""
        if document.size > LONGEST_READ or is_plain(text=document.is_text, extension=document.extension):
            return False
        form = self.format(document)
        return form in FOREIGN or (form == "text" and not document.is_text)

    def content(self, document: Document) -> bytes:
        return self._reader.content(self._object(document))

    def _object(self, document: Document) -> Object:
        entry = self._catalog.objects.get(document.object)
        if entry is None:
            raise NotFound("the content is not in the store any more", code="document_not_found")
        return entry

    def close(self) -> None:
        if "kept" in self.__dict__:
            self.kept.close()
            del self.kept


def _named(text: Extracted, document: Document) -> Extracted:
    """Equal content may have several names: the name is not kept with it."""
    return text if text.title else replace(text, title=document.name)
