"""Proving that the store is what it says."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rolltop.errors import Damaged, RolltopError
from rolltop.store.records import Object

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Progress", "Report", "Verification"]

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Report:
    """What `verify` or `repair` found."""

    documents: int = 0
    objects: int = 0
    frames: int = 0
    bytes: int = 0
    problems: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    affected: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems


class Verification:
    """Reads everything there is and compares it with what the catalogue says."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def verify(self, progress: Progress | None = None) -> Report:
        """Read everything there is and compare it with what the catalogue says, to the byte."""
        report = Report()
        self._library.reader.forget()
        try:
            report.problems += [f"catalogue: {line}" for line in self._library.catalog.damage()]
        except Damaged as error:
            report.problems.append(error.message)
        if report.problems:
            return report
        try:
            with self._library.steady():
                self._check_rows(report)
                self._check_packs(report)
                self._check_objects(report, progress)
        except Damaged as error:  # a row that cannot even be read
            report.problems.append(f"catalogue: {error.message}")
        report.problems += self._library.recovery.doubts()
        self._library.indexes.finish_purge()  # what an interrupted collection left is no damage
        report.problems += self._library.indexes.damage()
        return report

    def _check_rows(self, report: Report) -> None:
        stats = self._library.catalog.figures.stats()
        report.documents, report.objects, report.frames = stats.documents, stats.unique_objects, stats.frames
        for table, number in self._library.catalog.documents.broken_seals():
            about = "snapshot" if table == "snapshot_entries" else "document"
            report.problems.append(f"catalogue: a row of {table} about {about} {number} was altered")

    def _check_packs(self, report: Report) -> None:
        known, found = self._library.catalog.objects.packs(), self._library.blobs.packs()
        ends: dict[int, int] = {}
        for frame in sorted(
            self._library.catalog.objects.frames(), key=lambda frame: (frame.place.pack, frame.place.offset)
        ):
            if frame.place.offset != ends.get(frame.place.pack, 0):
                report.problems.append(f"pack {frame.place.pack}: frame {frame.id} does not begin where the last ends")
            ends[frame.place.pack] = frame.place.offset + frame.place.length
        for pack in sorted(ends.keys() - known.keys()):
            report.problems.append(f"pack {pack}: documents lie in it, and the catalogue does not know it")
            known[pack] = ends[pack]
        for pack, length in known.items():
            if ends.get(pack, 0) != length:
                report.problems.append(f"pack {pack}: the frames end at {ends.get(pack, 0)}, not at {length}")
            actual = found.get(pack, 0)
            if actual < length:
                report.problems.append(f"pack {pack}: {length - actual} bytes are missing from the file")
            report.bytes += actual

    def _check_objects(self, report: Report, progress: Progress | None) -> None:
        entries = {entry.id: entry for entry in self._library.catalog.objects.everything()}
        bad: set[int] = set()
        leaves = sorted((e for e in entries.values() if e.parts is None), key=lambda e: (e.frame or 0, e.start))
        for count, leaf in enumerate(leaves):
            self._check_one(leaf, bad, report)
            if progress and count % 1000 == 0:
                progress(count, len(leaves))
        for entry in entries.values():
            if entry.parts is not None:
                self._check_list(entry, entries, bad, report)
        missing = self._library.catalog.objects.reached() - entries.keys()
        report.problems += [f"object {number} is referred to and is not there" for number in sorted(missing)]
        with contextlib.suppress(Damaged):  # rows that were altered are named above
            report.affected = self.documents_of(bad | missing)

    def _check_one(self, leaf: Object, bad: set[int], report: Report) -> None:
        try:
            self._library.reader.leaf(leaf)
        except RolltopError as error:
            bad.add(leaf.id)
            report.problems.append(f"object {leaf.hex[:16]}: {error.message}")

    def _check_list(self, entry: Object, entries: dict[int, Object], bad: set[int], report: Report) -> None:
        parts = entry.parts or ()
        if bad & set(parts):
            bad.add(entry.id)
        elif any(number not in entries for number in parts):
            bad.add(entry.id)
            report.problems.append(f"object {entry.hex[:16]}: a part of it is not there")
        else:
            try:
                size = len(self._library.reader.content(entry))
            except RolltopError as error:
                bad.add(entry.id)
                report.problems.append(f"object {entry.hex[:16]}: {error.message}")
            else:
                if size != entry.size:
                    bad.add(entry.id)
                    report.problems.append(f"object {entry.hex[:16]} has {size} bytes, not {entry.size}")

    def documents_of(self, numbers: set[int]) -> list[str]:
        """Paths of the documents whose current content or history is affected, in snapshots too."""
        paths = set(self._library.catalog.snapshots.paths_of(numbers))
        for number in numbers:
            paths.update(document.path for document in self._library.catalog.documents.with_object(number))
            earlier = self._library.catalog.documents.with_version(number)
            if earlier:
                paths.add(earlier.path)
        return sorted(paths)
