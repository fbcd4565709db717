"""Whether stored bytes are still what was written, told by the checksums of their frames.

Content that is stored again is compared with what is there by its hash, and the hash is in the catalogue: without a
look at the bytes, damaged ones would count as stored. A checksum over compressed bytes costs a tenth of that hash.
"""

from __future__ import annotations

from rolltop.errors import RolltopError
from rolltop.store.blobs import frames
from rolltop.store.records import Object
from rolltop.store.seams import BlobStore, Catalog

__all__ = ["Soundness"]


class Soundness:
    """Looks at each frame once."""

    def __init__(self, catalog: Catalog, blobs: BlobStore) -> None:
        self._catalog = catalog
        self._blobs = blobs
        self._frames: dict[int, bool] = {}

    def holds(self, entry: Object) -> bool:
        """Whether all bytes of an object are there."""
        if entry.parts is None:
            return entry.size == 0 or (entry.frame is not None and self.of_frame(entry.frame))
        leaves = self._catalog.objects.frames_of(entry.parts)
        return leaves is not None and all(map(self.of_frame, leaves))

    def of_frame(self, number: int) -> bool:
        """Whether a frame is as it was written, and what it was compressed against too."""
        found = self._frames.get(number)
        if found is None:
            found = self._frames[number] = self._look(number)
        return found

    def _look(self, number: int) -> bool:
        frame = self._catalog.objects.frame(number)
        if frame is None:
            return False
        try:
            frames.check(self._blobs.read(frame.place), number)
        except (RolltopError, OSError):
            return False
        if frame.base is None:
            return True
        base = self._catalog.objects.get(frame.base)
        return base is not None and self.holds(base)

    def forget(self) -> None:
        self._frames.clear()
