"""Finding documents by name, hash and filters, and reading them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rolltop.errors import InvalidInput, NotFound
from rolltop.store.blobs.reader import Lines
from rolltop.store.core import Core
from rolltop.store.file_types import storable_path
from rolltop.store.query import Listing, Page
from rolltop.store.records import Document, Object, Version

__all__ = ["Finding", "Found", "is_hash_prefix", "no_such_hash"]

MOST_OBJECTS = 10_000
"""Contents that one beginning of a hash is looked up for."""

_HASH_PREFIX = re.compile(r"[0-9a-fA-F]{8,64}")


def is_hash_prefix(text: str) -> bool:
    """Whether a text could be a hash or the beginning of one."""
    return _HASH_PREFIX.fullmatch(text) is not None


def no_such_hash() -> NotFound:
    return NotFound(
        "no document has this hash", code="document_not_found", hint="Search for a word that the document holds."
    )


def _hash_prefix(text: str) -> str:
    if not is_hash_prefix(text):
        raise InvalidInput("a hash is 8 to 64 hexadecimal digits")
    return text.lower()


def _several_hashes(text: str, objects: Sequence[Object]) -> InvalidInput:
    hashes = [entry.hex for entry in objects]
    return InvalidInput(
        f"several documents have a hash that begins with {text}",
        hint="Give more digits of the hash: " + ", ".join(hashes[:3]),
        details={"candidates": hashes[:20]},
    )


@dataclass(frozen=True, slots=True)
class Found:
    """Content by its hash, and the document that has it (or had it)."""

    object: Object
    document: Document

    @property
    def current(self) -> bool:
        """Whether the document has the content now, not in an earlier version."""
        return self.document.object == self.object.id


class Finding(Core):
    """The reading half of the library."""

    def document(self, name: str) -> Document:
        """The document with this path, name or end of a path."""
        name = storable_path(name)
        found = self.named(name)
        if not found:
            raise NotFound(
                f"no document is called {name!r}",
                code="document_not_found",
                hint="List the documents, or search for a word that it holds.",
            )
        if len(found) > 1:
            raise InvalidInput(
                f"{len(found)} documents are called {name!r}",
                hint="Give the whole path: " + ", ".join(document.path for document in found[:5]),
                details={"candidates": [document.path for document in found[:20]]},
            )
        return self.filled(found[0])

    def named(self, name: str) -> list[Document]:
        """Documents by exact path, else by name, else by the end of their path."""
        name = storable_path(name)
        exact = self.catalog.documents.at(name)
        if exact:
            return [exact]
        last = name.rstrip("/").rpartition("/")[2]
        if last == name:
            return self.catalog.documents.named(name)
        return self.catalog.documents.ending(last, name.removeprefix("./").lstrip("/"))

    def filled(self, document: Document) -> Document:
        return replace(
            document, tags=self.catalog.tags.of(document.id), metadata=self.catalog.tags.metadata(document.id)
        )

    # by hash -------------------------------------------------------------------------------------

    def by_hash(self, text: str) -> Found | None:
        """The content with this hash, or the only one whose hash begins so."""
        found = self.hash_candidates(text, limit=20)
        if len(found) > 1:
            raise _several_hashes(text, [each.object for each in found])
        return found[0] if found else None

    def document_with(self, text: str) -> Document:
        """The one document that has the content with this hash, else the one that had it; several are an error."""
        held = self.with_hash(text)
        objects = list({each.object.id: each.object for each in held}.values())
        if len(objects) > 1:
            raise _several_hashes(text, objects)
        found = [each.document for each in held if each.current] or [each.document for each in held]
        if not found:
            raise no_such_hash()
        if len(found) > 1:
            paths = [document.path for document in found]
            raise InvalidInput(
                f"{len(found)} documents have the content with this hash",
                hint="Say which one by its path as name: " + ", ".join(paths[:5]),
                details={"candidates": paths[:20]},
            )
        return self.filled(found[0])

    def with_hash(self, text: str) -> list[Found]:
        """Every document that has content whose hash begins so; after them those that had it once."""
        entries = self.catalog.objects.by_prefix(_hash_prefix(text), MOST_OBJECTS)
        documents = self.catalog.documents
        having = [Found(entry, each) for entry in entries for each in documents.with_object(entry.id)]
        return having + [Found(entry, each) for entry in entries for each in documents.that_had(entry.id)]

    def hash_candidates(self, text: str, limit: int = 100) -> list[Found]:
        """Reachable content whose hash begins so, each once."""
        found: list[Found] = []
        for entry in self.catalog.objects.by_prefix(_hash_prefix(text), MOST_OBJECTS):
            holder = self._holder(entry)
            if holder:
                found.append(Found(entry, self.filled(holder)))
                if len(found) == limit:
                    break
        return found

    def _holder(self, entry: Object) -> Document | None:
        current = self.catalog.documents.with_object(entry.id)
        return current[-1] if current else self.catalog.documents.with_version(entry.id)

    # reading -------------------------------------------------------------------------------------

    def read(self, document: Document) -> bytes:
        """The whole content, checked."""
        return self.reader.content(self._object(document.object))

    def read_span(self, number: int, start: int, end: int) -> bytes:
        """Some bytes of an object."""
        return self.reader.span(self._object(number), start, end)

    def read_lines(self, number: int, first: int, last: int | None = None, most: int = sys.maxsize) -> Lines:
        """Lines of an object, counted from 1, as far as they fit into `most` bytes; a line ends with a newline."""
        return self.reader.lines(self._object(number), first, last, most)

    def read_pieces(self, number: int) -> Iterator[bytes]:
        """An object piece by piece, for what is too large to hold at once."""
        return self.reader.pieces(self._object(number))

    def read_object(self, number: int) -> bytes:
        return self.reader.content(self._object(number))

    def _object(self, number: int) -> Object:
        entry = self.catalog.objects.get(number)
        if entry is None:
            raise NotFound("the content is not in the store any more", code="document_not_found")
        return entry

    def versions(self, document: Document) -> list[Version]:
        """Every version, the current one last."""
        return self.catalog.documents.versions(document)

    def page(self, query: Listing | None = None) -> Page:
        """A page of documents."""
        return self.catalog.listings.page(query or Listing())

    def select(self, query: Listing) -> list[Document]:
        """Every document that fits, by path."""
        return self.catalog.listings.all(query)
