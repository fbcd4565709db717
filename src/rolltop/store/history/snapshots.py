"""Snapshots, what changed between two of them, and putting documents back."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rolltop.errors import Conflict, InvalidInput, NotFound
from rolltop.store.blobs.writer import Writer
from rolltop.store.extract.detect import LEGIBLE, format_of
from rolltop.store.extract.plain import charset_of, decoded, lines_in
from rolltop.store.file_types import is_text
from rolltop.store.history.archive import Archive
from rolltop.store.history.snapshot_files import Restored, write_snapshot
from rolltop.store.records import Document, Snapshot, Version
from rolltop.store.times import now

if TYPE_CHECKING:
    from rolltop.store.documents.ingest import Tally
    from rolltop.store.library import Library
    from rolltop.store.query import Listing

__all__ = ["Change", "History"]

DIFFED = 4 << 20
"""Longer texts are reported as changed, without a line-by-line comparison."""


@dataclass(frozen=True, slots=True)
class Change:
    """One document that differs: added, removed, changed, or renamed (`before` is its old path)."""

    kind: str
    path: str
    before: str | None
    old: int | None
    new: int | None
    size: int


class History:
    """Snapshots, earlier versions and archives of a library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._archive = Archive(library)

    def take_snapshot(self, label: str, prefix: str = "") -> Snapshot:
        """Remember every document (below a path) as it is now."""
        if not label.strip():
            raise InvalidInput("a snapshot needs a label")

        def work(_: Writer) -> Snapshot:
            if self._library.catalog.snapshots.get(label):
                raise Conflict(f"there is a snapshot {label!r} already", hint="Choose another label or remove it.")
            return self._library.catalog.snapshots.create(label, prefix, now())

        return self._library.write(work)

    def snapshots(self) -> list[Snapshot]:
        return self._library.catalog.snapshots.all()

    def snapshot(self, label: str) -> Snapshot:
        found = self._library.catalog.snapshots.get(label)
        if found is None:
            known = ", ".join(snapshot.label for snapshot in self.snapshots()) or "none yet"
            raise NotFound(f"there is no snapshot {label!r}", hint=f"Snapshots: {known}.")
        return found

    def drop_snapshot(self, label: str) -> None:
        """Forget a snapshot; what only it kept goes with the next collection."""
        found = self.snapshot(label)
        self._library.write(lambda _: self._library.catalog.snapshots.remove(found.id))

    def changes(self, old: str, new: str | None = None) -> list[Change]:
        """What differs between a snapshot and another one, or the present."""
        first = self.snapshot(old)
        before = {row[0]: row for row in self._library.catalog.snapshots.entries(first.id)}
        if new is None:
            rows = self._library.catalog.snapshots.present(first.prefix)
        else:
            rows = self._library.catalog.snapshots.entries(self.snapshot(new).id)
        return _compare(before, {row[0]: row for row in rows})

    def version(self, document: Document, number: int) -> Version:
        """One version of a document, by its number."""
        found = self._library.documents.versions(document)
        for each in found:
            if each.number == number:
                return each
        raise NotFound(
            f"{document.path} has no version {number}",
            hint=f"Its versions are {found[0].number} to {found[-1].number}.",
        )

    def version_diff(self, document: Document, old: int, new: int) -> list[str] | None:
        """The lines that differ between two versions, as unified diff; None where one has no text to compare."""
        versions = self.version(document, old), self.version(document, new)
        texts = [self._version_lines(document, each) for each in versions]
        if texts[0] is None or texts[1] is None:
            return None
        before, after = (f"{document.path} (version {each.number})" for each in versions)
        return list(difflib.unified_diff(texts[0], texts[1], before, after, lineterm=""))

    def _version_lines(self, document: Document, version: Version) -> list[str] | None:
        then = replace(document, object=version.object, hash=version.hash, size=version.size)
        read = self._library.extracts.lines(then)
        return self._lines(version.object) if read is None else read.body.split("\n")

    def text_diff(self, old: int | None, new: int | None, before: str, after: str) -> list[str] | None:
        """The lines that differ between two contents, as unified diff; None where they are not both text."""
        texts = [self._lines(number) for number in (old, new)]
        if texts[0] is None or texts[1] is None:
            return None
        return list(difflib.unified_diff(texts[0], texts[1], before, after, lineterm=""))

    def _lines(self, number: int | None) -> list[str] | None:
        if number is None:
            return []
        entry = self._library.catalog.objects.get(number)
        if entry is None or entry.size > DIFFED:
            return None
        content = self._library.reader.content(entry)
        text = is_text(content) or (format_of(content, "") in ("text", *LEGIBLE) and charset_of(content) is not None)
        return [line.rstrip("\r\n") for line in lines_in(decoded(content))] if text else None

    def restored(self, label: str) -> list[tuple[str, int, int]]:
        """(path, object, modified) of a snapshot, for writing its documents out."""
        return [(row[0], row[1], row[3]) for row in self._library.catalog.snapshots.entries(self.snapshot(label).id)]

    def put_back(self, document: Document, number: int) -> Document:
        """Make an earlier version the current one; the present one becomes history."""
        entry = self._library.catalog.objects.get(self.version(document, number).object)
        assert entry is not None
        mime = document.mime.partition("; charset=")[0]  # the earlier version may have been written in another one
        return self._library.documents.add(document.path, self._library.reader.content(entry), mime=mime).document

    def restore(self, label: str, target: Path, *, overwrite: bool = False) -> Restored:
        """Write the documents of a snapshot below a directory. Files that exist are replaced only if asked for."""
        return write_snapshot(self._library, self.restored(label), target, overwrite=overwrite)

    def export(
        self,
        out: BinaryIO,
        query: Listing | None = None,
        progress: Callable[[int, int], None] | None = None,
        left: list[tuple[str, str]] | None = None,
    ) -> int:
        """Write documents with all their versions as they are at one moment; how many documents.

        A version that is damaged is an error; with `left`, it is noted there with the reason and the rest is written.
        """
        return self._archive.export(out, query, progress, left)

    def import_(self, source: BinaryIO, progress: Callable[[int], None] | None = None) -> Tally:
        """Store what `export` wrote; a content that is not what its hash says is refused."""
        return self._archive.import_(source, progress)

    def metadata_history(self, document: Document) -> list[tuple[Any, ...]]:
        """(key, value, since, until) in order of time."""
        return self._library.catalog.tags.history(document.id)


def _compare(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    gone = {path: row for path, row in before.items() if path not in after}
    by_object: dict[int, list[str]] = {}
    for path, row in gone.items():
        by_object.setdefault(row[1], []).append(path)
    changes = []
    for path, row in after.items():
        old = before.get(path)
        if old is None:
            origins = by_object.get(row[1])
            origin = origins.pop(0) if origins else None
            if origin is not None:
                del gone[origin]
            changes.append(
                Change("renamed" if origin else "added", path, origin, row[1] if origin else None, row[1], row[2])
            )
        elif old[1] != row[1]:
            changes.append(Change("changed", path, path, old[1], row[1], row[2]))
    changes += [Change("removed", path, path, row[1], None, row[2]) for path, row in gone.items()]
    return sorted(changes, key=lambda change: change.path)
