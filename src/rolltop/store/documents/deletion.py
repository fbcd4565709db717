"""Deleting documents, taking it back, and collecting what nothing reaches any more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rolltop.errors import Conflict, NotFound
from rolltop.store.blobs.writer import FRAME_TARGET, Writer
from rolltop.store.core import DAY, Core
from rolltop.store.file_types import storable_path
from rolltop.store.query import Listing
from rolltop.store.records import Document, Frame, Object
from rolltop.store.times import now

__all__ = ["Collected", "Deleting"]


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

    # collecting ----------------------------------------------------------------------------------

    def collect(self, *, everything: bool = False) -> Collected:
        """Remove for good what was deleted before the undo window (or at all), and give its space back."""
        limit = now() + DAY if everything else now() - int(self.options.undo_days * DAY)
        with self.committer.exclusive() as writer:
            gone = self.catalog.documents.deleted(until=limit)
            self.catalog.documents.forget(gone)
            self.catalog.tags.drop_unused()
            before = self.catalog.objects.packs()
            plan = _Plan(
                self.catalog.objects.everything(), self.catalog.objects.frames(), self.catalog.objects.reached()
            )
            stale = plan.stale_packs()
            if plan.dead or stale:
                self.catalog.objects.keep_numbers()
                self._rewrite(writer, plan, stale)
            waiting = self.catalog.objects.purging()
            if gone or plan.dead or stale:
                # Noted in the same transaction: if this process dies, another one makes the indexes forget.
                self.catalog.objects.set_purging({*(waiting or ()), *(document.id for document in gone)})
        self.reader.forget()
        after = self.catalog.objects.packs()
        removed = [pack for pack in before if pack not in after]
        with self.lock.held(), self.reading.tried() as free:
            # While somebody reads an older state they stay; the next opening removes them.
            for pack in removed if free else ():
                self.blobs.remove(pack)
        with self.purging.held():
            self.purge_collected()
        self.catalog.checkpoint()
        return Collected(len(gone), len(plan.dead), len(removed), sum(before.values()), sum(after.values()))

    def _rewrite(self, writer: Writer, plan: _Plan, stale: set[int]) -> None:
        """Copy what lives out of the packs that hold something dead, and drop those packs."""
        lengths = self.catalog.objects.packs()
        fresh = max(lengths) + 1
        self.catalog.objects.set_pack(fresh, 0)
        doomed = [frame for frame in plan.frames.values() if frame.place.pack in stale]
        rescued = [leaf for frame in doomed if not plan.lives_whole(frame) for leaf in plan.living(frame)]
        contents = ((leaf, self.reader.leaf(leaf)) for leaf in rescued)
        writer.move_in(contents, target=FRAME_TARGET)
        for frame in doomed:
            if plan.lives_whole(frame):
                writer.copy_frame(frame)
        self.catalog.objects.remove_frames(frame.id for frame in doomed if not plan.lives_whole(frame))
        self.catalog.objects.remove(plan.dead)
        for pack in stale:
            self.catalog.objects.remove_pack(pack)
        self.catalog.objects.next_epoch()


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
