"""Deleting documents, taking it back, and collecting what nothing reaches any more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rolltop.errors import Conflict, NotFound
from rolltop.store.blobs.writer import Writer
from rolltop.store.core import DAY, Core
from rolltop.store.file_types import storable_path
from rolltop.store.query import Listing
from rolltop.store.records import Document
from rolltop.store.times import now

__all__ = ["Deleting"]


class Deleting(Core):
    """The forgetting part of the library."""

    def matching(
        self, *, name: str | None = None, names: Sequence[str] = (), pattern: str | None = None
    ) -> list[Document]:
        """The documents that a deletion by name, names or glob is about, by path."""
        found: dict[int, Document] = {}
        for each in map(storable_path, (*([name] if name else []), *names)):
            exact = self.catalog.documents.at(each)
            group = [exact] if exact else self.catalog.documents.named(each)
            found.update((document.id, document) for document in group)
        if pattern:
            found.update((d.id, d) for d in self.catalog.listings.all(Listing(paths=(pattern,))))
        return sorted(found.values(), key=lambda document: document.path)

    def delete(self, documents: Iterable[Document]) -> list[Document]:
        """Nothing reaches the documents from now on; `undo` brings them back for some days."""
        wanted = list(documents)

        def work(_: Writer) -> list[Document]:
            live = [found for document in wanted if (found := self.catalog.documents.get(document.id))]
            self.catalog.documents.delete(live, now())
            return live

        return self.write(work)

    def deleted(self) -> list[Document]:
        """What can still be brought back, the latest deletion first."""
        return self.catalog.documents.deleted(since=now() - int(self.options.undo_days * DAY))

    def undo(self, name: str | None = None) -> list[Document]:
        """Bring back the documents with this path or name, or everything that was deleted last."""

        def work(_: Writer) -> list[Document]:
            chosen = self._to_revive(name)
            for document in chosen:
                if self.catalog.documents.at(document.path):
                    raise Conflict(
                        f"{document.path} has been stored again since", hint="Rename or delete the newer one first."
                    )
                self.catalog.documents.revive(document)
            return chosen

        return self.write(work)

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
