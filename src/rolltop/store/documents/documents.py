"""Storing documents, finding them by name, hash and filters, reading and deleting them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO

from rolltop.errors import Conflict, InvalidInput, NotFound
from rolltop.store.blobs.reader import Lines
from rolltop.store.blobs.writer import Writer
from rolltop.store.core import DAY
from rolltop.store.documents.content_type import described
from rolltop.store.documents.hashes import MOST_OBJECTS, Found, hash_prefix, no_such_hash, several_hashes
from rolltop.store.documents.ingest import Ingest, Source, Tally, keep_content, record
from rolltop.store.file_types import storable_path
from rolltop.store.metadata_values import FORGET_AFTER, check_count, check_said
from rolltop.store.query import Listing, Page
from rolltop.store.records import Added, Document, Object, Version
from rolltop.store.times import now

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Documents"]


class Documents:
    """The documents of a library: `library.documents`."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._catalog = library.catalog

    # storing -------------------------------------------------------------------------------------

    def add(
        self,
        path: str,
        content: bytes | BinaryIO,
        *,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        mime: str | None = None,
        created: int | None = None,
        modified: int | None = None,
    ) -> Added:
        """Keep content under a path; a new version if the path exists with other content."""
        check_said(path, tags, metadata or {})
        check_count(metadata or {})
        if ".." in path.split("/") and self._catalog.documents.at(storable_path(path)) is None:
            raise InvalidInput("a name cannot have .. as a part", hint="Leave it out, as in notes/a.md.")
        if any(moment is not None and not isinstance(moment, int) for moment in (created, modified)):
            raise InvalidInput("created and modified are nanoseconds since 1970, as whole numbers")
        moment = now()
        times = (moment if created is None else created, moment if modified is None else modified)

        def work(writer: Writer) -> Added:
            return self.keep(writer, path, content, tags=tags, metadata=metadata or {}, mime=mime, times=times)

        return self._library.write(work)

    def add_text(
        self,
        name: str,
        text: str,
        *,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        mime: str | None = None,
        created: int | None = None,
        modified: int | None = None,
    ) -> Added:
        """Keep a text under a name."""
        content = text.encode("utf-8", "surrogatepass")
        return self.add(name, content, tags=tags, metadata=metadata, mime=mime, created=created, modified=modified)

    def keep(
        self,
        writer: Writer,
        path: str,
        content: bytes | BinaryIO,
        *,
        tags: Sequence[str],
        metadata: Mapping[str, Any],
        mime: str | None,
        times: tuple[int, int],
    ) -> Added:
        """Keep content under any path that there may once have been, as a part of what `writer` writes."""
        path = storable_path(path)
        old = self._catalog.documents.at(path)
        if old:
            self._catalog.tags.refuse_expiry(old.id, metadata)
        before = writer.written
        kept, head, text = keep_content(writer, content, old.object if old else None)
        writer.flush()
        new = described(path, kept, head, mime, times, text=text)
        number, outcome = record(self._catalog, old, new)
        changed = self._catalog.tags.add(number, tags)
        changed = bool(self._catalog.tags.set(number, metadata, now())) or changed
        if outcome == "unchanged" and old and (changed or old.modified != new.modified):
            self._catalog.documents.touch(old, modified=new.modified)
        return Added(
            self.filled(self.live(number)), kept.new_bytes, kept.size - kept.new_bytes, writer.written - before, outcome
        )

    def add_many(
        self,
        sources: Iterable[Source],
        *,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        progress: Callable[[Tally], None] | None = None,
    ) -> Tally:
        """Keep many documents, in batches that are each durable."""
        check_said("-", tags, metadata or {})
        ingest = Ingest(self._catalog, tags, metadata or {})
        return ingest.run(sources, self._library.write, progress)

    # by name -------------------------------------------------------------------------------------

    def get(self, name: str) -> Document:
        """The document with this path, name or end of a path; where there is none, names that are spelled nearly so."""
        name = storable_path(name)
        found = self.named(name)
        if not found:
            raise self._nobody(name)
        if len(found) > 1:
            raise InvalidInput(
                f"{len(found)} documents are called {name!r}",
                hint="Give the whole path: " + ", ".join(document.path for document in found[:5]),
                details={"candidates": [document.path for document in found[:20]]},
            )
        return self.filled(found[0])

    def _nobody(self, name: str) -> NotFound:
        meant = self._library.search.similar_names(name)
        return NotFound(
            f"no document is called {name!r}",
            code="document_not_found",
            hint=f"Did you mean {' or '.join(meant)}?"
            if meant
            else "List the documents, or search for a word that it holds.",
            details={"candidates": meant} if meant else None,
        )

    def named(self, name: str) -> list[Document]:
        """Documents by exact path, else by name, else by the end of their path."""
        name = storable_path(name)
        exact = self._catalog.documents.at(name)
        if exact:
            return [exact]
        last = name.rstrip("/").rpartition("/")[2]
        if last == name:
            return self._catalog.documents.named(name)
        return self._catalog.documents.ending(last, name.removeprefix("./").lstrip("/"))

    def live(self, number: int) -> Document:
        """The document with this number as it is now; an error where it has been deleted."""
        live = self._catalog.documents.get(number)
        if live is None:
            raise InvalidInput("the document has been deleted in the meantime", hint="Bring it back with undo.")
        return live

    def filled(self, document: Document) -> Document:
        """With its tags and metadata."""
        return replace(
            document, tags=self._catalog.tags.of(document.id), metadata=self._catalog.tags.metadata(document.id)
        )

    # by hash -------------------------------------------------------------------------------------

    def by_hash(self, text: str) -> Found | None:
        """The content with this hash, or the only one whose hash begins so."""
        found = self.hash_candidates(text, limit=20)
        if len(found) > 1:
            raise several_hashes(text, [each.object for each in found])
        return found[0] if found else None

    def document_with(self, text: str) -> Document:
        """The one document that has the content with this hash, else the one that had it; several are an error."""
        held = self.with_hash(text)
        objects = list({each.object.id: each.object for each in held}.values())
        if len(objects) > 1:
            raise several_hashes(text, objects)
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
        entries = self._catalog.objects.by_prefix(hash_prefix(text), MOST_OBJECTS)
        documents = self._catalog.documents
        having = [Found(entry, each) for entry in entries for each in documents.with_object(entry.id)]
        return having + [Found(entry, each) for entry in entries for each in documents.that_had(entry.id)]

    def hash_candidates(self, text: str, limit: int = 100) -> list[Found]:
        """Reachable content whose hash begins so, each once."""
        found: list[Found] = []
        for entry in self._catalog.objects.by_prefix(hash_prefix(text), MOST_OBJECTS):
            holder = self._holder(entry)
            if holder:
                found.append(Found(entry, self.filled(holder)))
                if len(found) == limit:
                    break
        return found

    def _holder(self, entry: Object) -> Document | None:
        current = self._catalog.documents.with_object(entry.id)
        return current[-1] if current else self._catalog.documents.with_version(entry.id)

    # reading -------------------------------------------------------------------------------------

    def read(self, document: Document) -> bytes:
        """The whole content, checked."""
        return self._library.reader.content(self._object(document.object))

    def read_span(self, number: int, start: int, end: int) -> bytes:
        """Some bytes of an object."""
        return self._library.reader.span(self._object(number), start, end)

    def read_lines(self, number: int, first: int, last: int | None = None, most: int = sys.maxsize) -> Lines:
        """Lines of an object, counted from 1, as far as they fit into `most` bytes; a line ends with a newline."""
        return self._library.reader.lines(self._object(number), first, last, most)

    def read_pieces(self, number: int) -> Iterator[bytes]:
        """An object piece by piece, for what is too large to hold at once."""
        return self._library.reader.pieces(self._object(number))

    def read_object(self, number: int) -> bytes:
        return self._library.reader.content(self._object(number))

    def _object(self, number: int) -> Object:
        entry = self._catalog.objects.get(number)
        if entry is None:
            raise NotFound("the content is not in the store any more", code="document_not_found")
        return entry

    def versions(self, document: Document) -> list[Version]:
        """Every version, the current one last."""
        return self._catalog.documents.versions(document)

    def page(self, query: Listing | None = None) -> Page:
        """A page of documents."""
        return self._catalog.listings.page(query or Listing())

    def select(self, query: Listing) -> list[Document]:
        """Every document that fits, by path."""
        return self._catalog.listings.all(query)

    # deleting ------------------------------------------------------------------------------------

    def matching(
        self, *, name: str | None = None, names: Sequence[str] = (), pattern: str | None = None
    ) -> list[Document]:
        """The documents that a deletion by name, names or glob is about, by path."""
        found: dict[int, Document] = {}
        for each in map(storable_path, (*([name] if name else []), *names)):
            exact = self._catalog.documents.at(each)
            group = [exact] if exact else self._catalog.documents.named(each)
            found.update((document.id, document) for document in group)
        if pattern:
            found.update((d.id, d) for d in self._catalog.listings.all(Listing(paths=(pattern,))))
        return sorted(found.values(), key=lambda document: document.path)

    def delete(self, documents: Iterable[Document]) -> list[Document]:
        """Nothing reaches the documents from now on; `undo` brings them back for some days."""
        wanted = list(documents)

        def work(_: Writer) -> list[Document]:
            live = [found for document in wanted if (found := self._catalog.documents.get(document.id))]
            self._catalog.documents.delete(live, now())
            return live

        return self._library.write(work)

    def deleted(self) -> list[Document]:
        """What can still be brought back, the latest deletion first."""
        return self._catalog.documents.deleted(since=now() - int(self._library.options.undo_days * DAY))

    def undo(self, name: str | None = None) -> list[Document]:
        """Bring back the documents with this path or name, or everything that was deleted last."""

        def work(_: Writer) -> list[Document]:
            chosen = self._to_revive(name)
            for document in chosen:
                if self._catalog.documents.at(document.path):
                    raise Conflict(
                        f"{document.path} has been stored again since", hint="Rename or delete the newer one first."
                    )
                self._catalog.documents.revive(document)
                self._catalog.tags.unset(document.id, [FORGET_AFTER], now())  # it was wanted back to stay
            return chosen

        return self._library.write(work)

    def _to_revive(self, name: str | None) -> list[Document]:
        window = self.deleted()
        if name is None:
            return [document for document in window if document.deleted == window[0].deleted]
        name, chosen = storable_path(name), dict[str, Document]()
        for document in window:  # the latest deletion of each path wins
            if name in (document.path, document.name):
                chosen.setdefault(document.path, document)
        if not chosen:
            raise NotFound(f"no deleted document is called {name!r}", code="document_not_found")
        return list(chosen.values())
