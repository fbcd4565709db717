"""Files as immutable blocks in an object store, each named by its SHA-256: what is there already moves nowhere."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from rolltop.errors import Damaged
from rolltop.store.replication.objects import ObjectStore

__all__ = ["BLOCK", "Blocks", "File"]

BLOCK = 4 << 20
"""Bytes of a block; the last one of a file is shorter."""

AT_ONCE = 8
"""Transfers at the same time."""

SETTLED = 1_000_000_000
"""Nanoseconds. The digests of a file that changed later than that before it was read are not remembered."""

WRITTEN_ONCE = frozenset((".term", ".idx", ".pos", ".fast", ".fieldnorm", ".store", ".words", ".tri"))
"""Suffixes of files that are never changed in place: two directories may share one by a hard link."""

ONLY_GROWS = ".heads"
"""Suffix of files that are only appended to: what was read of one need not be read again."""


class File(NamedTuple):
    """A file as a list of blocks."""

    size: int
    digests: tuple[str, ...]


class Blocks:
    """The blocks under `prefix`."""

    def __init__(self, objects: ObjectStore, prefix: str) -> None:
        self._objects = objects
        self._prefix = prefix
        self._known: dict[tuple[int, int, int, int], File] = {}
        self._whole: dict[tuple[int, int], tuple[str, ...]] = {}
        """The digests of the whole blocks of files that only grow."""

    def present(self) -> dict[str, float]:
        """The digests of the blocks that are there, with the time at which the object store got each."""
        listed = self._objects.list(self._prefix)
        return {found.key.removeprefix(self._prefix): found.modified for found in listed}

    def delete(self, digests: Iterable[str]) -> None:
        self._objects.delete([self._prefix + digest for digest in digests])

    # from files ----------------------------------------------------------------------------------

    def of(self, path: Path) -> File:
        """The blocks that a file is made of; remembered as long as it is the same file."""
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            stamp = status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size
            known = self._known.get(stamp)
            if known is not None:
                return known
            whole = self._whole.get(stamp[:2], ()) if path.suffix == ONLY_GROWS else ()
            later = (
                _digest(_piece(path, start, status.st_size))
                for start in range(len(whole) * BLOCK, status.st_size, BLOCK)
            )
            found = File(status.st_size, (*whole, *later))
        if path.suffix == ONLY_GROWS:
            self._whole[stamp[:2]] = found.digests[: found.size // BLOCK]
        if time.time_ns() - status.st_mtime_ns > SETTLED:
            self._known[stamp] = found
        return found

    def upload(self, files: Iterable[tuple[Path, File]], present: Collection[str]) -> int:
        """Put the blocks of some files that are not there yet; how many bytes that were."""
        wanted = {
            digest: (path, number * BLOCK, file.size)
            for path, file in files
            for number, digest in enumerate(file.digests)
            if digest not in present
        }
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return sum(pool.map(lambda each: self._put(each[0], *each[1]), wanted.items()))

    def _put(self, digest: str, path: Path, start: int, size: int) -> int:
        data = _piece(path, start, size)
        if _digest(data) != digest:
            self._known.clear()
            self._whole.clear()
            raise Damaged(f"{path.name} changed while it was published")
        self._objects.put(self._prefix + digest, data)
        return len(data)

    # to files ------------------------------------------------------------------------------------

    def assemble(self, files: Iterable[tuple[File, Path, Path]]) -> int:
        """Make files out of (blocks, target, a file that may have some of them); how many bytes were fetched."""
        fetched = 0
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for file, target, near in files:
                fetched += self._assemble(pool, file, target, near)
        return fetched

    def _assemble(self, pool: ThreadPoolExecutor, file: File, target: Path, near: Path) -> int:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        here = self.of(near).digests if near.is_file() else ()
        if here == file.digests and near.suffix in WRITTEN_ONCE:
            os.link(near, target)
            return 0

        def piece(number: int) -> tuple[bytes, int]:
            digest = file.digests[number]
            data = _piece(near, number * BLOCK, file.size) if digest in here[number : number + 1] else b""
            if data and _digest(data) == digest:
                return data, 0
            return self._get(digest), 1

        fetched = 0
        with target.open("wb") as made:
            for start in range(0, len(file.digests), AT_ONCE):  # so few are in memory at a time
                for data, came in pool.map(piece, range(start, min(start + AT_ONCE, len(file.digests)))):
                    made.write(data)
                    fetched += came * len(data)
        return fetched

    def _get(self, digest: str) -> bytes:
        data = self._objects.get(self._prefix + digest)
        if _digest(data) != digest:
            self.delete([digest])  # so that the next publication puts it again
            raise Damaged(f"the block {digest} of a published index is damaged")
        return data


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _piece(path: Path, start: int, size: int) -> bytes:
    """The block of a file from `start` on, as if the file were `size` bytes long."""
    with path.open("rb") as file:
        file.seek(start)
        return file.read(min(BLOCK, size - start))
