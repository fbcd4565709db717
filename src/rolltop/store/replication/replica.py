"""The share of one server in the indexes that all servers have: what it publishes and what it takes over."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rolltop.errors import Damaged, NotFound
from rolltop.store.follower import Pressing, Task
from rolltop.store.replication.blocks import Blocks
from rolltop.store.replication.local_state import LocalState
from rolltop.store.replication.manifest import Manifest, Manifests, PublishedPart
from rolltop.store.replication.objects import ObjectStore
from rolltop.store.replication.parts import Lease, Part

__all__ = ["Replica", "Shared"]

QUIET, LATEST = 0.3, 3.0
"""Seconds: what was built is published when nothing more comes for a while, or after some time at the latest."""

SHARE = 10
"""After a publication or a take-over, the next one waits so many times as long as that one took."""

LOOK = 0.2
"""Seconds between two looks for a new publication, at least."""

KEPT = 2
"""Publications that stay, for those who are taking one over."""

SPARED = 900.0
"""Seconds, by the object store's clock: a younger block may belong to a publication that is being made."""

TRIES = 3
"""How often a publication is looked for whose blocks were removed while they were fetched."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Shared:
    """Where indexes are shared, and who builds them."""

    objects: ObjectStore
    lease: Lease
    prefix: str = "indexes/"


class Replica:
    """Publishes and takes over. `parts` gives the indexes that are in use now; `directory` is local."""

    def __init__(self, shared: Shared, directory: Path, parts: Callable[[], Sequence[Part]]) -> None:
        self._blocks = Blocks(shared.objects, f"{shared.prefix}blocks/")
        self._manifests = Manifests(shared.objects, f"{shared.prefix}manifests/")
        self._lease = shared.lease
        self._parts = parts
        self._directory = directory
        self._state = LocalState(directory / "state.json")
        self._guard = threading.RLock()
        self._next_look = self._next_try = 0.0
        self.is_builder = False
        """Whether this server had the lease when that was last asked."""
        self.task = Task("publication of indexes", self._publish, QUIET, LATEST, after_others=True)
        self.watch = Task("indexes of other servers", lambda _: self.take_over(now=True) or None, for_itself=True)

    # who builds ----------------------------------------------------------------------------------

    def builds(self) -> bool:
        """Whether this server follows the catalogue for all; it begins with what the last one has published."""
        with self._guard:
            if not self.is_builder and time.monotonic() < self._next_try:
                return False
            held = self._lease.held()
            if held and not self.is_builder:
                self._take_over(exactly=True)
            self.is_builder, self._next_try = held, time.monotonic() + LOOK
            return held

    def release(self) -> None:
        """Let another server build."""
        self.is_builder = False
        self._lease.release()

    # taking over ---------------------------------------------------------------------------------

    def take_over(self, *, now: bool = False) -> bool:
        """Fetch every index that is published further than it goes here; whether there was one.

        It is not looked for each time, so that fetching takes a small share of the time; `now` does at once.
        """
        if not self._guard.acquire(blocking=now):
            return False
        try:
            begun = time.monotonic()
            if begun < self._next_look and not now:
                return False
            try:
                return self._take_over()
            finally:
                self._next_look = time.monotonic() + max(LOOK, SHARE * (time.monotonic() - begun))
        finally:
            self._guard.release()

    def _take_over(self, *, exactly: bool = False) -> bool:
        for left in reversed(range(TRIES)):
            try:
                return self._taken_over(self._manifests.latest(), exactly=exactly)
            except (NotFound, Damaged) as error:  # it may have been replaced while it was fetched
                if not left:
                    log.warning("the published indexes cannot be taken over: %s", error.message)
        return False

    def _taken_over(self, manifest: Manifest, *, exactly: bool = False) -> bool:
        reset = manifest.resets > self._state.resets
        parts = self._parts()
        wanted = [
            (part, published)
            for part in parts
            if (published := manifest.parts.get(part.name)) and (reset or self._lacks(part, published, exactly))
        ]
        done = [self._fetch(part, published) for part, published in wanted]
        if reset and all(done):
            for part in parts:
                if part.name not in manifest.parts:
                    part.clear()
            self._state.note_resets(manifest.resets)
        return any(done)

    def _lacks(self, part: Part, published: PublishedPart, exactly: bool) -> bool:
        """Whether a publication goes further than the copy here.

        Of two that go equally far, the published one counts: what a server has learned for itself may lack texts that
        it had not taken over by then. For the same reason a server that begins to build wants `exactly` that one.
        """
        here = part.mark()
        if exactly and here != published.mark:
            return True
        return here < published.mark or (here == published.mark and not self._state.has(part.name, published))

    def _fetch(self, part: Part, published: PublishedPart) -> bool:
        near, begun = part.near(), time.monotonic()
        with self._scratch(part) as scratch:
            fetched = self._blocks.assemble(
                (file, scratch / name, near / name) for name, file in published.files.items() if _is_inside(name)
            )
            done = part.adopt(scratch)
        if done:
            self._state.note(part.name, published)
            spent = time.monotonic() - begun
            log.info("took over %s up to change %d: %d bytes, %.2f s", part.name, published.mark, fetched, spent)
        return done

    # publishing ----------------------------------------------------------------------------------

    def _publish(self, _: Pressing) -> None:
        begun = time.monotonic()
        if self.publish():
            self.task.not_before = time.monotonic() + SHARE * (time.monotonic() - begun)

    def publish(self, *, again: bool = False, reset: bool = False) -> bool:
        """Publish every index that goes further here than what is published; whether there was one.

        With `again`, also those that go as far: they were built anew. With `reset`, those of this server are the only
        ones that have forgotten collected documents: no earlier publication may be used any more.
        """
        with self._guard:
            while True:
                latest = self._manifests.latest()
                if not reset and latest.resets > self._state.resets:
                    self._taken_over(latest)  # what is here may know documents that were collected
                    return False
                manifest = self._made(latest, again=again or reset, reset=reset)
                if manifest.parts == latest.parts and not reset:
                    return False
                if self._manifests.publish(manifest):
                    self._state.note_all(manifest)
                    self._sweep(manifest, keep=1 if reset else KEPT)
                    return True
                if not reset:
                    return False  # another server was faster: its publication is taken over next time

    def _made(self, latest: Manifest, *, again: bool, reset: bool) -> Manifest:
        parts = {} if reset else dict(latest.parts)
        present = self._blocks.present()
        for part in self._parts():
            known, mark = parts.get(part.name), part.mark()
            if not mark:  # nothing is in it yet
                continue
            if known is None or again or mark > known.mark or not known.digests() <= present.keys():
                published = self._uploaded(part, present)
                if published is not None:
                    parts[part.name] = published
        return Manifest(latest.number + 1, latest.resets + reset, parts)

    def _uploaded(self, part: Part, present: Collection[str]) -> PublishedPart | None:
        """Put what an index is made of; None while another process writes it."""
        with self._scratch(part) as scratch:
            mark = part.snapshot(scratch)
            if mark is None:
                return None
            files = {
                str(path.relative_to(scratch)): (path, self._blocks.of(path))
                for path in sorted(scratch.rglob("*"))
                if path.is_file()
            }
            self._blocks.upload(files.values(), present)
            return PublishedPart(mark, {name: file for name, (_, file) in files.items()})

    def _sweep(self, manifest: Manifest, keep: int) -> None:
        """Delete publications that were superseded, and blocks that none names; young ones stay for a while."""
        old = self._manifests.superseded(manifest, keep)
        named = manifest.digests()
        for number in range(manifest.number - keep + 1, manifest.number):
            with suppress(NotFound):
                named |= self._manifests.get(number).digests()
        present = self._blocks.present()
        newest = max(present.values(), default=0.0)
        spared = 0.0 if keep == 1 else SPARED
        self._manifests.delete(old)
        self._blocks.delete(
            digest for digest, modified in present.items() if digest not in named and newest - modified >= spared
        )

    # what is kept locally ------------------------------------------------------------------------

    @contextmanager
    def _scratch(self, part: Part) -> Iterator[Path]:
        place = self._directory / "drafts" / part.name.replace("/", "-")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True, mode=0o700)
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _is_inside(name: str) -> bool:
    """Whether a name of a manifest stays in the directory that it is put into."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts
