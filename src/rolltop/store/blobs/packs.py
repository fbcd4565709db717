"""The local blob store: append-only pack files in one directory."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from rolltop.base.atomic_files import flush_directory
from rolltop.errors import NotFound
from rolltop.store.blobs.commit_mark import Reach, ReachFile
from rolltop.store.records import Place

__all__ = ["PACK_LIMIT", "PackDirectory"]

PACK_LIMIT = 32 << 20
"""A pack that has reached this length is closed and the next one begun."""

_OPEN_LIMIT = 64
_NAME = re.compile(r"\d{8,}\.pack")
_ASIDE = "aside"


class PackDirectory:
    """A `BlobStore` of files. One writer at a time (the caller holds the lock), any number of readers."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self._readers = _Readers(self._path)
        self._reach = ReachFile(directory.with_name("acknowledged"))
        self._pack = 0
        self._length = 0
        self._file: int | None = None
        self._dirty: set[int] = set()
        self._created = False

    def _path(self, pack: int) -> Path:
        return self.directory / f"{pack:08d}.pack"

    # writing -------------------------------------------------------------------------------------

    def resume(self, pack: int, length: int) -> None:
        """Continue after the last committed byte; whatever lies beyond was never acknowledged.

        A pack that lost bytes is left as it is, and the next one begun.
        """
        status = self._status(pack)
        if (status.st_size if status else 0) < length:
            pack, length, status = pack + 1, 0, None
        # A file that was removed or replaced meanwhile is not written to any more.
        if status is None or pack != self._pack or not os.path.samestat(os.fstat(self._writer()), status):
            self._switch(pack)
        if os.fstat(self._writer()).st_size != length:
            os.ftruncate(self._writer(), length)
        self._length = length

    def _status(self, pack: int) -> os.stat_result | None:
        try:
            return os.stat(f"{self.directory}/{pack:08d}.pack")
        except FileNotFoundError:
            return None

    def _switch(self, pack: int) -> None:
        self._close_writer()
        path = self._path(pack)
        self._created = self._created or not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._pack = pack

    def append(self, data: bytes) -> Place:
        """Write after everything else; durable once `sync` returned."""
        if self._length >= PACK_LIMIT:
            self.sync()
            self._switch(self._pack + 1)
            os.ftruncate(self._writer(), 0)
            self._length = 0
        place = Place(self._pack, self._length, len(data))
        _write_all(self._writer(), data, self._length)
        self._length += len(data)
        self._dirty.add(self._pack)
        return place

    def _writer(self) -> int:
        assert self._file is not None, "resume() comes before writing"
        return self._file

    def position(self) -> tuple[int, int]:
        """The pack being written and its length so far."""
        return self._pack, self._length

    def sync(self) -> None:
        """Everything appended so far survives a power loss when this returns."""
        if self._dirty and self._file is not None:
            os.fdatasync(self._file)
        self._dirty.clear()
        if self._created:
            flush_directory(self.directory)
            self._created = False

    # reading -------------------------------------------------------------------------------------

    def read(self, place: Place) -> bytes:
        """The bytes at a place; shorter than asked when the pack is cut short."""
        try:
            return self._readers.read(place)
        except FileNotFoundError:
            raise NotFound(
                f"pack {place.pack} is not there",
                hint="Run `rolltop store verify` to see which documents are affected.",
                details={"pack": place.pack},
            ) from None

    def packs(self) -> dict[int, int]:
        """Every pack file with its length on disk. Files with other names are not ours."""
        numbers = sorted(int(path.stem) for path in self.directory.glob("*.pack") if _NAME.fullmatch(path.name))
        found = ((number, self._status(number)) for number in numbers)
        return {number: status.st_size for number, status in found if status}  # one may be removed meanwhile

    # how far the catalogue has come --------------------------------------------------------------

    def acknowledged(self) -> Reach | None:
        """What the catalogue of these packs had reached when something was last written to it."""
        return self._reach.read()

    def acknowledge(self, reach: Reach) -> None:
        """Note what the catalogue has reached, after its commit."""
        self._reach.write(reach)

    def begin(self, reach: Reach) -> None:
        """Note it for the first time: nothing is written to packs before this is on disk."""
        self._reach.begin(reach)
        flush_directory(self.directory.parent)

    # repair and collection -----------------------------------------------------------------------

    def overwrite(self, place: Place, data: bytes) -> None:
        """Put mended bytes where damaged ones were."""
        assert len(data) == place.length
        file = os.open(self._path(place.pack), os.O_WRONLY | os.O_CLOEXEC)
        try:
            _write_all(file, data, place.offset)
            os.fdatasync(file)
        finally:
            os.close(file)

    def remove(self, pack: int) -> None:
        """Remove a pack that the catalogue no longer knows."""
        if pack == self._pack:
            self._close_writer()
        self._readers.forget(pack)
        self._path(pack).unlink(missing_ok=True)
        flush_directory(self.directory)

    def truncate(self, pack: int, length: int) -> None:
        """Cut a pack back to its committed length."""
        os.truncate(self._path(pack), length)

    def set_aside(self, pack: int, start: int) -> str:
        """Move what a pack holds from a place on into a file of its own, which nothing reads; the name of that file."""
        place = self.directory.with_name(_ASIDE)
        place.mkdir(exist_ok=True, mode=0o700)
        target = _free(place / f"{pack:08d}-{start}")
        with self._path(pack).open("rb") as source, target.open("xb") as out:
            source.seek(start)
            shutil.copyfileobj(source, out, 1 << 20)
            out.flush()
            os.fsync(out.fileno())
        flush_directory(place)
        flush_directory(place.parent)
        if start:
            self.truncate(pack, start)
        else:
            self.remove(pack)
        return f"{_ASIDE}/{target.name}"

    def close(self) -> None:
        self._close_writer()
        self._reach.close()
        self._readers.close()

    def _close_writer(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
            self._pack = 0


class _Readers:
    """A few open pack files; `pread` needs no lock, opening and evicting does."""

    def __init__(self, path_of: Callable[[int], Path]) -> None:
        self._path_of = path_of
        self._files: OrderedDict[int, int] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, place: Place) -> bytes:
        # The lock is held while reading, so that no other thread closes the file and reuses its number.
        with self._lock:
            return os.pread(self._open(place.pack), place.length, place.offset)

    def _open(self, pack: int) -> int:
        file = self._files.get(pack)
        if file is None:
            file = os.open(self._path_of(pack), os.O_RDONLY | os.O_CLOEXEC)
            self._files[pack] = file
            if len(self._files) > _OPEN_LIMIT:
                os.close(self._files.popitem(last=False)[1])
        self._files.move_to_end(pack)
        return file

    def forget(self, pack: int) -> None:
        with self._lock:
            if (file := self._files.pop(pack, None)) is not None:
                os.close(file)

    def close(self) -> None:
        with self._lock:
            for file in self._files.values():
                os.close(file)
            self._files.clear()


def _write_all(file: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, offset)
        view = view[written:]
        offset += written


def _free(path: Path) -> Path:
    """The path, or the same with a number, that no file has."""
    found, number = path, 1
    while found.exists():
        found, number = path.with_name(f"{path.name}.{number}"), number + 1
    return found
