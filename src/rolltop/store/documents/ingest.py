"""Storing many documents, in batches that are each durable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

from rolltop.store.blobs.writer import Digests, Kept, Writer
from rolltop.store.catalog import NewDocument
from rolltop.store.documents.content_type import TextProbe, described
from rolltop.store.file_types import storable_path
from rolltop.store.records import Document
from rolltop.store.seams import Catalog
from rolltop.store.times import now

__all__ = ["Ingest", "Source", "Tally", "keep_content", "record"]

BATCH_BYTES = 32 << 20
BATCH_DOCUMENTS = 4000
HELD_IN_MEMORY = 64 << 20
"""A longer stream is written leaf by leaf instead of being held."""

FEW = 64
"""Documents whose content is looked for one by one. For more, the beginnings of all hashes are read first."""

_BLOCK = 1 << 20


Write = Callable[[Callable[[Writer], None]], None]


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


class Ingest:
    """Keeps many documents with the same tags and metadata."""

    def __init__(self, catalog: Catalog, tags: Sequence[str], metadata: Mapping[str, Any]) -> None:
        self._catalog = catalog
        self._tags = tags
        self._metadata = metadata
        self._tally, self._digests = Tally(), Digests()

    def run(self, sources: Iterable[Source], write: Write, progress: Callable[[Tally], None] | None = None) -> Tally:
        """Keep the sources; `write` runs work in a durable transaction."""
        for batch in _batches(sources):
            write(partial(self._batch, batch=batch))
            if progress:
                progress(self._tally)
        return self._tally

    def _batch(self, writer: Writer, *, batch: list[Source]) -> None:
        tally = self._tally
        fresh: dict[str, NewDocument] = {}
        before = writer.written
        writer.digests = self._digests.follow(self._catalog) if len(batch) > FEW else None
        paths = [storable_path(source.path) for source in batch]
        present = self._catalog.documents.present(paths)
        for path, source in zip(paths, batch, strict=True):
            if path in fresh:
                self._insert(writer, fresh)
                present.add(path)
            old = self._catalog.documents.at(path) if path in present else None
            kept = writer.keep(source.data, like=old.object if old else None)
            tally.bytes += kept.size
            tally.bytes_stored += kept.new_bytes
            new = described(path, kept, source.data, None, (source.created, source.modified))
            if old is None:
                fresh[path] = new
                tally.new += 1
            else:
                self._again(old, new)
        self._insert(writer, fresh)
        writer.digests = None
        tally.documents += len(batch)
        tally.bytes_written += writer.written - before

    def _insert(self, writer: Writer, fresh: dict[str, NewDocument]) -> None:
        writer.flush()
        self._catalog.documents.insert_many(list(fresh.values()), now())
        if self._tags or self._metadata:
            for path in fresh:
                document = self._catalog.documents.at(path)
                assert document is not None
                self._catalog.tags.add(document.id, self._tags)
                self._catalog.tags.set(document.id, self._metadata, now())
        fresh.clear()

    def _again(self, old: Document, new: NewDocument) -> None:
        self._catalog.tags.refuse_expiry(old.id, self._metadata)
        outcome = record(self._catalog, old, new)[1]
        self._tally.versions += outcome == "version"
        self._tally.unchanged += outcome == "unchanged"
        changed = self._catalog.tags.add(old.id, self._tags)
        changed = bool(self._catalog.tags.set(old.id, self._metadata, now())) or changed
        if outcome == "unchanged" and (changed or old.modified != new.modified):
            self._catalog.documents.touch(old, modified=new.modified)


def record(catalog: Catalog, old: Document | None, new: NewDocument) -> tuple[int, str]:
    """Enter a document: its number, and whether it is new, another version, or unchanged."""
    if old is None:
        return catalog.documents.insert(new, now()), "new"
    if old.object == new.object:
        return old.id, "unchanged"
    catalog.documents.replace(old, new, now())
    return old.id, "version"


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
