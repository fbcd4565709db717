"""The share of one server in the indexes that all servers have: what it publishes and what it takes over."""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rolltop.base.atomic_files import write_file
from rolltop.errors import NotFound
from rolltop.store.follower import Pressing, Task
from rolltop.store.replication.blocks import Blocks
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
        self._guard = threading.RLock()
        self._builds = False
        self._next_look = 0.0
        self.task = Task("publication of indexes", self._publish, QUIET, LATEST, after_others=True)

    # who builds ----------------------------------------------------------------------------------

    def builds(self) -> bool:
        """Whether this server follows the catalogue for all; it goes on where the last one has published."""
        held = self._lease.held()
        if held and not self._builds:
            self.take_over(now=True)
        self._builds = held
        return held

    def release(self) -> None:
        """Let another server build."""
        self._builds = False
        self._lease.release()

    # taking over ---------------------------------------------------------------------------------

    def take_over(self, *, now: bool = False) -> bool:
        """Fetch every index that is published further than it goes here; whether there was one.

        It is not looked for each time, so that fetching takes a small share of the time; `now` does at once.
        """
        with self._guard:
            begun = time.monotonic()
            if begun < self._next_look and not now:
                return False
            try:
                for _ in range(TRIES):
                    with suppress(NotFound):  # replaced while it was fetched
                        return self._taken_over(self._manifests.latest())
            finally:
                self._next_look = time.monotonic() + max(LOOK, SHARE * (time.monotonic() - begun))
        return False

    def _taken_over(self, manifest: Manifest) -> bool:
        purged = manifest.purges > self._purges
        done = [
            self._fetch(part, published)
            for part in self._parts()
            if (published := manifest.parts.get(part.name)) and (purged or published.mark > part.mark())
        ]
        if purged and all(done):
            self._note_purges(manifest.purges)
        return any(done)

    def _fetch(self, part: Part, published: PublishedPart) -> bool:
        near, begun = part.near(), time.monotonic()
        with self._scratch(part) as scratch:
            fetched = self._blocks.assemble(
                (file, scratch / name, near / name) for name, file in published.files.items() if _is_inside(name)
            )
            done = part.adopt(scratch)
        if done:
            spent = time.monotonic() - begun
            log.info("took over %s up to change %d: %d bytes, %.2f s", part.name, published.mark, fetched, spent)
        return done

    # publishing ----------------------------------------------------------------------------------

    def _publish(self, _: Pressing) -> None:
        begun = time.monotonic()
        if self.publish():
            self.task.not_before = time.monotonic() + SHARE * (time.monotonic() - begun)

    def publish(self, *, purged: bool = False) -> bool:
        """Publish every index that goes further here than what is published; whether there was one.

        With `purged`, the indexes of this server have forgotten collected documents: they replace all others.
        """
        with self._guard:
            while True:
                latest = self._manifests.latest()
                if not purged and latest.purges > self._purges:
                    self._taken_over(latest)  # what is here may know documents that were collected
                    return False
                manifest = self._made(latest, purged=purged)
                if manifest.parts == latest.parts and not purged:
                    return False
                if self._manifests.publish(manifest):
                    self._note_purges(manifest.purges)
                    self._sweep(manifest, keep=1 if purged else KEPT)
                    return True
                if not purged:
                    return False  # another server was faster: its publication is taken over next time

    def _made(self, latest: Manifest, *, purged: bool) -> Manifest:
        parts = {} if purged else dict(latest.parts)
        present = self._blocks.present()
        for part in self._parts():
            known = parts.get(part.name)
            if known is None or part.mark() > known.mark or not known.digests() <= present.keys():
                with self._scratch(part) as scratch:
                    mark = part.snapshot(scratch)
                    if mark is None:
                        continue
                    files = {
                        str(path.relative_to(scratch)): (path, self._blocks.of(path))
                        for path in sorted(scratch.rglob("*"))
                        if path.is_file()
                    }
                    self._blocks.upload(files.values(), present)
                    parts[part.name] = PublishedPart(mark, {name: file for name, (_, file) in files.items()})
        return Manifest(latest.number + 1, latest.purges + purged, parts)

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

    @property
    def _purges(self) -> int:
        try:
            return int(json.loads((self._directory / "state.json").read_bytes())["purges"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return 0

    def _note_purges(self, purges: int) -> None:
        if purges != self._purges:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_file(self._directory / "state.json", json.dumps({"purges": purges}).encode())


def _is_inside(name: str) -> bool:
    """Whether a name of a manifest stays in the directory that it is put into."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts
