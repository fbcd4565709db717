"""What is done with bytes in packs that the catalogue does not know.

They are what a crash left of a write that was never acknowledged: these are removed. Or the catalogue is not the one
that belongs to the packs: an older copy, one that lost its log, a new one in place of one that was removed. Then they
are documents: nothing is touched, and the store is refused until somebody has decided. Where neither is certain,
because the store was written before that was noted beside the packs, the bytes are moved aside.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rolltop.errors import Damaged
from rolltop.store.blobs.commit import FileLock
from rolltop.store.blobs.commit_mark import Reach
from rolltop.store.seams import BlobStore, Catalog

__all__ = ["Recovery", "refuse_lost_catalogue"]

_OLDER = (
    "Put back the catalog.db (with its -wal) that was last used with these packs. Or run `rolltop store repair`: it "
    "moves what this catalogue does not know into the directory aside and goes on without it. Until then, what it "
    "knows can be read with ROLLTOP_READ_ONLY=true."
)


def refuse_lost_catalogue(catalog: Path, blobs: BlobStore) -> None:
    """Packs that hold something, and no catalogue: that is never a new store."""
    # The packs first: a catalogue is there before anything is written to packs.
    held = sum(blobs.packs().values())
    if held and not (catalog.exists() and catalog.stat().st_size):
        raise Damaged(
            f"the catalogue is lost: {catalog} is missing or empty, and the packs beside it hold {held:,} bytes",
            hint="Put back a copy of catalog.db. To begin with an empty store instead, move the directory away first.",
        )


@dataclass(frozen=True, slots=True)
class _State:
    """The packs by the catalogue and on disk, what the catalogue has reached, and what was noted that it had."""

    known: dict[int, int]
    found: dict[int, int]
    reach: Reach
    noted: Reach | None

    def unexplained(self) -> dict[int, int]:
        """Packs that hold more than the catalogue knows, and from where on."""
        return {
            pack: self.known.get(pack, 0) for pack, length in self.found.items() if length > self.known.get(pack, 0)
        }

    def is_clean(self) -> bool:
        return self.found.keys() <= self.known.keys() and not self.unexplained() and not self.is_doubtful()

    def is_doubtful(self) -> bool:
        """Whether the catalogue is not the one that belongs to the packs."""
        if self.noted is None:
            return self.reach.change == 0 and bool(self.unexplained())
        return self.reach.is_behind(self.noted)


class Recovery:
    """Brings packs and catalogue together again, when a store is opened."""

    def __init__(self, catalog: Catalog, blobs: BlobStore, lock: FileLock, reading: FileLock) -> None:
        self._catalog = catalog
        self._blobs = blobs
        self._lock = lock
        self._reading = reading

    def _state(self) -> _State:
        # The note last: a write that ends meanwhile can only make it look doubtful, and then the lock is taken.
        objects = self._catalog.objects
        return _State(objects.packs(), self._blobs.packs(), self._catalog.reach(), self._blobs.acknowledged())

    def doubts(self) -> list[str]:
        """Why the catalogue is not the one that belongs to the packs, if so."""
        if not self._state().is_doubtful():
            return []
        with self._lock.shared():
            state = self._state()
        return [_doubt(state)] if state.is_doubtful() else []

    def run(self, *, decided: bool = False) -> list[str]:
        """Remove what a crash left; says what was done. A catalogue that is not the packs' own is refused.

        `decided`: it is taken all the same, and what it does not know is moved aside.
        """
        state = self._state()
        if state.is_clean() and not decided:
            if state.noted is None:
                with suppress(OSError), self._lock.held():  # a store that cannot be written is read all the same
                    self._blobs.begin(self._catalog.reach())
            return []
        with self._lock.held():
            self._know_packs()
            state = self._state()
            if state.is_doubtful() and not decided:
                raise Damaged(_doubt(state), hint=_OLDER)
            keep = state.noted is None or state.is_doubtful()
            done = [
                line for pack, start in state.unexplained().items() for line in self._clear(pack, start, state, keep)
            ]
            for pack in state.found.keys() - state.known.keys():
                done += self._remove(pack) if not state.found[pack] else []
            if keep:
                self._blobs.begin(self._catalog.reach())
        return done

    def _know_packs(self) -> None:
        """Stores were written once in which packs that documents lie in were not entered: enter them."""
        unknown = self._catalog.objects.unknown_packs()
        if unknown:
            with self._catalog.transaction():
                for pack, length in unknown.items():
                    self._catalog.objects.set_pack(pack, length)

    def _clear(self, pack: int, start: int, state: _State, keep: bool) -> list[str]:
        count = state.found[pack] - start
        if keep:
            place = self._blobs.set_aside(pack, start)
            return [f"moved {count} bytes of pack {pack} that the catalogue does not know to {place}"]
        if pack not in state.known:
            return self._remove(pack)
        self._blobs.truncate(pack, start)
        return [f"removed {count} unacknowledged bytes of pack {pack}"]

    def _remove(self, pack: int) -> list[str]:
        with self._reading.tried() as free:
            if not free:  # it may have been collected while somebody reads an older state: the next opening removes it
                return []
            self._blobs.remove(pack)
        return [f"removed pack {pack}, which no document uses"]


def _doubt(state: _State) -> str:
    count = sum(state.found[pack] - start for pack, start in state.unexplained().items())
    noted = state.noted
    if noted is None or noted.store != state.reach.store:
        return f"the catalogue does not belong to the packs beside it: they hold {count:,} bytes that it does not know"
    return (
        f"the catalogue is older than the packs beside it: it ends with change {state.reach.change}, "
        f"after which change {noted.change} was acknowledged; the packs hold {count:,} bytes that it does not know"
    )
