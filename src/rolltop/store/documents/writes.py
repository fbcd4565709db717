"""Storing documents, and what people say about them: tags and metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, BinaryIO

from rolltop.errors import InvalidInput
from rolltop.store.blobs.writer import Digests, Kept, Writer
from rolltop.store.catalog import NewDocument
from rolltop.store.core import Core
from rolltop.store.documents.content_type import TextProbe, described
from rolltop.store.file_types import storable_path
from rolltop.store.metadata_values import MOST_ENTRIES, check_entry, check_tag
from rolltop.store.records import Added, Document
from rolltop.store.times import now

__all__ = ["Keeping", "Source", "Tally", "check_said", "keep_content"]

BATCH_BYTES = 32 << 20
BATCH_DOCUMENTS = 4000
HELD_IN_MEMORY = 64 << 20
"""A longer stream is written leaf by leaf instead of being held."""

FEW = 64
"""Documents whose content is looked for one by one. For more, the beginnings of all hashes are read first."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """Content that somebody opened, and what is known about it."""

    path: str
    data: bytes
    created: int
    modified: int


@dataclass(slots=True)
class Tally:
    """What storing many documents came to."""

    documents: int = 0
    new: int = 0
    versions: int = 0
    unchanged: int = 0
    bytes: int = 0
    bytes_stored: int = 0
    bytes_written: int = 0
    errors: list[tuple[str, str]] = field(default_factory=list)


class Keeping(Core):
    """The writing half of the library."""

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
        _check_count(metadata or {})
        if ".." in path.split("/") and self.catalog.documents.at(storable_path(path)) is None:
            raise InvalidInput("a name cannot have .. as a part", hint="Leave it out, as in notes/a.md.")
        if any(moment is not None and not isinstance(moment, int) for moment in (created, modified)):
            raise InvalidInput("created and modified are nanoseconds since 1970, as whole numbers")
        moment = now()
        times = (moment if created is None else created, moment if modified is None else modified)

        def work(writer: Writer) -> Added:
            return self.keep(writer, path, content, tags=tags, metadata=metadata or {}, mime=mime, times=times)

        return self.write(work)

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
        old = self.catalog.documents.at(path)
        before = writer.written
        kept, head, text = keep_content(writer, content, old.object if old else None)
        writer.flush()
        new = described(path, kept, head, mime, times, text=text)
        number, outcome = self._record(old, new)
        changed = self.catalog.tags.add(number, tags)
        changed = bool(self.catalog.tags.set(number, metadata, now())) or changed
        if outcome == "unchanged" and old and (changed or old.modified != new.modified):
            self.catalog.documents.touch(old, modified=new.modified)
        return Added(self._full(number), kept.new_bytes, kept.size - kept.new_bytes, writer.written - before, outcome)

    def _record(self, old: Document | None, new: NewDocument) -> tuple[int, str]:
        if old is None:
            return self.catalog.documents.insert(new, now()), "new"
        if old.object == new.object:
            return old.id, "unchanged"
        self.catalog.documents.replace(old, new, now())
        return old.id, "version"

    def _full(self, number: int) -> Document:
        document = self.catalog.documents.get(number)
        assert document is not None
        return replace(document, tags=self.catalog.tags.of(number), metadata=self.catalog.tags.metadata(number))

    # many ----------------------------------------------------------------------------------------

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
        tally, digests = Tally(), Digests()
        for batch in _batches(sources):
            self.write(
                partial(
                    self._add_batch,
                    batch=batch,
                    tags=tags,
                    metadata=metadata or {},
                    tally=tally,
                    digests=digests,
                )
            )
            if progress:
                progress(tally)
        return tally

    def _add_batch(
        self,
        writer: Writer,
        *,
        batch: list[Source],
        tags: Sequence[str],
        metadata: Mapping[str, Any],
        tally: Tally,
        digests: Digests,
    ) -> None:
        fresh: dict[str, NewDocument] = {}
        before = writer.written
        writer.digests = digests.follow(self.catalog) if len(batch) > FEW else None
        paths = [storable_path(source.path) for source in batch]
        present = self.catalog.documents.present(paths)
        for path, source in zip(paths, batch, strict=True):
            if path in fresh:
                self._insert(writer, fresh, tags, metadata)
                present.add(path)
            old = self.catalog.documents.at(path) if path in present else None
            kept = writer.keep(source.data, like=old.object if old else None)
            tally.bytes += kept.size
            tally.bytes_stored += kept.new_bytes
            new = described(path, kept, source.data, None, (source.created, source.modified))
            if old is None:
                fresh[path] = new
                tally.new += 1
            else:
                self._again(old, new, tags, metadata, tally)
        self._insert(writer, fresh, tags, metadata)
        writer.digests = None
        tally.documents += len(batch)
        tally.bytes_written += writer.written - before

    def _insert(
        self, writer: Writer, fresh: dict[str, NewDocument], tags: Sequence[str], metadata: Mapping[str, Any]
    ) -> None:
        writer.flush()
        self.catalog.documents.insert_many(list(fresh.values()), now())
        if tags or metadata:
            for path in fresh:
                document = self.catalog.documents.at(path)
                assert document is not None
                self.catalog.tags.add(document.id, tags)
                self.catalog.tags.set(document.id, metadata, now())
        fresh.clear()

    def _again(
        self, old: Document, new: NewDocument, tags: Sequence[str], metadata: Mapping[str, Any], tally: Tally
    ) -> None:
        outcome = self._record(old, new)[1]
        tally.versions += outcome == "version"
        tally.unchanged += outcome == "unchanged"
        changed = self.catalog.tags.add(old.id, tags)
        changed = bool(self.catalog.tags.set(old.id, metadata, now())) or changed
        if outcome == "unchanged" and (changed or old.modified != new.modified):
            self.catalog.documents.touch(old, modified=new.modified)

    # what people say -----------------------------------------------------------------------------

    def tag(self, document: Document, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Document:
        """Add and remove tags."""
        check_said(document.path, add, {})

        def work(_: Writer) -> Document:
            live = self.live(document)
            added = self.catalog.tags.add(document.id, add)
            if self.catalog.tags.remove(document.id, remove) or added:
                self.catalog.documents.touch(live)
            return self._full(document.id)

        return self.write(work)

    def set_metadata(
        self, document: Document, values: Mapping[str, Any], remove: Sequence[str] = ()
    ) -> tuple[Document, list[str]]:
        """Set and remove metadata; the document and the keys that changed."""
        check_said(document.path, (), values)
        _check_count(values)

        def work(_: Writer) -> tuple[Document, list[str]]:
            live = self.live(document)
            changed = self.catalog.tags.set(document.id, values, now())
            changed += self.catalog.tags.unset(document.id, remove, now())
            if changed:
                self.catalog.documents.touch(live)
            return self._full(document.id), changed

        return self.write(work)

    def live(self, document: Document) -> Document:
        """The document as it is now; an error where it has been deleted."""
        live = self.catalog.documents.get(document.id)
        if live is None:
            raise InvalidInput("the document has been deleted in the meantime", hint="Bring it back with undo.")
        return live


def keep_content(writer: Writer, content: bytes | BinaryIO, like: int | None = None) -> tuple[Kept, bytes, bool | None]:
    """The kept object, its first bytes, and whether it is text where that is already known."""
    if isinstance(content, bytes):
        return writer.keep(content, like=like), content, None
    head = content.read(HELD_IN_MEMORY)
    if len(head) < HELD_IN_MEMORY:
        return writer.keep(head, like=like), head, None
    text = TextProbe()

    def blocks() -> Iterator[bytes]:
        yield text.seen(head)
        while block := content.read(_BLOCK):
            yield text.seen(block)

    return writer.keep_stream(blocks(), like=like), head[:_BLOCK], text.finished()


def _batches(sources: Iterable[Source]) -> Iterator[list[Source]]:
    batch: list[Source] = []
    size = 0
    for source in sources:
        batch.append(source)
        size += len(source.data)
        if size >= BATCH_BYTES or len(batch) >= BATCH_DOCUMENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def check_said(path: str, tags: Sequence[str], metadata: Mapping[str, Any]) -> None:
    """Refuse names, tags and metadata that cannot be kept."""
    if not path or "\0" in path or path.endswith("/"):
        raise InvalidInput("a document needs a path or name that is not empty and does not end with /")
    if isinstance(tags, str):
        raise InvalidInput("tags are a list of texts, not one text", hint=f"Write [{tags!r}].")
    for tag in tags:
        check_tag(tag)
    for key, value in metadata.items():
        check_entry(key, value)


def _check_count(metadata: Mapping[str, Any]) -> None:
    """Refuse what would keep other writers waiting; an archive may hold what came in several writes."""
    if len(metadata) > MOST_ENTRIES:
        raise InvalidInput(
            f"a document takes at most {MOST_ENTRIES} metadata entries at once, not {len(metadata)}",
            hint="Keep tables as a document of their own, such as JSON or CSV.",
        )
