"""Snapshots, what changed between two of them, and putting documents back."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from rolltop.errors import Conflict, InvalidInput, NotFound
from rolltop.store.blobs.writer import Writer
from rolltop.store.documents.writes import Keeping
from rolltop.store.extract.detect import LEGIBLE, format_of
from rolltop.store.extract.plain import charset_of, decoded, lines_in
from rolltop.store.file_types import is_text
from rolltop.store.records import Document, Snapshot
from rolltop.store.times import now

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


class History(Keeping):
    """The remembering part of the library."""

    def take_snapshot(self, label: str, prefix: str = "") -> Snapshot:
        """Remember every document (below a path) as it is now."""
        if not label.strip():
            raise InvalidInput("a snapshot needs a label")

        def work(_: Writer) -> Snapshot:
            if self.catalog.snapshots.get(label):
                raise Conflict(f"there is a snapshot {label!r} already", hint="Choose another label or remove it.")
            return self.catalog.snapshots.create(label, prefix, now())

        return self.write(work)

    def snapshots(self) -> list[Snapshot]:
        return self.catalog.snapshots.all()

    def snapshot(self, label: str) -> Snapshot:
        found = self.catalog.snapshots.get(label)
        if found is None:
            known = ", ".join(snapshot.label for snapshot in self.snapshots()) or "none yet"
            raise NotFound(f"there is no snapshot {label!r}", hint=f"Snapshots: {known}.")
        return found

    def drop_snapshot(self, label: str) -> None:
        """Forget a snapshot; what only it kept goes with the next collection."""
        found = self.snapshot(label)
        self.write(lambda _: self.catalog.snapshots.remove(found.id))

    def changes(self, old: str, new: str | None = None) -> list[Change]:
        """What differs between a snapshot and another one, or the present."""
        first = self.snapshot(old)
        before = {row[0]: row for row in self.catalog.snapshots.entries(first.id)}
        if new is None:
            rows = self.catalog.snapshots.present(first.prefix)
        else:
            rows = self.catalog.snapshots.entries(self.snapshot(new).id)
        return _compare(before, {row[0]: row for row in rows})

    def text_diff(self, old: int | None, new: int | None, before: str, after: str) -> list[str] | None:
        """The lines that differ between two contents, as unified diff; None where they are not both text."""
        texts = [self._lines(number) for number in (old, new)]
        if texts[0] is None or texts[1] is None:
            return None
        return list(difflib.unified_diff(texts[0], texts[1], before, after, lineterm=""))

    def _lines(self, number: int | None) -> list[str] | None:
        if number is None:
            return []
        entry = self.catalog.objects.get(number)
        if entry is None or entry.size > DIFFED:
            return None
        content = self.reader.content(entry)
        text = is_text(content) or (format_of(content, "") in ("text", *LEGIBLE) and charset_of(content) is not None)
        return [line.rstrip("\r\n") for line in lines_in(decoded(content))] if text else None

    def restored(self, label: str) -> list[tuple[str, int, int]]:
        """(path, object, modified) of a snapshot, for writing its documents out."""
        return [(row[0], row[1], row[3]) for row in self.catalog.snapshots.entries(self.snapshot(label).id)]

    def put_back(self, document: Document, number: int) -> Document:
        """Make an earlier version the current one; the present one becomes history."""
        wanted = next((v for v in self.catalog.documents.versions(document) if v.number == number), None)
        if wanted is None:
            raise NotFound(f"{document.path} has no version {number}")
        entry = self.catalog.objects.get(wanted.object)
        assert entry is not None
        mime = document.mime.partition("; charset=")[0]  # the earlier version may have been written in another one
        return self.add(document.path, self.reader.content(entry), mime=mime).document

    def metadata_history(self, document: Document) -> list[tuple[Any, ...]]:
        """(key, value, since, until) in order of time."""
        return self.catalog.tags.history(document.id)


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
