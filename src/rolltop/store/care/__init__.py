"""Verifying, repairing, collecting and counting what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rolltop.store.care.collection import Collected, Collection
from rolltop.store.care.figures import stats_of
from rolltop.store.care.repair import Fetch, Repair
from rolltop.store.care.verification import Progress, Report, Verification

if TYPE_CHECKING:
    from rolltop.store.library import Library
    from rolltop.store.records import Stats

__all__ = ["Care", "Collected", "Fetch", "Report"]


class Care:
    """Looks after a library: `library.care`."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._verification = Verification(library)

    def verify(self, progress: Progress | None = None) -> Report:
        """Read everything there is and compare it with what the catalogue says, to the byte."""
        return self._verification.verify(progress)

    def repair(self, fetch: Fetch | None = None, progress: Progress | None = None) -> Report:
        """Turn flipped bits back; take whole contents from their original files if `fetch` still finds them."""
        return Repair(self._library, self._verification).run(fetch, progress)

    def collect(self, *, everything: bool = False) -> Collected:
        """Remove for good what was deleted before the undo window (or at all), and give its space back."""
        return Collection(self._library).run(everything=everything)

    def stats(self) -> Stats:
        """What documents and versions hold, and what that takes on disk."""
        return stats_of(self._library.catalog)
