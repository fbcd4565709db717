"""Regular expressions over one library: the two indexes, the engine that all questions share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from rolltop.store.blobs.reader import Reader
from rolltop.store.extract import Extracts
from rolltop.store.follower import Pressing
from rolltop.store.grep.engine import Grep
from rolltop.store.grep.index import SegmentDirectory
from rolltop.store.grep.texts import TextLines
from rolltop.store.replication.parts import Part
from rolltop.store.seams import Catalog, GrepIndex

__all__ = ["SharedGrep"]

WORTHWHILE = 256
"""So many frames without a segment are worth building one."""


class SharedGrep:
    """`frames` is the index of what is stored, `texts` that of what was read out of PDF and the like."""

    def __init__(
        self,
        directory: Path,
        catalog: Catalog,
        reader: Reader,
        extracts: Extracts,
        *,
        steady: Callable[[], AbstractContextManager[None]],
        frames: GrepIndex | None = None,
    ) -> None:
        self._catalog, self._reader, self._extracts, self._steady = catalog, reader, extracts, steady
        self.frames: GrepIndex = frames or SegmentDirectory(directory)
        self.texts: GrepIndex = SegmentDirectory(directory / "texts", "grep-texts")
        self.engine = self.another()

    def another(self) -> Grep:
        """An engine with a memory of its own."""
        return Grep(self._catalog, self._reader, self.frames, TextLines(self._extracts, self.texts), self._steady)

    def follow(self, pressing: Pressing) -> bool:
        """Build segments for frames that are searched directly so far, if there are enough; whether that was all."""
        if not self.is_done():
            self.engine.index_pending(least=32, stop=pressing)
        return not pressing()

    def parts(self) -> list[Part]:
        """What servers share: both indexes, where they are files."""
        return [index for index in (self.frames, self.texts) if isinstance(index, SegmentDirectory)]

    def is_done(self) -> bool:
        """Whether so few frames have no segment that none is built for them."""
        return self.engine.uncovered() < WORTHWHILE

    def clear(self) -> None:
        self.frames.clear()
        self.texts.clear()

    def close(self) -> None:
        self.frames.close()
        self.texts.close()
