"""Heads into their file: in step with the commits of the index, and without what nobody needs any more."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

from rolltop.base.atomic_files import flush_directory
from rolltop.store.text.disk_index.preview_file import LARGEST, NOWHERE, HeadFiles, Where, generations, latest

__all__ = ["HeadWriter"]

BUFFER = 1 << 20

SPARE = 16 << 20
"""Bytes of heads out of use, besides as many as are in use, that are left lying."""


class HeadWriter:
    """Writes heads; they count from the next `commit` on. One at a time: the caller has the lock of the index."""

    def __init__(self, directory: Path, *, expected: bool = False) -> None:
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._use(_usable(directory) or self._begun(lost=expected))
        if self._end > 2 * self._used + SPARE:
            self._compact()

    def _use(self, files: HeadFiles) -> None:
        self._files = files
        self._highest, self._used = files.about()
        self._end = os.fstat(files.heads).st_size
        self._buffer = bytearray()
        self._pending: dict[int, Where | None] = {}

    def put(self, number: int, packed: bytes) -> None:
        if len(packed) > LARGEST:
            self.remove(number)
            return
        self._pending[number] = self._end + len(self._buffer), len(packed), zlib.crc32(packed)
        self._buffer += packed
        if len(self._buffer) >= BUFFER:
            self._write()

    def remove(self, number: int) -> None:
        self._pending[number] = None

    def _write(self) -> None:
        data, self._buffer = bytes(self._buffer), bytearray()
        while data:
            written = os.pwrite(self._files.heads, data, self._end)
            self._end, data = self._end + written, data[written:]

    def commit(self) -> None:
        """Everything so far for good: first the heads, then where they lie."""
        self._write()
        os.fsync(self._files.heads)
        for number, place in sorted(self._pending.items()):
            before = self._files.place(number)
            if place or before:
                self._files.set_place(number, place)
                self._used += (place[1] if place else 0) - (before[1] if before else 0)
                self._highest = max(self._highest, number)
        self._pending = {}
        self._files.set_about(self._highest, max(0, self._used))

    def clear(self) -> None:
        """Forget everything and leave nothing of it on disk."""
        self._use(self._begun())

    def _compact(self) -> None:
        """The heads that are in use in files of their own."""
        old, lost = self._files, self._highest == NOWHERE
        self._use(self._draft())
        self._highest = NOWHERE if lost else 0
        for number, place in old.all_places():
            packed = old.packed(place)
            if packed is not None:
                self.put(number, packed)
        self.commit()
        self._publish(self._files)

    def _begun(self, *, lost: bool = False) -> HeadFiles:
        """A generation without any heads, in the place of what is there. Where some are `lost`, it says so."""
        files = self._draft()
        if lost:
            files.set_about(NOWHERE, 0)
        self._publish(files)
        return files

    def _draft(self) -> HeadFiles:
        """The next generation. Nobody sees it before it is published: what counts are the places, by their name."""
        generation = max([0, *generations(self._directory)]) + 1
        files = HeadFiles(self._directory, generation, os.O_RDWR | os.O_CREAT | os.O_TRUNC, "draft")
        files.set_about(0, 0)
        return files

    def _publish(self, files: HeadFiles) -> None:
        """Make a generation the last one, and remove those before it."""
        name = f"{files.generation:08d}"
        (self._directory / f"{name}.draft").rename(self._directory / f"{name}.places")
        flush_directory(self._directory)
        for path in self._directory.iterdir():
            if path.stem != name:
                path.unlink(missing_ok=True)


def _usable(directory: Path) -> HeadFiles | None:
    """The last generation, where it can be written on."""
    try:
        files = latest(directory, os.O_RDWR)
        if files is not None:
            files.about()
    except (OSError, ValueError):
        return None
    return files
