"""Removing for good what was deleted, and giving its space back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rolltop.store.blobs.writer import FRAME_TARGET, Writer
from rolltop.store.core import DAY
from rolltop.store.records import Frame, Object
from rolltop.store.times import now

if TYPE_CHECKING:
    from rolltop.store.library import Library

__all__ = ["Collected", "Collection"]


@dataclass(frozen=True, slots=True)
class Collected:
    """What a collection removed."""

    documents: int
    objects: int
    packs: int
    bytes_before: int
    bytes_after: int

    @property
    def freed(self) -> int:
        return self.bytes_before - self.bytes_after


class Collection:
    """Collects what nothing reaches any more."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def run(self, *, everything: bool = False) -> Collected:
        """Remove for good what was deleted before the undo window (or at all), and give its space back."""
        limit = now() + DAY if everything else now() - int(self._library.options.undo_days * DAY)
        with self._library.committer.exclusive() as writer:
            gone = self._library.catalog.documents.deleted(until=limit)
            self._library.catalog.documents.forget(gone)
            self._library.catalog.tags.drop_unused()
            before = self._library.catalog.objects.packs()
            plan = _Plan(
                self._library.catalog.objects.everything(),
                self._library.catalog.objects.frames(),
                self._library.catalog.objects.reached(),
            )
            stale = plan.stale_packs()
            if plan.dead or stale:
                self._library.catalog.objects.keep_numbers()
                self._rewrite(writer, plan, stale)
            waiting = self._library.catalog.objects.purging()
            if gone or plan.dead or stale:
                # Noted in the same transaction: if this process dies, another one makes the indexes forget.
                self._library.catalog.objects.set_purging({*(waiting or ()), *(document.id for document in gone)})
        self._library.reader.forget()
        after = self._library.catalog.objects.packs()
        removed = [pack for pack in before if pack not in after]
        with self._library.lock.held(), self._library.reading.tried() as free:
            # While somebody reads an older state they stay; the next opening removes them.
            for pack in removed if free else ():
                self._library.blobs.remove(pack)
        with self._library.purging.held():
            self._library.indexes.purge_collected()
        self._library.catalog.checkpoint()
        return Collected(len(gone), len(plan.dead), len(removed), sum(before.values()), sum(after.values()))

    def _rewrite(self, writer: Writer, plan: _Plan, stale: set[int]) -> None:
        """Copy what lives out of the packs that hold something dead, and drop those packs."""
        lengths = self._library.catalog.objects.packs()
        fresh = max(lengths) + 1
        self._library.catalog.objects.set_pack(fresh, 0)
        doomed = [frame for frame in plan.frames.values() if frame.place.pack in stale]
        rescued = [leaf for frame in doomed if not plan.lives_whole(frame) for leaf in plan.living(frame)]
        contents = ((leaf, self._library.reader.leaf(leaf)) for leaf in rescued)
        writer.move_in(contents, target=FRAME_TARGET)
        for frame in doomed:
            if plan.lives_whole(frame):
                writer.copy_frame(frame)
        self._library.catalog.objects.remove_frames(frame.id for frame in doomed if not plan.lives_whole(frame))
        self._library.catalog.objects.remove(plan.dead)
        for pack in stale:
            self._library.catalog.objects.remove_pack(pack)
        self._library.catalog.objects.next_epoch()


class _Plan:
    """What is alive."""

    def __init__(self, objects: Iterable[Object], frames_: Iterable[Frame], reached: set[int]) -> None:
        entries = {entry.id: entry for entry in objects}
        self.frames = {frame.id: frame for frame in frames_}
        alive = set(reached)
        for number in reached:
            entry = entries.get(number)
            alive.update(entry.parts or () if entry else ())
        self.dead = entries.keys() - alive
        self._alive = alive
        self._leaves: dict[int, list[Object]] = {}
        for entry in entries.values():
            if entry.frame is not None:
                self._leaves.setdefault(entry.frame, []).append(entry)

    def lives_whole(self, frame: Frame) -> bool:
        """Whether every leaf of the frame is alive, and its base too. One whose leaves were stored again has none."""
        leaves = self._leaves.get(frame.id)
        return (
            leaves is not None
            and (frame.base is None or frame.base in self._alive)
            and all(leaf.id in self._alive for leaf in leaves)
        )

    def living(self, frame: Frame) -> list[Object]:
        leaves = sorted(self._leaves.get(frame.id, ()), key=lambda leaf: leaf.start)
        return [leaf for leaf in leaves if leaf.id in self._alive]

    def stale_packs(self) -> set[int]:
        return {frame.place.pack for frame in self.frames.values() if not self.lives_whole(frame)}
